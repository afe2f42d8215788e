"""This machine: the language its user reads, and a browser for the tests."""

import os
import shutil
import sys
from pathlib import Path

_CHINESE = 0x04  # primary language identifier of Windows
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "msedge")
_MAC = ("Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome",
        "Microsoft Edge.app/Contents/MacOS/Microsoft Edge")
_WINDOWS = ("Google/Chrome/Application/chrome.exe", "Chromium/Application/chrome.exe",
            "Microsoft/Edge/Application/msedge.exe")


def user_language() -> str:
    """"zh" where the user's machine speaks Chinese, "en" everywhere else."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith(("zh", "chinese")) else "en"
    if sys.platform == "win32":
        import ctypes

        return "zh" if ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF == _CHINESE else "en"
    return "en"


def find_browser() -> str | None:
    """Path of a Chromium, Chrome or Edge; None where there is none. ATTENTION_CHROMIUM names one to be used."""
    if chosen := os.environ.get("ATTENTION_CHROMIUM"):
        return shutil.which(chosen)
    for name in _NAMES:
        if found := shutil.which(name):
            return found
    folders, inside = [], ()
    if sys.platform == "darwin":
        folders, inside = [Path("/Applications"), Path.home() / "Applications"], _MAC
    elif sys.platform == "win32":
        roots = (os.environ.get(name) for name in ("ProgramFiles", "ProgramFiles(x86)", "LocalAppData"))
        folders, inside = [Path(root) for root in roots if root], _WINDOWS
    return next((str(path) for path in (f / i for f in folders for i in inside) if path.is_file()), None)


def is_root() -> bool:
    """Whether the user is root, as so often in a container; never on Windows."""
    return getattr(os, "geteuid", lambda: 1)() == 0


def plain_console() -> None:
    """Let a console that lacks a character show a stand-in for it, rather than stop with UnicodeEncodeError."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
