"""The teacher's update reaches students who ran, edited, deleted: without a conflict, and nothing of theirs is lost."""

import asyncio
import copy
import json
import re
import shutil
from html import unescape

import nbformat
import pytest
from client import Refused
from room import ROOT

FOLDER = "attention/notebooks/zh"


@pytest.fixture(scope="module")
def source(room, tmp_path_factory):
    """The teacher's copy of the lesson, to be changed; at the end all is handed out as it was."""
    folder = tmp_path_factory.mktemp("teacher") / "notebooks"
    for language in ("zh", "en"):
        shutil.copytree(ROOT / "notebooks" / language, folder / language)
    yield folder
    room.run("update", "--notebooks", str(ROOT / "notebooks"))
    assert room.settings.notebooks == ""


def change(path, edit):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    edit(notebook["cells"])
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def cell(number, text):
    return {"cell_type": "markdown", "id": number, "metadata": {}, "source": text}


def at(notebook, number):
    """The cell of this id, None where there is none."""
    return next((one for one in notebook["cells"] if one.get("id") == number), None)


async def save(student, path, notebook):
    await student.api("PUT", f"contents/{path}", json={"type": "notebook", "format": "json", "content": notebook})


async def names(student, folder):
    return {one["name"] for one in await student.read(folder)}


async def follow_link(room, student, **more):
    """What the link to the teacher's update does, as its page does it; the last message of the stream."""
    answer = await student.http.get(f"{student.server}/git-pull/api", params={
        "repo": f"file://{room.place.handout}", "branch": "main", "targetpath": "attention", **more})
    events = [json.loads(line.removeprefix("data: ")) for line in answer.text.splitlines() if line.startswith("data: ")]
    assert events[-1]["phase"] == "finished", events
    return events


def test_signing_in_leads_to_the_first_notebook_in_the_language_of_the_class(room):
    async def come():
        async with room.student(3) as student:
            await student.sign_in()
            await student.start_server()
            page = await student.http.get(f"{student.server}/")
            assert page.url.path == f"{student.server}/lab/tree/{FOLDER}/00_start.ipynb"
            assert (await student.read(f"{FOLDER}/00_start.ipynb"))["cells"]
            answer = await student.api("GET", "contents/pristine/notebooks/zh/00_start.ipynb")
            assert answer.json()["writable"] is False

    asyncio.run(come())


def test_an_update_takes_nothing_away_and_gives_everything(room, source):
    async def work():
        async with room.student(3) as student:
            await student.sign_in()
            await student.start_server()
            before = {number: await student.read(f"{FOLDER}/{name}.ipynb") for number, name in LESSONS.items()}
            await _student_works(student, copy.deepcopy(before))
            _teacher_works(source, before)
            told = room.run("update", "--notebooks", str(source)).stdout
            assert "notebooks/zh/01_classroom.ipynb" in told
            await follow_link(room, student)
            await _all_is_there(student, before)
            await follow_link(room, student)
            await _all_is_there(student, before)

    asyncio.run(work())


LESSONS = {1: "01_classroom", 2: "02_qkv", 3: "03_scores", 4: "04_scaling", 5: "05_softmax", 6: "06_output"}


def _code(notebook, number=1):
    return [one for one in notebook["cells"] if one["cell_type"] == "code"][number]


async def _student_works(student, lesson):
    _code(lesson[1])["outputs"] = [nbformat.v4.new_output("stream", text="what it printed for me\n")]
    _code(lesson[1])["execution_count"] = 7
    _code(lesson[2])["source"] = "answer = 42  # 我的答案"
    lesson[2]["cells"][-1]["source"] = "my own summary"
    del lesson[3]["cells"][2:4]
    lesson[5]["cells"].append(cell("mine", "my last word"))
    lesson[5]["cells"].insert(3, cell("mine-too", "my question"))
    for number in (1, 2, 3, 5):
        await save(student, f"{FOLDER}/{LESSONS[number]}.ipynb", lesson[number])
    await student.api("DELETE", f"contents/{FOLDER}/{LESSONS[4]}.ipynb")
    await student.api("PATCH", f"contents/{FOLDER}/{LESSONS[6]}.ipynb", json={"path": f"{FOLDER}/my own 06.ipynb"})
    own = [cell("x", "mine, with a name the teacher takes")]
    await save(student, f"{FOLDER}/90_extra.ipynb", lesson[1] | {"cells": own})


def _teacher_works(source, before):
    for number, name in LESSONS.items():
        change(source / "zh" / f"{name}.ipynb", lambda cells, number=number: cells.insert(
            1, cell("new", f"the teacher's new words in {number}")))
    change(source / "zh" / f"{LESSONS[1]}.ipynb", lambda cells: cells[0].update(source="a better title"))
    change(source / "zh" / f"{LESSONS[2]}.ipynb", lambda cells: cells[-1].update(source="the teacher's summary"))
    change(source / "zh" / f"{LESSONS[5]}.ipynb", lambda cells: cells.append(cell("end", "the teacher's last word")))
    (source / "zh" / "90_extra.ipynb").write_text(json.dumps(nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("the teacher's", id="t")])), encoding="utf-8")
    (source / "zh" / "07_playground.ipynb").unlink()


