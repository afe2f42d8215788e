"""A student without a browser: signs in over HTTP, starts the server, opens notebooks over the kernels' websockets."""

import asyncio
import json
import re
import time
import uuid
from contextlib import suppress

import httpx
from jupyter_server.services.kernels.connection.base import deserialize_binary_message
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

TURN = 0.4  # seconds between two looks at a page that is waited for


class Refused(Exception):
    """The hub or a server said no; ``status`` is the HTTP status."""

    def __init__(self, response: httpx.Response):
        request = response.request
        super().__init__(f"{response.status_code} {request.method} {request.url} {response.text[:300]}")
        self.status, self.text = response.status_code, response.text
        is_json = response.headers.get("content-type", "").startswith("application/json")
        self.message = response.json().get("message") if is_json else None


class Student:
    """One browser, with its cookies."""

    def __init__(self, url: str, name: str, password: str = ""):
        self.url, self.name, self.password = url, name, password
        self.http = httpx.AsyncClient(base_url=url, follow_redirects=True, timeout=120, trust_env=False)
        self.kernels: list[Kernel] = []

    @property
    def server(self) -> str:
        return f"/user/{self.name}"

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.close()

    async def close(self) -> None:
        for kernel in self.kernels:
            kernel.close()
        await self.http.aclose()

    async def sign_in(self) -> httpx.Response:
        """Fill in the form of the login page; Refused where it is shown again."""
        page = await self.http.get("/hub/login")
        form = {"username": self.name, "password": self.password, "_xsrf": self.xsrf("/hub/")}
        answer = await self.http.post("/hub/login", data=form, follow_redirects=False)
        if answer.status_code != 302:
            raise Refused(answer)
        return page

    async def start_server(self, seconds: float = 180) -> float:
        """Go where signing in leads, until JupyterLab's page is there; how long that took, in seconds."""
        began = time.monotonic()
        page = await self.http.get("/hub/spawn")
        while not (page.status_code == 200 and page.url.path.startswith(f"{self.server}/lab")):
            if page.status_code >= 400:
                raise Refused(page)
            if time.monotonic() - began > seconds:
                raise TimeoutError(f"{self.name}: no JupyterLab after {seconds} s, but {page.url}")
            await asyncio.sleep(TURN)
            page = await self.http.get(self.server + "/lab" if "spawn-pending" in page.url.path else page.url)
        self.page = page
        return time.monotonic() - began

    async def fetch_scripts(self) -> int:
        """What JupyterLab's page loads before it shows anything, as a browser does that has nothing stored; bytes."""
        size = 0
        for source in re.findall(r'<script[^>]* src="([^"]+)"', self.page.text):
            answer = await self.http.get(source)
            if answer.status_code != 200:
                raise Refused(answer)
            size += len(answer.content)
        return size

    def xsrf(self, path: str) -> str:
        """The token that the page of ``path`` would send back."""
        return next((cookie.value for cookie in self.http.cookies.jar
                     if cookie.name == "_xsrf" and cookie.path == path), "")

    async def api(self, method: str, path: str, **more) -> httpx.Response:
        """A call of the own server's interface, as its page makes it; Refused for 4xx and 5xx."""
        answer = await self.http.request(method, f"{self.server}/api/{path}", headers={
            "X-XSRFToken": self.xsrf(f"{self.server}/")}, **more)
        if answer.status_code >= 400:
            raise Refused(answer)
        return answer

    async def read(self, path: str) -> dict:
        return (await self.api("GET", f"contents/{path}")).json()["content"]

    async def open(self, path: str) -> "Kernel":
        """Open a notebook with a kernel of its own."""
        session = (await self.api("POST", "sessions", json={
            "path": path, "name": path.rsplit("/", 1)[-1], "type": "notebook", "kernel": {"name": "python3"}})).json()
        kernel = Kernel(self, session["kernel"]["id"])
        self.kernels.append(kernel)
        await kernel.connect()
        return kernel

    async def terminal(self, line: str, seconds: float = 20) -> str:
        """What a terminal shows after a line was typed into it, up to its end."""
        name = (await self.api("POST", "terminals")).json()["name"]
        path = f"{self.server}/terminals/websocket/{name}"
        address = self.url.replace("http", "ws", 1) + path
        socket = await websocket_connect(HTTPRequest(address, headers={
            "Cookie": self.cookies(path), "Origin": self.url}))
        socket.write_message(json.dumps(["stdin", f"{line}; exit\r"]))
        shown = ""
        async with asyncio.timeout(seconds):
            while (frame := await socket.read_message()) is not None:
                kind, *content = json.loads(frame)
                if kind == "disconnect":
                    break
                shown += content[0] if kind == "stdout" else ""
        return shown

    def cookies(self, path: str) -> str:
        """The Cookie header a browser would send to ``path``."""
        request = self.http.build_request("GET", path)
        return request.headers.get("cookie", "")


