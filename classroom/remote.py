"""Keeps the accounts of a class out of an SSH server, where the machine has one. Standard library only."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

from settings import Settings, write

FOLDER = Path("/etc/ssh/sshd_config.d")
_PID = Path("/run/sshd.pid")
_SYSTEMD = Path("/run/systemd/system")


def refuse(settings: Settings) -> None:
    """Have the SSH server refuse the group: an account without a shell could still be used to forward ports."""
    rules = f"# Made by classroom.py, taken away by its remove.\nDenyGroups {settings.name}\n"
    file = _file(settings)
    if not shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin") or not FOLDER.is_dir():
        return
    if not file.exists() or file.read_text(encoding="utf-8") != rules:
        write(file, rules, 0o644)
        _reload()


def allow(settings: Settings) -> None:
    """Take that away again."""
    if _file(settings).exists():
        _file(settings).unlink()
        _reload()


def _file(settings: Settings) -> Path:
    return FOLDER / f"{settings.name}.conf"


def _reload() -> None:
    """The running server reads its rules anew; sessions that are open go on."""
    if _SYSTEMD.is_dir():
        subprocess.run(["systemctl", "try-reload-or-restart", "ssh"], check=False, capture_output=True)
    elif _PID.exists():
        os.kill(int(_PID.read_text(encoding="ascii")), signal.SIGHUP)
