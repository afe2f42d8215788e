"""Back-up and restore: whole files while students write, put back with their owner's own rights and no others."""

import asyncio
import json
import os
import pwd
import shutil
import socket
import sqlite3
import stat
import subprocess
import tarfile
import threading
import time
from pathlib import Path

import httpx
import pytest
from client import Refused, Student, passwords
from room import accounts, archive, service
from settings import Place, Settings

LESSON = "attention/notebooks/zh/00_start.ipynb"
HALVES = "前半" * 1000, "后半" * 1000


def person(home, name="s01"):
    return pwd.struct_passwd((name, "x", os.getuid(), os.getgid(), "Ada Lovelace,,", str(home), ""))


def stored(target, *people):
    return archive.store(target, people, json.dumps({"port": 8000}))


def content(target, name):
    with tarfile.open(target) as opened:
        return opened.extractfile(name).read()


@pytest.fixture
def home(tmp_path):
    (tmp_path / "s01").mkdir()
    return tmp_path / "s01"


def test_a_file_that_is_being_written_is_stored_whole(home, tmp_path):
    begun = threading.Event()

    def save():
        with (home / "notes.ipynb").open("w", encoding="utf-8") as file:
            file.write(HALVES[0])
            file.flush()
            begun.set()
            time.sleep(0.5)
            file.write(HALVES[1])

    writer = threading.Thread(target=save)
    writer.start()
    begun.wait()
    told = stored(tmp_path / "a.tar.gz", person(home))
    writer.join()
    assert content(tmp_path / "a.tar.gz", "home/s01/notes.ipynb").decode("utf-8") == "".join(HALVES)
    assert (told.files, told.changed, told.unread) == (1, [], [])


def test_a_file_that_never_rests_is_named_and_the_others_are_stored(home, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "_REST", 0.1)
    begun, ending = threading.Event(), threading.Event()

    def log():
        with (home / "log.txt").open("w", encoding="ascii") as file:
            while not ending.is_set():
                file.write("line\n")
                file.flush()
                begun.set()
                time.sleep(0.005)

    writer = threading.Thread(target=log)
    writer.start()
    (home / "notes.txt").write_text("mine", encoding="ascii")
    begun.wait()
    try:
        told = stored(tmp_path / "a.tar.gz", person(home))
    finally:
        ending.set()
        writer.join()
    assert (told.files, told.changed, told.unread) == (2, ["home/s01/log.txt"], [])
    assert content(tmp_path / "a.tar.gz", "home/s01/log.txt").startswith(b"line\n")
    assert content(tmp_path / "a.tar.gz", "home/s01/notes.txt") == b"mine"


def test_what_is_in_a_home_is_stored_as_it_is_and_links_are_not_followed(home, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "_REST", 0)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("another's", encoding="ascii")
    long = "很长的名字" * 12
    (home / long).mkdir(mode=0o750)
    (home / long / (long + ".txt")).write_text("远", encoding="utf-8")
    (home / "empty").touch()
    (home / "link").symlink_to(outside / "secret")
    (home / "folder").symlink_to(outside)
    (home / "second").hardlink_to(home / "empty")
    (home / ".cache").mkdir()
    (home / ".cache" / "large").touch()
    os.mkfifo(home / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home / "socket"))
        told = stored(tmp_path / "a.tar.gz", person(home))
    assert (told.changed, told.unread) == ([], [])
    with tarfile.open(tmp_path / "a.tar.gz") as opened:
        found = {entry.name: (chr(entry.type[0]), entry.linkname) for entry in opened}
        assert opened.getmember(f"home/s01/{long}").mode == 0o750
    assert found == {
        archive.CLASS: ("0", ""), "home/s01": ("5", ""), f"home/s01/{long}": ("5", ""),
        f"home/s01/{long}/{long}.txt": ("0", ""), "home/s01/empty": ("0", ""), "home/s01/second": ("0", ""),
        "home/s01/link": ("2", str(outside / "secret")), "home/s01/folder": ("2", str(outside)),
    }
    about = archive.about(tmp_path / "a.tar.gz")
    assert (about["people"], about["settings"]) == ({"s01": "Ada Lovelace"}, {"port": 8000})
    assert stat.S_IMODE((tmp_path / "a.tar.gz").stat().st_mode) == 0o600