class Kernel:
    """A kernel as the page has it: cells are run in order, widgets are models with a state."""

    def __init__(self, student: Student, number: str):
        self.student, self.id, self.session = student, number, uuid.uuid4().hex
        self.models: dict[str, dict] = {}  # comm_id -> state
        self.waiting: dict[str, asyncio.Queue] = {}  # msg_id -> its messages
        self.restarts = 0

    async def connect(self) -> None:
        path = f"{self.student.server}/api/kernels/{self.id}/channels?session_id={self.session}"
        headers = {"Cookie": self.student.cookies(path), "Origin": self.student.url}
        address = self.student.url.replace("http", "ws", 1) + path
        self.socket = await websocket_connect(HTTPRequest(address, headers=headers, request_timeout=120),
                                              max_message_size=1 << 28)
        self.reader = asyncio.create_task(self._read())

    def close(self) -> None:
        if hasattr(self, "socket"):
            self.reader.cancel()
            self.socket.close()

    async def run(self, code: str, seconds: float = 120) -> dict:
        """Run one cell; its reply, with "outputs" as a list of messages' contents."""
        sent = self.send("shell", "execute_request", {
            "code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False,
            "stop_on_error": True})
        reply, outputs, idle = None, [], False
        async with asyncio.timeout(seconds):
            while reply is None or not idle:
                message = await self.waiting[sent].get()
                kind, content = message["msg_type"], message["content"]
                if kind == "execute_reply":
                    reply = content
                elif kind == "status" and content["execution_state"] == "idle":
                    idle = True
                elif kind in ("stream", "display_data", "execute_result", "error"):
                    outputs.append(content)
        del self.waiting[sent]
        return reply | {"outputs": outputs}

    async def run_all(self, notebook: dict) -> None:
        """All code cells; AssertionError at the first that fails."""
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code" and (code := "".join(cell["source"])).strip():
                reply = await self.run(code)
                assert reply["status"] == "ok", (self.student.name, cell["id"], reply.get("evalue"))

    async def move(self, slider: str, value: float, watched: str, seconds: float = 30) -> float:
        """Move a slider and wait for new numbers in the panel ``watched``; the seconds until they came.

        Returns only when the kernel is idle again: until then the page does not send another value.
        """
        began = time.perf_counter()
        sent = self.send("shell", "comm_msg", {"comm_id": slider, "data": {
            "method": "update", "state": {"value": value}, "buffer_paths": []}})
        took = None
        async with asyncio.timeout(seconds):
            while True:
                message = await self.waiting[sent].get()
                content = message["content"]
                if message["msg_type"] == "comm_msg" and content["comm_id"] == watched and (
                        "cells" in content["data"].get("state", {})):
                    took = took or time.perf_counter() - began
                if message["msg_type"] == "status" and content["execution_state"] == "idle":
                    break
        del self.waiting[sent]
        if took is None:
            raise AssertionError(f"{self.student.name}: no new numbers for {value}")
        return took

    async def printed(self, code: str, seconds: float = 120) -> str:
        """What a cell prints, which may come in several pieces; AssertionError where it fails."""
        reply = await self.run(code, seconds)
        assert reply["status"] == "ok", reply
        return "".join(output["text"] for output in reply["outputs"] if output.get("name") == "stdout")

    def named(self, model_name: str, module: str = "") -> list[str]:
        """The comm ids of all models whose ``_model_name`` or ``_anywidget_id`` ends so, oldest first."""
        return [number for number, state in self.models.items()
                if str(state.get("_anywidget_id") or state.get("_model_name", "")).endswith(model_name)]

    def send(self, channel: str, kind: str, content: dict) -> str:
        number = uuid.uuid4().hex
        self.waiting[number] = asyncio.Queue()
        header = {"msg_id": number, "msg_type": kind, "session": self.session, "username": "", "version": "5.3",
                  "date": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())}
        message = {"channel": channel, "header": header, "parent_header": {}, "metadata": {}, "content": content,
                   "buffers": []}
        self.socket.write_message(json.dumps(message))
        return number

    async def _read(self) -> None:
        while (frame := await self.socket.read_message()) is not None:
            message = json.loads(frame) if isinstance(frame, str) else deserialize_binary_message(frame)
            kind, content = message["header"]["msg_type"], message["content"]
            message["msg_type"] = kind
            if kind == "comm_open":
                self.models[content["comm_id"]] = dict(content["data"].get("state", {}))
            elif kind == "comm_msg":
                self.models.get(content["comm_id"], {}).update(content["data"].get("state") or {})
            elif kind == "status" and content["execution_state"] in ("restarting", "autorestarting"):
                self.restarts += 1
            with suppress(KeyError):
                self.waiting[message["parent_header"]["msg_id"]].put_nowait(message)


def passwords(slips: str) -> dict[str, str]:
    """Account -> password, read from the page of slips."""
    cells = re.findall(r"<dd>(.*?)</dd>", slips)
    return {cells[i + 1]: cells[i + 2] for i in range(0, len(cells), 3)}