async def _all_is_there(student, before):
    files = await names(student, FOLDER)
    now = {number: await student.read(f"{FOLDER}/{name}.ipynb") for number, name in LESSONS.items()}
    for number, notebook in now.items():
        nbformat.validate(nbformat.from_dict(notebook))
        assert at(notebook, "new")["source"] == f"the teacher's new words in {number}"
    ran = at(now[1], _code(before[1])["id"])
    assert (ran["execution_count"], ran["outputs"][0]["text"]) == (7, "what it printed for me\n")
    assert now[1]["cells"][0]["source"] == "a better title"
    assert at(now[2], _code(before[2])["id"])["source"] == "answer = 42  # 我的答案"
    assert at(now[2], before[2]["cells"][-1]["id"])["source"] == "my own summary"
    assert at(now[3], before[3]["cells"][2]["id"]) is None
    assert len(now[4]["cells"]) == len(before[4]["cells"]) + 1
    assert [one["source"] for one in now[5]["cells"] if one["id"] in ("mine", "mine-too", "end")] == [
        "my question", "the teacher's last word", "my last word"]
    assert at(await student.read(f"{FOLDER}/my own 06.ipynb"), before[6]["cells"][0]["id"])
    assert "07_playground.ipynb" not in files
    assert at(await student.read(f"{FOLDER}/90_extra.ipynb"), "t")
    kept = [name for name in files if name.startswith("90_extra__")]
    assert at(await student.read(f"{FOLDER}/{kept[0]}"), "x")["source"] == "mine, with a name the teacher takes"
    assert not [name for name in files if "orig" in name or "conflict" in name.lower()]


def test_a_pristine_copy_is_always_there(room, source):
    async def look():
        async with room.student(3) as student:
            await student.sign_in()
            await student.start_server()
            path = "notebooks/zh/02_qkv.ipynb"
            handed_out = json.loads((room.place.handout / path).read_text(encoding="utf-8"))["cells"]
            pristine = await student.read(f"pristine/{path}")
            assert [one["source"] for one in pristine["cells"]] == ["".join(one["source"]) for one in handed_out]
            with pytest.raises(Refused):
                await save(student, f"pristine/{path}", pristine | {"cells": []})
            with pytest.raises(Refused):
                await student.api("DELETE", f"contents/pristine/{path}")

            mine = await student.read(f"attention/{path}")
            assert mine["cells"] != pristine["cells"]
            await student.api("DELETE", f"contents/attention/{path}")
            await follow_link(room, student)
            assert (await student.read(f"attention/{path}"))["cells"] == pristine["cells"]

            await save(student, f"attention/{path}", mine)
            await follow_link(room, student, backup="true")
            assert (await student.read(f"attention/{path}"))["cells"] == pristine["cells"]
            kept = [name for name in await names(student, "") if name.startswith("attention_backup_")]
            assert (await student.read(f"{kept[0]}/{path}"))["cells"] == mine["cells"]

    asyncio.run(look())


def test_the_links_of_the_home_page_lead_to_the_update_and_to_a_fresh_copy(room):
    async def look():
        async with room.student(3) as student:
            await student.sign_in()
            await student.start_server()
            page = (await student.http.get("/hub/home")).text
            links = {words: unescape(link) for link, words in re.findall(
                r'<a role="button"[^>]*href="([^"]+)">([^<]+)</a>', page)}
            assert list(links) == ["领取老师的更新", "全部重新开始"]
            assert "backup=true" in links["全部重新开始"]
            for link in links.values():
                there = await student.http.get(link)
                assert there.url.path == f"{student.server}/git-pull"
                asked = dict(there.url.params)
                assert asked["repo"] == f"file://{room.place.handout}"
                assert asked["urlpath"] == f"lab/tree/{FOLDER}/00_start.ipynb"
                await follow_link(room, student, **asked)

    asyncio.run(look())


def test_nothing_new_says_so_and_a_folder_without_a_lesson_is_refused(room, source, tmp_path):
    assert room.run("update", "--notebooks", str(source)).stdout.strip() == "课程没有变化。"
    # The folder is remembered, also by setup.
    assert room.run("update").stdout.strip() == "课程没有变化。"
    room.run("setup")
    assert room.run("update").stdout.strip() == "课程没有变化。"
    assert room.settings.notebooks == str(source)
    failed = room.run("update", "--notebooks", str(tmp_path), check=False)
    assert failed.returncode == 1
    assert f"{tmp_path} 里没有课程" in failed.stderr
    assert room.settings.notebooks == str(source)