def test_what_cannot_be_read_is_named_and_costs_nobody_anything(home, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "_REST", 0)
    (tmp_path / "s02").mkdir()
    for path in (home / "broken", home / "good", tmp_path / "s02" / "his"):
        path.write_text(path.name, encoding="ascii")
    really = archive._read

    def read(opened, name, *more):
        if name == "broken":
            raise PermissionError(13, "refused")
        return really(opened, name, *more)

    monkeypatch.setattr(archive, "_read", read)
    told = stored(tmp_path / "a.tar.gz", person(home), person(tmp_path / "s02", "s02"))
    assert (told.files, told.unread) == (2, [str(home / "broken")])
    assert content(tmp_path / "a.tar.gz", "home/s02/his") == b"his"
    monkeypatch.setattr(archive.os, "fwalk", lambda *_, **__: (_ for _ in ()).throw(RecursionError))
    told = stored(tmp_path / "b.tar.gz", person(home))
    assert told.unread == [str(home)]


def test_a_back_up_that_fails_leaves_no_file_behind(home, tmp_path, monkeypatch):
    monkeypatch.setattr(archive.os, "fsync", lambda *_: (_ for _ in ()).throw(OSError(28, "no room")))
    with pytest.raises(OSError, match="no room"):
        stored(tmp_path / "a.tar.gz", person(home))
    assert [path.name for path in tmp_path.iterdir()] == ["s01"]


@pytest.mark.parametrize("broken", ["no archive", "another archive", "half an archive"])
def test_only_a_back_up_of_a_class_is_taken_for_one(home, tmp_path, broken):
    target = tmp_path / "a.tar.gz"
    if broken == "no archive":
        target.write_text("something", encoding="ascii")
    elif broken == "another archive":
        with tarfile.open(target, "w:gz") as opened:
            opened.add(home, "home/s01")
    else:
        stored(target, person(home))
        target.write_bytes(target.read_bytes()[:60])
    with pytest.raises(OSError, match=r"\S"):
        archive.about(target)


# With a real class


async def save(student, text):
    notebook = await student.read(LESSON)
    notebook["cells"][0]["source"] = text
    await student.api("PUT", f"contents/{LESSON}", json={"type": "notebook", "format": "json", "content": notebook})


def owner(path):
    return pwd.getpwuid(path.lstat().st_uid).pw_name


@pytest.fixture(scope="module")
def backup(room, tmp_path_factory):
    """Made while a student saves again and again; the last text saved before it was complete."""
    target = tmp_path_factory.mktemp("backup") / "class.tar.gz"
    note = Path(f"/home/{room.account(1)}/笔记.txt")
    note.write_text("我的", encoding="utf-8")
    os.chown(note, pwd.getpwnam(room.account(1)).pw_uid, -1)

    async def work():
        async with room.student(2) as ben:
            await ben.sign_in()
            await ben.start_server()
            making = asyncio.create_task(asyncio.to_thread(room.run, "backup", str(target)))
            for number in range(8):
                await save(ben, f"saved {number}")
                await asyncio.sleep(0.2)
            return await making

    return target, asyncio.run(work()).stdout


def test_the_back_up_holds_every_home_whole_and_is_closed(room, backup):
    target, said = backup
    assert said.startswith("6 个账号的 ")
    assert "一直有程序在写" not in said
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with tarfile.open(target) as opened:
        assert {entry.name.split("/")[1] for entry in opened if entry.name.startswith("home/")} == set(room.said)
        for entry in opened:
            if entry.name.endswith(".ipynb"):
                assert json.load(opened.extractfile(entry))["nbformat"] == 4, entry.name
    assert content(target, f"home/{room.account(1)}/笔记.txt").decode("utf-8") == "我的"
    text = json.loads(content(target, f"home/{room.account(2)}/{LESSON}"))["cells"][0]["source"]
    assert "".join(text) == "saved 7"
    assert archive.about(target)["people"] == {
        **{room.account(number): f"同学 {number}" for number in range(1, 6)}, room.teacher: "老师"}
    failed = room.run("backup", str(target), check=False)
    assert "已经存在，没有覆盖" in failed.stderr


def test_one_students_files_come_back_beside_the_present_ones(room, backup):
    anna, ben = (Path(f"/home/{room.account(number)}") for number in (1, 2))
    (anna / "笔记.txt").write_text("更新的", encoding="utf-8")
    made = archive.about(backup[0])["made"]
    (anna / f"restored-{made}").symlink_to("/root")
    said = room.run("restore", str(backup[0]), room.account(1)).stdout
    folder = anna / f"restored-{made}-2"
    assert str(folder) in said
    assert (folder / "笔记.txt").read_text(encoding="utf-8") == "我的"
    assert (anna / "笔记.txt").read_text(encoding="utf-8") == "更新的"
    assert {owner(path) for path in (folder, *folder.rglob("*"))} == {room.account(1)}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not list(ben.glob("restored-*"))
    (anna / f"restored-{made}").unlink()


