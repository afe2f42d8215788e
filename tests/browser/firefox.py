"""Firefox as it is installed, driven over WebDriver BiDi (W3C), of which only these few commands are needed.

Playwright brings a Firefox of its own making, and its way to an ordinary one asks for more than a Firefox ESR knows.
"""

import base64
import itertools
import json
import re
import shutil
import subprocess
import time
from pathlib import Path

import websocket

KEYS = {"ArrowRight": "\ue014", "Enter": "\ue007", "Home": "\ue011", "Tab": "\ue004"}


def find_firefox() -> str | None:
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """One window of a headless Firefox with an empty profile in ``folder``."""

    def __init__(self, folder: Path, width: int = 1366, height: int = 900):
        profile = folder / "profile"
        profile.mkdir()
        self.log = folder / "firefox.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [find_firefox(), "--headless", "--remote-debugging-port=0", "--profile", str(profile), "about:blank"],
                stdout=log, stderr=subprocess.STDOUT)
        self.numbers = itertools.count(1)
        self.socket = websocket.create_connection(f"{self._address()}/session", timeout=120, suppress_origin=True)
        self.send("session.new", capabilities={})
        # Unlike the first window, one opened by command has the focus, without which JupyterLab has no current tab.
        self.page = self.send("browsingContext.create", type="window")["context"]
        self.send("browsingContext.setViewport", context=self.page, viewport={"width": width, "height": height})

    def _address(self):
        for _ in range(600):
            said = re.search(r"WebDriver BiDi listening on (ws://\S+)", self.log.read_text())
            if said:
                return said[1]
            time.sleep(0.1)
        raise RuntimeError(self.log.read_text())

    def send(self, method: str, **parameters) -> dict:
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == number:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['message']}")
                return answer["result"]

    def goto(self, url: str) -> None:
        self.send("browsingContext.navigate", context=self.page, url=url, wait="complete")

    def evaluate(self, expression: str):
        """The value of a JavaScript expression; a promise is awaited."""
        wrapped = f"(async () => JSON.stringify((await ({expression})) ?? null))()"
        result = self.send("script.evaluate", expression=wrapped, target={"context": self.page}, awaitPromise=True)
        if result["type"] != "success":
            raise RuntimeError(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])

    def wait_for(self, expression: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.1)

    def press(self, *keys: str) -> None:
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self.send("input.performActions", context=self.page,
                  actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def type(self, text: str) -> None:
        self.press(*text)

    def drag(self, x: float, y: float, *points: tuple[float, float]) -> None:
        """Press the mouse at (x, y), move over ``points``, release; without points, a click."""
        moves = [{"type": "pointerMove", "x": round(a), "y": round(b), "duration": 30} for a, b in points]
        actions = [{"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0},
                   *moves, {"type": "pointerUp", "button": 0}]
        self.send("input.performActions", context=self.page,
                  actions=[{"type": "pointer", "id": "mouse", "actions": actions}])

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.send("browsingContext.captureScreenshot", context=self.page)["data"]))

    def close(self) -> None:
        self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
