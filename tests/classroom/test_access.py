"""Nobody gets at what is another's: not over the file system, not over HTTP, not by a trick."""

import asyncio
import re
import stat
from pathlib import Path

import httpx
import pytest
from client import Refused, Student
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.web import create_signed_value
from tornado.websocket import websocket_connect

LESSON = "attention/notebooks/zh/00_start.ipynb"


@pytest.fixture(scope="module")
def loop():
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture(scope="module")
def pair(room, loop):
    """Two students at work, each with a kernel: (Anna, Ben), and what Anna has to hide."""

    async def begin(student):
        await student.sign_in()
        await student.start_server()
        kernel = await student.open(LESSON)
        await kernel.run("import os, glob, socket, pathlib")
        return student

    async def both():
        return await asyncio.gather(begin(room.student(1)), begin(room.student(2)))

    anna, ben = loop.run_until_complete(both())
    yield anna, ben
    loop.run_until_complete(anna.close())
    loop.run_until_complete(ben.close())


@pytest.fixture(scope="module")
def hidden(pair, loop):
    """Anna's process, address, runtime files and token, as her own kernel knows them."""
    anna, _ = pair
    return loop.run_until_complete(seen(
        anna, "{'pid': os.getppid(), 'url': os.environ['JUPYTERHUB_SERVICE_URL'], "
              "'token': os.environ['JUPYTERHUB_API_TOKEN'], "
              "'sockets': glob.glob(os.environ['JUPYTER_RUNTIME_DIR'] + '/*-ipc-*')}"))


async def seen(student, expression):
    """The value of an expression in the student's kernel, which runs as the student's account."""
    return eval(await student.kernels[0].printed(f"print(repr({expression}))"))


def refusal(pair, loop, statement):
    """The name of the error that Ben's kernel answers with, "" for none."""
    return loop.run_until_complete(pair[1].kernels[0].run(statement)).get("ename", "")


def status(loop, coroutine):
    """The HTTP status, redirects to the hub's pages followed."""
    try:
        return loop.run_until_complete(coroutine).status_code
    except Refused as no:
        return no.status


def websocket_status(loop, student, path, origin=None, **headers):
    headers = {"Cookie": student.cookies(path), "Origin": origin or student.url} | headers
    address = student.url.replace("http", "ws", 1) + path

    async def knock():
        try:
            (await websocket_connect(HTTPRequest(address, headers=headers, follow_redirects=False))).close()
        except HTTPClientError as error:
            return error.code
        return 101

    return loop.run_until_complete(knock())


# Over the file system


@pytest.mark.parametrize("statement", [
    "os.listdir('/home/{anna}')",
    "open('/home/{anna}/attention/notebooks/zh/00_start.ipynb')",
    "os.listdir('/run/{name}-{anna}')",
    "open('/proc/{pid}/environ').read()",
    "os.kill({pid}, 9)",
    "s = socket.socket(socket.AF_UNIX); s.connect('{socket}')",
    "os.listdir('{folder}/private')",
    "open('{folder}/private/cookie_secret')",
    "open('{folder}/private/jupyterhub.sqlite')",
    "open('/etc/shadow')",
    "open('{folder}/venv/lib/x', 'w')",
    "open('{folder}/handout/notebooks/zh/x', 'w')",
    "open('{folder}/classroom/jupyterhub_config.py', 'a')",
    "import signal; os.setuid(0)",
])
def test_the_system_refuses_a_student_what_is_not_theirs(room, pair, loop, hidden, statement):
    statement = statement.format(anna=room.account(1), name=room.name, pid=hidden["pid"], socket=hidden["sockets"][0],
                                 folder=room.folder)
    assert refusal(pair, loop, statement) == "PermissionError"


def test_what_is_refused_to_one_is_there_for_the_other(room, pair, loop, hidden):
    assert len(hidden["sockets"]) == 5
    assert int(hidden["pid"]) > 1
    home = f"/home/{room.account(1)}"
    assert "attention" in loop.run_until_complete(seen(pair[0], f"os.listdir({home!r})"))