def test_restoring_over_what_is_there_needs_the_hub_stopped_and_follows_no_link(room, backup, tmp_path):
    failed = room.run("restore", str(backup[0]), "--over", check=False)
    assert (failed.returncode, "请先停止服务" in failed.stderr) == (1, True)
    failed = room.run("restore", str(backup[0]), "root", check=False)
    assert failed.stderr.strip() == "这份备份里没有：root。"
    home = Path(f"/home/{room.account(1)}")
    (tmp_path / "elsewhere").mkdir()
    for folder in (tmp_path, tmp_path.parent):
        folder.chmod(0o755)
    (home / "attention").rename(home / "moved")
    (home / "attention").symlink_to(tmp_path / "elsewhere")
    said = archive.restore(backup[0], {room.account(1): home})
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert (home / "笔记.txt").read_text(encoding="utf-8") == "我的"
    assert said == []
    assert not (home / "attention").is_symlink()
    assert (home / LESSON).is_file()
    shutil.rmtree(home / "moved")


def test_a_student_who_leaves_is_forgotten_and_may_be_brought_back(room, backup, tmp_path):
    name = room.account(4)
    left = Path(f"/var/tmp/{name}-left")

    async def come(student):
        await student.sign_in()
        return student.cookies("/hub/home")

    async def page(cookie):
        async with httpx.AsyncClient(base_url=room.url, trust_env=False) as browser:
            return (await browser.get("/hub/home", headers={"Cookie": cookie})).status_code

    async def work():
        async with room.student(4) as leaving:
            old = await come(leaving)
            left.touch()
            os.chown(left, pwd.getpwnam(name).pw_uid, -1)
            assert await page(old) == 200
            assert f"账号 {name}（同学 4）" in room.run("remove-student", name, check=False).stderr
            assert Path(f"/home/{name}").exists()
            assert "已经删除" in room.run("remove-student", name, "--yes").stdout
            assert not Path(f"/home/{name}").exists()
            assert not left.exists()
            assert await page(old) == 302
            room.run("setup", "--students", str(room.students), "--slips", str(tmp_path / "new.html"))
            gone = room.said[name]
            room.said |= passwords((tmp_path / "new.html").read_text(encoding="utf-8"))
            async with room.student(4) as new:
                assert await page(await come(new)) == 200
                assert await page(old) == 302
                await new.http.get("/hub/spawn")  # so that the server is starting when the account is removed below
            with pytest.raises(Refused):
                await Student(room.url, name, gone).sign_in()

            # And back again, as on a machine where the account is not yet.
            room.run("remove-student", name, "--yes")
            said = room.run("restore", str(backup[0]), name, "--slips", str(tmp_path / "back.html")).stdout
            assert f"放在：\n/home/{name}\n" in said
            room.said |= passwords((tmp_path / "back.html").read_text(encoding="utf-8"))
            async with room.student(4) as back:
                assert await page(await come(back)) == 200

    asyncio.run(work())
    assert owner(Path(f"/home/{name}")) == name
    for refused, why in ((room.teacher, "这是老师的账号"), ("root", "没有账号 root")):
        failed = room.run("remove-student", refused, "--yes", check=False)
        assert (failed.returncode, why in failed.stderr) == (1, True)
    assert set(room.said) == {account.pw_name for account in accounts.members(room.name)}


def test_another_person_under_the_same_account_gets_nothing_of_it(room, backup):
    name, home = room.account(3), Path(f"/home/{room.account(3)}")
    subprocess.run(["usermod", "--comment", "新同学", name], check=True)
    failed = room.run("restore", str(backup[0]), name, check=False)
    subprocess.run(["usermod", "--comment", "同学 3", name], check=True)
    assert failed.returncode == 1
    assert f"{name}：备份时是“同学 3”，现在是“新同学”，没有动。" in failed.stderr
    assert not list(home.glob("restored-*"))


def test_a_hub_that_does_not_run_forgets_too(room, tmp_path):
    async def come():
        async with room.student(5) as student:
            await student.sign_in()

    asyncio.run(come())
    place = Place(tmp_path)
    place.private.mkdir()
    (tmp_path / "venv").symlink_to(room.place.venv)
    (tmp_path / "classroom").symlink_to(room.place.code)
    database = place.private / "jupyterhub.sqlite"
    database.write_bytes((room.place.private / "jupyterhub.sqlite").read_bytes())

    def known():
        with sqlite3.connect(database) as opened:
            return {name for (name,) in opened.execute("select name from users")}

    assert room.account(5) in known()
    settings = Settings(name="attnnone", port=room.port + 50)
    service.forget(place, settings, room.account(5))
    assert room.account(5) not in known()
    service.forget(place, settings, room.account(5))
    assert room.teacher in known()
