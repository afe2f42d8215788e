"""The server extension: TCP_NODELAY on the kernel websocket, and nothing else."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from attention_lib import server

PROBE = Path(__file__).parent / "server_probe.py"


def probe(config_dir, **environment):
    """What a real server in a process of its own did; its settings come from ``config_dir`` and the environment."""
    clean = {name: value for name, value in os.environ.items() if name != "ATTENTION_NODELAY"}
    done = subprocess.run([sys.executable, PROBE], capture_output=True, encoding="utf-8", timeout=120, cwd=config_dir,
                          env=clean | {"JUPYTER_CONFIG_DIR": str(config_dir)} | environment, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def test_installing_the_package_sets_nodelay_on_the_accepted_websocket(tmp_path):
    seen, log = probe(tmp_path)
    assert seen["nodelay"] is True
    assert seen["reply"] == "kernel_info_reply"
    assert "attention_lib.server" in seen["extensions"]
    assert "attention_lib.server: " not in log


def test_switched_off_by_the_environment(tmp_path):
    seen, _ = probe(tmp_path, ATTENTION_NODELAY="0")
    assert seen["nodelay"] is False
    assert seen["reply"] == "kernel_info_reply"


def test_switched_off_in_jupyters_settings(tmp_path):
    """As ``jupyter server extension disable`` writes it, but in a folder of this test's own."""
    settings = tmp_path / "first" / "jupyter_server_config.d" / "attention_lib.server.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"ServerApp": {"jpserver_extensions": {"attention_lib.server": False}}}), "utf-8")
    seen, _ = probe(tmp_path, JUPYTER_CONFIG_PATH=str(tmp_path / "first"))
    assert seen["nodelay"] is False


def test_an_unknown_server_gets_one_log_line_and_no_change(caplog):
    settings = {"other": 1}
    app = SimpleNamespace(web_app=SimpleNamespace(settings=settings), log=logging.getLogger("server"))
    server._load_jupyter_server_extension(app)
    assert settings == {"other": 1}
    assert len(caplog.records) == 1
    assert "nothing changed" in caplog.text


class Connection:
    """As a server's connection class: made with its websocket handler, ``connect`` returns something to wait for."""

    def __init__(self, websocket_handler):
        self.websocket_handler = websocket_handler

    def connect(self):
        return "connected"


def test_connect_returns_what_the_servers_own_class_returns():
    set_to = []
    handler = SimpleNamespace(set_nodelay=set_to.append)
    made = server.without_delay(Connection, logging.getLogger("server"))(handler)
    assert isinstance(made, Connection)
    assert made.connect() == "connected"
    assert set_to == [True]


@pytest.mark.parametrize("handler", [SimpleNamespace(), SimpleNamespace(set_nodelay=lambda _: 1 / 0)])
def test_a_websocket_that_cannot_be_set_works_and_is_noted_once(handler, caplog):
    made = server.without_delay(Connection, logging.getLogger("server"))
    assert [made(handler).connect() for _ in range(3)] == ["connected"] * 3
    assert len(caplog.records) == 1


def test_the_server_is_not_slowed_by_the_lessons_libraries():
    heavy = "{'numpy', 'matplotlib', 'ipywidgets', 'traitlets'}"
    code = f"import sys, attention_lib.server; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "set()"
