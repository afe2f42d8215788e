"""Set up, start, take down: each may be given twice, each says in words what it will not do."""

import argparse
import asyncio
import os
import pwd
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import ports
import pytest
from client import Refused, Student, passwords
from room import ROOT, accounts, classroom, homes, impossible, remote, service
from settings import Settings

from attention_lib import language
from attention_lib.language import texts


@pytest.mark.parametrize(("people", "taken", "new"), [
    (["Li", "Wang"], {}, [("Li", "s01"), ("Wang", "s02")]),
    (["Li", "Wang"], {"s01": "Li", "s02": "Wang"}, []),
    (["Wang", "Chen", "Li"], {"s01": "Li", "s02": "Wang"}, [("Chen", "s03")]),
    (["Li", "Li"], {}, [("Li", "s01"), ("Li", "s02")]),
    (["Li", "Li"], {"s05": "Li"}, [("Li", "s01")]),
    (["Chen"], {"s01": "Li", "s03": "Wang"}, [("Chen", "s02")]),
    ([], {"s01": "Li"}, []),
])
def test_who_has_an_account_keeps_it_and_others_get_the_next(people, taken, new):
    assert accounts.assign(people, taken, "s") == new


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_a_class_list_is_read_as_worksheets_read_it(tmp_path, encoding):
    (tmp_path / "class.csv").write_bytes("学号,姓名\n7,王小明\n8,李雷\n9,李雷\n".encode(encoding))
    given = argparse.Namespace(class_list=tmp_path / "class.csv", students=None)
    assert classroom._people(given) == ["王小明 7", "李雷 8", "李雷 9"]


def test_a_class_list_that_cannot_be_read_is_told(tmp_path):
    (tmp_path / "class.csv").write_bytes(b"")
    with pytest.raises(classroom.Stop) as stop:
        classroom._people(argparse.Namespace(class_list=tmp_path / "class.csv", students=None))
    assert "class.csv" in str(stop.value)


def test_no_two_servers_get_one_port():
    given = [ports.free_port() for _ in range(1000)]
    assert len(set(given)) == 1000
    assert ports.LOWEST <= min(given) < max(given) < ports.HIGHEST <= 32768
    assert given != sorted(given)


def test_a_port_in_use_is_not_given(monkeypatch):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        taken = other.getsockname()[1]
        tries = iter([taken, taken, ports.HIGHEST])
        monkeypatch.setattr(ports.secrets, "randbelow", lambda most: next(tries) - ports.LOWEST)
        assert ports.free_port() == ports.HIGHEST


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_word_of_the_pages_is_hidden_by_a_method_of_its_dictionary(language):
    names = {key.removeprefix("hub.page_") for key in texts(language) if key.startswith("hub.page_")}
    assert [name for name in names if hasattr(dict, name)] == []
    used = set().union(*(re.findall(r"words\.(\w+)", path.read_text(encoding="utf-8"))
                         for path in (ROOT / "classroom" / "templates").iterdir()))
    assert used <= names
    assert {name for name in names if not name.startswith("error_")} <= used