def test_no_process_tells_a_secret_in_its_arguments(room, pair, loop, hidden):
    everything = loop.run_until_complete(seen(
        pair[1], "' '.join(path.read_text() for path in pathlib.Path('/proc').glob('[0-9]*/cmdline'))"))
    assert "attention_lib.hub.singleuser" in everything
    secrets = [hidden["token"], *room.said.values(), *(room.place.secret(name) for name in (
        "proxy_token", "control_token", "idle_token", "cookie_secret"))]
    assert [secret for secret in secrets if secret in everything] == []


def test_a_kernel_listens_on_no_port_that_speaks_its_protocol(pair, loop):
    ports = loop.run_until_complete(seen(pair[0], "[__import__('json').load(open(p))['transport'] for p in "
                                                 "glob.glob(os.environ['JUPYTER_RUNTIME_DIR'] + '/kernel-*.json')]"))
    assert set(ports) == {"ipc"}


def test_files_with_secrets_are_closed_and_no_other_file_holds_one(room):
    private = room.place.private
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    modes = {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in private.iterdir()}
    assert {"cookie_secret", "proxy_token", "control_token", "jupyterhub.sqlite", "hub.log"} <= set(modes)
    assert set(modes.values()) == {"0o600"}
    assert room.slips_mode == 0o600
    told = "".join(path.read_text(encoding="utf-8") for path in (room.place.settings, room.place.gitconfig))
    for secret in ("proxy_token", "control_token", "idle_token", "cookie_secret"):
        assert len(room.place.secret(secret)) == 64
        assert room.place.secret(secret) not in told


def test_homes_are_closed_and_passwords_generated(room):
    for name in room.said:
        assert stat.S_IMODE(Path(f"/home/{name}").stat().st_mode) == 0o700
    assert len(room.said) == 6
    assert len(set(room.said.values())) == 6
    assert all(re.fullmatch("[a-hjkmnp-z2-9]{8}", password) for password in room.said.values())


# Over HTTP


def test_another_student_is_refused_everything_of_a_server(pair, loop):
    anna, ben = pair
    kernel = anna.kernels[0].id
    for path in ("api/contents/attention", "api/kernels", f"api/kernels/{kernel}", "api/sessions", "api/terminals",
                 "lab", f"files/{LESSON}"):
        assert status(loop, ben.http.get(f"{anna.server}/{path}")) == 403, path
    assert websocket_status(loop, ben, f"{anna.server}/api/kernels/{kernel}/channels") in (302, 403)
    assert websocket_status(loop, anna, f"{anna.server}/api/kernels/{kernel}/channels") == 101


def test_going_round_the_proxy_changes_nothing(pair, loop, hidden):
    _, ben = pair
    direct = f"{hidden['url'].rstrip('/')}/api/contents"
    assert direct.startswith("http://127.0.0.1:")
    for headers in ({}, {"Cookie": ben.cookies(f"{ben.server}/api")}, {"Authorization": "token 0"}):
        with httpx.Client(trust_env=False) as stranger:
            assert stranger.get(direct, headers=headers).status_code == 403


def test_anothers_token_opens_nothing(room, pair, loop, hidden):
    anna, ben = pair
    token = {"Authorization": f"token {hidden['token']}"}
    with httpx.Client(base_url=room.url, trust_env=False, headers=token) as holder:
        assert holder.get(f"{anna.server}/api/contents").status_code in (200, 403)
        assert holder.get(f"{ben.server}/api/contents").status_code == 403
        assert holder.get("/hub/api/users").status_code == 403
        assert holder.get(f"/hub/api/users/{ben.name}").status_code in (403, 404)
        assert holder.delete(f"/hub/api/users/{ben.name}/server").status_code in (403, 404)
        assert holder.post("/hub/api/shutdown").status_code == 403
        assert holder.get(f"http://127.0.0.1:{room.port + 2}/api/routes").status_code == 403