KEEP = """
import sys, pathlib
sys.path.insert(0, sys.argv[1])
import keep
keep.HERE = pathlib.Path(sys.argv[2])
keep.PAUSE = 0.05
keep.hub_command = lambda *_: [sys.executable, "-c", "import os, time; print(os.getpid(), flush=True); time.sleep(60)"]
sys.exit(keep.main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a class needs Linux")
def test_a_hub_that_dies_is_started_again_and_ends_when_told(tmp_path):
    (tmp_path / "private").mkdir()
    (tmp_path / "classroom").mkdir()
    with subprocess.Popen([sys.executable, "-u", "-c", KEEP, str(ROOT / "classroom"), str(tmp_path / "classroom")],
                          stdout=subprocess.PIPE, encoding="ascii") as keeper:
        try:
            os.kill(int(keeper.stdout.readline()), signal.SIGKILL)
            assert keeper.stdout.readline().startswith("keep.py: the hub ended with -9")
            second = int(keeper.stdout.readline())
            keeper.terminate()
            assert keeper.wait(10) == 0
            with pytest.raises(ProcessLookupError):
                os.kill(second, 0)
        finally:
            keeper.kill()


def test_passwords_are_long_enough_and_never_alike():
    made = {accounts.new_password() for _ in range(2000)}
    assert len(made) == 2000
    assert {len(one) for one in made} == {8}
    assert not set("0O1lIio") & set("".join(made))


def kept(room):
    """What a second set-up must not change."""
    shadow = [line for line in Path("/etc/shadow").read_text(encoding="ascii").splitlines()
              if line.startswith(room.prefix)]
    secrets = {path.name: path.read_bytes() for path in room.place.private.iterdir() if path.name.endswith("_token")}
    return shadow, secrets, (room.place.private / "cookie_secret").read_bytes()


def test_setting_up_and_starting_twice_changes_nothing(room):
    before, keeper = kept(room), (room.place.private / "keep.pid").read_bytes()
    told = room.run("setup", "--students", str(room.students)).stdout
    assert "这个班现在有 6 个账号" in told
    assert "张密码条" not in told
    assert "改动在 stop 和 start 之后生效" in told
    assert "已经在运行了" in room.run("start").stdout
    assert kept(room) == before
    assert (room.place.private / "keep.pid").read_bytes() == keeper
    assert room.settings.port == room.port


def test_taken_down_twice_and_brought_back_with_other_choices(room):
    async def look():
        async with room.student(1) as anna, Student(room.url, room.teacher, room.said[room.teacher]) as teacher:
            await anna.sign_in()
            await anna.start_server()
            await teacher.sign_in()
            page = await teacher.http.get(f"{anna.server}/lab")
            if page.url.path.startswith("/hub/api/oauth2/authorize") and page.status_code == 200:
                page = await teacher.http.post(str(page.url), data={"_xsrf": teacher.xsrf("/hub/"), "scopes": [
                    f"access:servers!server={anna.name}/"]}, headers={"Referer": str(page.url)})
            assert page.status_code == 200
            assert page.url.path.startswith(f"{anna.server}/lab")

    assert "已经停止" in room.run("stop").stdout
    assert not service.answers(room.settings)
    people = {account.pw_uid for account in accounts.members(room.name)}
    assert accounts.processes(people) == set()
    assert "没有在运行" in room.run("stop").stdout
    assert "没有在运行" in room.run("status").stdout
    room.run("setup", "--teacher-may-look")
    room.run("start")
    asyncio.run(look())
    assert f"在线 1 人：\n{room.account(1)}" in room.run("status").stdout


def test_a_lost_password_is_replaced(room, tmp_path):
    async def sign_in(password):
        async with Student(room.url, room.account(5), password) as student:
            await student.sign_in()

    room.run("password", room.account(5), "--slips", str(tmp_path / "slip.html"))
    new = passwords((tmp_path / "slip.html").read_text(encoding="utf-8"))[room.account(5)]
    assert (tmp_path / "slip.html").stat().st_mode & 0o777 == 0o600
    with pytest.raises(Refused):
        asyncio.run(sign_in(room.said[room.account(5)]))
    room.said[room.account(5)] = new
    asyncio.run(sign_in(new))
    room.run("password", room.account(5), "--slips", str(tmp_path / "slip.html"))
    assert room.account(5) in (tmp_path / "slip-2.html").read_text(encoding="utf-8")
    room.said |= passwords((tmp_path / "slip-2.html").read_text(encoding="utf-8"))
    failed = room.run("password", "root", check=False)
    assert (failed.returncode, failed.stderr.strip()) == (1, "这个班里没有账号 root。")


@pytest.mark.parametrize(("settings", "wanted"), [
    (Settings(), ["http://10.0.0.5:8000", "http://10.0.1.5:8000"]),
    (Settings(port=80), ["http://10.0.0.5", "http://10.0.1.5"]),
    (Settings(address="10.0.1.5", certificate="c", key="k", port=443), ["https://10.0.1.5"]),
    (Settings(address="127.0.0.1"), ["http://10.0.0.5", "http://10.0.1.5", "http://127.0.0.1:8000"]),
    (Settings(address="127.0.0.1", public_address="https://class.example.org"), ["https://class.example.org"]),
    (Settings(public_address="http://class.example.org:81"), ["http://class.example.org:81"]),
])
def test_slips_show_what_other_computers_can_reach(monkeypatch, settings, wanted):
    monkeypatch.setattr(service, "_own_addresses", lambda: ["10.0.0.5", "10.0.1.5"])
    assert service.addresses(settings) == wanted


def test_a_machine_without_a_network_has_its_own_address(monkeypatch):
    monkeypatch.setattr(service, "_own_addresses", list)
    assert service.addresses(Settings()) == service.addresses(Settings(address="127.0.0.1")) == ["http://127.0.0.1:8000"]


def test_behind_a_proxy_slips_show_its_address(room, tmp_path):
    first = service.addresses(room.settings)[0]
    assert room.slips.count(f"<dd>{first}</dd>") == 6
    told = room.run("setup", "--public-address", "https://class.example.org").stdout
    assert "密码条上写的是" not in told
    room.run("password", room.account(5), "--slips", str(tmp_path / "slip.html"))
    slip = (tmp_path / "slip.html").read_text(encoding="utf-8")
    room.said |= passwords(slip)
    assert "<dd>https://class.example.org</dd>" in slip
    assert "https://class.example.org" in room.run("status").stdout
    assert f"密码条上写的是 {first}；" in room.run("setup", "--public-address", "").stdout


SSHD = 'trap "exit 7" HUP; echo ready; while :; do sleep 0.05; done'


@pytest.mark.skipif(sys.platform == "win32", reason="a class needs Linux")
def test_an_ssh_server_refuses_the_class_until_it_is_removed(tmp_path, monkeypatch):
    for name, value in (("FOLDER", tmp_path), ("_PID", tmp_path / "sshd.pid"), ("_SYSTEMD", tmp_path / "none")):
        monkeypatch.setattr(remote, name, value)
    monkeypatch.setattr(remote.shutil, "which", lambda *_, **__: None)
    remote.refuse(Settings())
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(remote.shutil, "which", lambda *_, **__: "/usr/sbin/sshd")
    for step in (remote.refuse, remote.allow):
        with subprocess.Popen(["sh", "-c", SSHD], stdout=subprocess.PIPE, encoding="ascii") as server:
            assert server.stdout.readline() == "ready\n"
            (tmp_path / "sshd.pid").write_text(f"{server.pid}\n", encoding="ascii")
            step(Settings())
            assert server.wait(10) == 7
        if step is remote.refuse:
            lines = (tmp_path / "attention.conf").read_text(encoding="ascii").splitlines()
            assert [line for line in lines if not line.startswith("#")] == ["DenyGroups attention"]
            (tmp_path / "sshd.pid").unlink()
            remote.refuse(Settings())  # nothing has changed, nothing is done
    assert [path.name for path in tmp_path.iterdir()] == ["sshd.pid"]


def test_nobody_enters_but_by_the_hub(room):
    """Also an account made with a shell loses it; terminals and shell commands of cells work all the same."""
    name = room.account(1)
    subprocess.run(["usermod", "--shell", "/bin/bash", name], check=True)
    room.run("setup")
    for account in room.said:
        entered = subprocess.run(["su", "-", account, "-c", "echo in"], check=False, capture_output=True)
        assert (entered.returncode, entered.stdout.strip() == b"in") == (1, False)

    async def work():
        async with room.student(1) as anna:
            await anna.sign_in()
            await anna.start_server()
            kernel = await anna.open("attention/notebooks/zh/00_start.ipynb")
            assert (await kernel.printed("!echo $SHELL $USER")).strip() == f"/bin/bash {name}"
            assert "7 * 6 = 42\n" in (await anna.terminal('echo "7 * 6 = $((7 * 6))"')).replace("\r", "")

    asyncio.run(work())


def account_at(home, name):
    return pwd.struct_passwd((name, "x", 1, 1, f"{name} 的主人,,", str(home), ""))


def test_status_says_who_takes_the_room(tmp_path, monkeypatch):
    for name, megabytes in (("s01", 1), ("s02", 5)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(os.urandom(megabytes << 20))
    people = [account_at(tmp_path / name, name) for name in ("s01", "s02")]
    used = homes.sizes(people)
    assert used.keys() == {"s01", "s02"}
    assert used["s01"] in (1, 2)  # with its folder, rounded up
    assert used["s02"] in (5, 6)
    language.choose("zh")
    monkeypatch.setattr(homes.shutil, "disk_usage", lambda path: argparse.Namespace(total=1000 << 20, free=101 << 20))
    total = f"所有人的文件共占 {sum(used.values())} MB，磁盘还剩 101 MB。"
    assert homes.report(people, most=100) == [total]
    over = f"{used['s02']} MB：s02（s02 的主人），超过了 4 MB"
    assert homes.report(people, most=4) == [total, over]
    assert homes.report(people, most=4, everybody=True) == [total, over, f"{used['s01']} MB：s01（s01 的主人）"]
    monkeypatch.setattr(homes.shutil, "disk_usage", lambda path: argparse.Namespace(total=1000 << 20, free=99 << 20))
    assert homes.report(people, most=100)[1].startswith("磁盘快满了，只剩 99 MB")
    assert homes.report([], most=100) == []


def test_status_lists_the_homes_of_the_class(room):
    told = room.run("status", "--homes").stdout
    assert all(f"：{name}（" in told for name in room.said)
    assert "所有人的文件共占 " in told


def test_what_cannot_be_done_is_said(room, tmp_path):
    failed = room.run("setup", "--prefix", "ro", "--teacher", "root", check=False)
    assert "这台机器上已经有账号 root，但它不属于这个班" in failed.stderr
    room.run("setup", "--prefix", room.prefix, "--teacher", room.teacher)
    failed = room.run("remove", check=False)
    assert failed.returncode == 1
    assert "这会删除 6 个账号和他们的全部文件" in failed.stderr
    assert len(accounts.members(room.name)) == 6
    failed = room.run("setup", "--name", "other-name", check=False)
    assert f"“{room.name}”" in failed.stderr


@pytest.mark.skipif(bool(impossible()), reason=impossible())
@pytest.mark.parametrize(("options", "told"), [
    (["--name", "sudo"], "“sudo” is taken"),
    (["--name", "login"], "“login” is taken"),
    (["--name", "../x"], "“../x” is taken"),
    (["--port", "0"], "--port: got 0, needs 1 to 65533"),
    (["--memory", "10"], "--memory: got 10, needs 512 to"),
    (["--idle", "0"], "--idle: got 0, needs 5 to"),
    (["--home", "1"], "--home: got 1, needs 16 to"),
    (["--public-address", "class.example.org"], "--public-address: got class.example.org, needs http"),
    (["--public-address", "https://class.example.org/hub"], "--public-address: got https://class.example.org/hub"),
    (["--notebooks", "/no/such"], "There is no lesson in /no/such"),
    (["--certificate", "/etc/passwd"], "--certificate and --key belong together"),
    (["--certificate", "/no/such", "--key", "/no/such"], "There is no file /no/such"),
    (["--class-list", "/no/such.csv"], "/no/such.csv"),
])
def test_choices_no_class_can_have_are_refused_before_anything_is_done(tmp_path, monkeypatch, capsys, options, told):
    monkeypatch.setattr(classroom.install, "system_packages", lambda: pytest.fail("installing"))
    monkeypatch.setattr(classroom.install, "open_to_all", lambda path: True)
    assert classroom.main(["setup", "--folder", str(tmp_path), "--language", "en", *options]) == 1
    assert told in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


@pytest.mark.parametrize("command", [["setup"], ["start"], ["stop"], ["update"], ["backup", "x"], ["remove", "--yes"],
                                     ["restore", "x"], ["remove-student", "s01", "--yes"]])
def test_only_the_administrator_may(command, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(classroom.os, "geteuid", lambda: 1000)
    assert classroom.main([command[0], "--folder", str(tmp_path), *command[1:]]) == 1
    assert "sudo" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(bool(impossible()), reason=impossible())
def test_what_was_not_set_up_cannot_be_started(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert classroom.main(["start", "--folder", str(tmp_path)]) == 1
    assert f"Nothing is set up in {tmp_path} yet. Run setup first." in capsys.readouterr().err