@pytest.mark.parametrize(("name", "password"), [
    ("{1}", ""), ("{1}", "{1}"), ("{1}", "password"), ("{1}", "{password of 2}"), ("root", ""), ("root", "root"),
    ("nobody", ""), ("{teacher}", "teacher"), ("", ""),
])
def test_a_wrong_password_is_refused_in_words(room, loop, name, password):
    fill = {"{1}": room.account(1), "{password of 2}": room.said[room.account(2)], "{teacher}": room.teacher}
    stranger = Student(room.url, fill.get(name, name), fill.get(password, password))
    with pytest.raises(Refused) as no:
        loop.run_until_complete(stranger.sign_in())
    assert no.value.status == 403
    assert "账号或密码不对，请对照密码条再输一次。" in no.value.text
    assert status(loop, stranger.http.get("/hub/home", follow_redirects=False)) == 302
    loop.run_until_complete(stranger.close())


def test_a_forged_cookie_is_refused(room, pair, loop):
    anna, _ = pair
    for path, kind in ((f"{anna.server}/api/contents", "jupyterhub-user-"), ("/hub/home", "jupyterhub-hub-login")):
        real = anna.cookies(path)
        name, value = re.search(rf"({kind}[^=]*)=([^;]+)", real).groups()
        forged = create_signed_value("0" * 64, name, "1", version=2).decode("ascii")
        altered = value.strip('"')[:-4] + "0000"
        for cookie in (forged, altered):
            with httpx.Client(base_url=room.url, trust_env=False) as stranger:
                got = stranger.get(path, headers={"Cookie": f'{name}="{cookie}"'})
            assert got.status_code in (302, 403), (path, got.status_code)
        with httpx.Client(base_url=room.url, trust_env=False) as herself:
            assert herself.get(path, headers={"Cookie": real}).status_code == 200


def test_another_site_can_make_a_browser_do_nothing(room, pair, loop):
    anna, _ = pair
    there = {"Origin": "http://elsewhere.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
    calls = [
        ("POST", f"{anna.server}/api/sessions"), ("POST", f"{anna.server}/api/terminals"),
        ("DELETE", f"{anna.server}/api/contents/{LESSON}"), ("PUT", f"{anna.server}/api/contents/x.txt"),
        ("POST", f"/hub/api/users/{anna.name}/tokens"), ("DELETE", f"/hub/api/users/{anna.name}/server"),
        ("POST", "/hub/login"), ("POST", f"/hub/spawn/{anna.name}"),
    ]
    with httpx.Client(base_url=room.url, trust_env=False) as browser:
        for method, path in calls:
            cookies = {"Cookie": anna.cookies(path)}
            assert browser.request(method, path, headers=cookies | there, json={}).status_code == 403, path
            assert browser.request(method, path, headers=cookies, json={}).status_code == 403, path
    kernel = f"{anna.server}/api/kernels/{anna.kernels[0].id}/channels"
    assert websocket_status(loop, anna, kernel, origin="http://elsewhere.example") == 403
    assert loop.run_until_complete(anna.read(LESSON))["nbformat"] == 4


def test_nobody_signs_up(room, loop):
    with httpx.Client(base_url=room.url, trust_env=False, follow_redirects=True) as stranger:
        assert stranger.get("/hub/signup").status_code == 404
        assert stranger.get("/hub/admin").url.path == "/hub/login"
        assert stranger.get("/hub/api/users").status_code == 403
        page = stranger.get("/hub/login").text
    assert "闲置 60 分钟" in page
    assert "亲手理解注意力" in page


def test_the_teacher_administers_but_does_not_look(room, pair, loop):
    anna, _ = pair
    teacher = Student(room.url, room.teacher, room.said[room.teacher])
    loop.run_until_complete(teacher.sign_in())
    assert status(loop, teacher.http.get("/hub/admin")) == 200
    users = loop.run_until_complete(teacher.http.get("/hub/api/users")).json()
    assert anna.name in [user["name"] for user in users]
    assert status(loop, teacher.http.get(f"{anna.server}/api/contents")) == 403
    page = loop.run_until_complete(teacher.http.get(f"{anna.server}/lab"))
    assert page.status_code == 403, (page.url, page.text)
    loop.run_until_complete(teacher.close())
