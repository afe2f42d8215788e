"""``python -m attention_lib.doctor``: what is missing on this machine or of the wrong version, and what to do.

Standard library only, so that it can speak where everything else is missing.
"""

import argparse
import importlib.metadata
import json
import os
import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from . import language
from .language import LANGUAGES, say
from .machine import find_browser, plain_console, user_language

DISTRIBUTION = "attention-lib"
PACKAGE = Path(__file__).resolve().parent
EXTENSION = "attention_lib.server"
FRONT_ENDS = {"ipywidgets": "@jupyter-widgets/jupyterlab-manager", "anywidget": "anywidget"}
# Imported by every lesson; a file of such a name in the working folder would be imported in its place.
_IMPORTED = {"attention_lib", "numpy", "ipywidgets", "matplotlib", "anywidget", "tqdm", "traitlets", "IPython",
             "ipykernel", "jupyterlab", "nbval", "comm", "PIL"}
_SERVERS = {"lab", "labhub", "server", "notebook", "singleuser"}


class Finding(NamedTuple):
    """One thing looked at. A note (``needed`` False) is worth saying, but nothing fails for it."""

    ok: bool
    text: str
    needed: bool = True


def missing() -> list[str]:
    """What the lesson needs and this kernel lacks, one sentence each; empty when all is well. Takes milliseconds."""
    return _advised(list(_quick(_server_prefix())))


def examine() -> list[Finding]:
    """Everything the doctor looks at, in the order it is told."""
    prefix = _server_prefix()
    return [*_quick(prefix), *_disabled(), *_other_jupyter(prefix), _speed(prefix or Path(sys.prefix)), _browser()]


def main(arguments: list[str] | None = None) -> int:
    """Print every finding; 0 when nothing needed is missing, else 1."""
    plain_console()
    language.choose(user_language())
    parser = argparse.ArgumentParser(prog="python -m attention_lib.doctor", description=say("doctor.description"))
    parser.add_argument("--language", choices=LANGUAGES, default=language.chosen())
    language.choose(parser.parse_args(arguments).language)
    print(say("doctor.title", python=sys.executable))
    findings = examine()
    for finding in findings:
        mark = "doctor.ok" if finding.ok else "doctor.bad" if finding.needed else "doctor.note"
        print(f"  {say(mark)}  {finding.text}")
    bad = _advised(findings)
    print(bad[-1] if bad else say("doctor.all_well"))
    return int(bool(bad))


def _advised(findings: list[Finding]) -> list[str]:
    bad = [finding.text for finding in findings if finding.needed and not finding.ok]
    return [*bad, say("doctor.advice", python=sys.executable)] if bad else []


def _quick(server_prefix: Path | None) -> Iterator[Finding]:
    try:
        wanted = _metadata(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        yield Finding(False, say("doctor.not_installed", name=DISTRIBUTION))
        return
    python = ".".join(map(str, sys.version_info[:3]))
    yield _version("Python", python, *wanted["Requires-Python"])
    for line in wanted["Requires-Dist"]:
        name, specifier = re.fullmatch(r"([\w.-]+)\s*\(?([^;)]*)\)?.*", line).groups()
        yield _package(name, specifier.strip())
    yield from _front_ends(server_prefix)
    yield from _shadows()
    fonts = any(path.suffix in (".otf", ".ttf", ".ttc") for path in (PACKAGE / "fonts").glob("*"))
    yield Finding(fonts, say("doctor.font" if fonts else "doctor.no_font", folder=PACKAGE / "fonts"))


def _metadata(name: str) -> dict[str, list[str]]:
    """Headers of an installed distribution's metadata, without the parser for its long description (it takes longer
    than all the rest together).
    """
    text = importlib.metadata.distribution(name).read_text("METADATA") or ""
    headers = defaultdict(list)
    for key, value in re.findall(r"^([\w-]+): *(.*)$", text.split("\n\n", 1)[0], re.MULTILINE):
        headers[key].append(value)
    return headers


def _package(name: str, specifier: str) -> Finding:
    try:
        return _version(name, _metadata(name)["Version"][0], specifier)
    except importlib.metadata.PackageNotFoundError:
        return Finding(False, say("doctor.absent", name=name, needs=specifier))


def _version(name: str, found: str, specifier: str) -> Finding:
    ok = fits(found, specifier)
    return Finding(ok, say("doctor.version" if ok else "doctor.wrong_version", name=name, found=found, needs=specifier))


def fits(found: str, specifier: str) -> bool:
    """Whether a version meets "~=4.6", ">=3.11" or several such joined by commas, the forms pyproject.toml uses.

    ValueError for any other form.
    """
    for part in filter(None, specifier.replace(" ", "").split(",")):
        operator, wanted = part[:2], _numbers(part[2:])
        if operator not in ("~=", ">="):
            raise ValueError(f"specifier: got {part!r}, needs ~= or >=")
        if _numbers(found) < wanted or (operator == "~=" and _numbers(found)[:len(wanted) - 1] != wanted[:-1]):
            return False
    return True


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.match(r"\d+(\.\d+)*", version)[0].split(".")]


def _front_ends(server_prefix: Path | None) -> Iterator[Finding]:
    """Sliders are drawn by what is installed beside the server, which may live in another environment (a class hub)."""
    prefix = server_prefix or Path(sys.prefix)
    for package, folder in FRONT_ENDS.items():
        ok = any((place / folder / "package.json").is_file() for place in _extension_folders(prefix))
        text = "doctor.front_end" if ok else "doctor.no_front_end_elsewhere" if server_prefix else "doctor.no_front_end"
        yield Finding(ok, say(text, package=package, prefix=prefix))


def _extension_folders(prefix: Path) -> Iterator[Path]:
    yield prefix / "share" / "jupyter" / "labextensions"
    try:
        from jupyter_core.paths import jupyter_path
    except ImportError:
        return
    yield from (Path(path) for path in jupyter_path("labextensions") if not Path(path).is_relative_to(sys.prefix))


def _server_prefix() -> Path | None:
    """The environment of the Jupyter server above this process, where it is not this one; else None."""
    if "JPY_PARENT_PID" not in os.environ:
        return None
    try:
        prefix = next(filter(None, map(server_environment, _commands_above())), None)
    except Exception:  # psutil is missing, or the machine does not show other processes: nothing to tell
        return None
    return None if prefix is None or _same(prefix, Path(sys.prefix)) else prefix


def _commands_above() -> list[list[str]]:
    """Command lines of the processes above this kernel, or of its server alone, where the system has it in a file."""
    told = Path(f"/proc/{os.environ['JPY_PARENT_PID']}/cmdline")
    if told.is_file():
        return [told.read_text(encoding="utf-8", errors="surrogateescape").split("\0")]
    import psutil

    return [process.cmdline() for process in psutil.Process().parents()]


def server_environment(command: list[str]) -> Path | None:
    """The environment folder of a process that is a Jupyter server started by an absolute path; else None."""
    words = [re.sub(r"(-script)?\.(exe|pyw?)$", "", Path(word).name.lower()) for word in command[:4]]
    spelled = " ".join(words).replace("_", "-").replace("jupyterlab", "jupyter-lab").replace("jupyter ", "jupyter-")
    if not re.search(rf"\bjupyter(hub)?[-.]({'|'.join(_SERVERS)})\b", spelled) and "-m notebook" not in spelled:
        return None
    python = Path(command[0])
    if not python.is_absolute():
        return None
    in_folder = python.parent.name.lower() in ("bin", "scripts")
    return python.parent.parent if in_folder else python.parent


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return one == other


def _shadows() -> Iterator[Finding]:
    """Files of the working folder that would be imported in place of a library."""
    try:
        here = Path.cwd()
        paths = sorted(here.iterdir()) if {"", str(here)} & set(sys.path[:2]) else []
    except OSError:  # the folder is gone, or may not be listed: nothing is imported from it
        return
    names = _IMPORTED | sys.stdlib_module_names
    for path in paths:
        is_module = path.suffix == ".py" or (path / "__init__.py").is_file()
        if path.stem in names and is_module and path.resolve() != PACKAGE:
            yield Finding(False, say("doctor.shadow", path=path, name=path.stem))


def _disabled() -> Iterator[Finding]:
    """Front ends that are installed, but switched off in JupyterLab's settings."""
    try:
        from jupyter_core.paths import jupyter_path
        from jupyterlab_server.config import get_page_config

        disabled = get_page_config(jupyter_path("labextensions")).get("disabledExtensions", {})
    except Exception as error:
        yield Finding(False, say("doctor.not_seen", error=f"{type(error).__name__}: {error}"), needed=False)
        return
    for package, extension in FRONT_ENDS.items():
        if any(name.split(":")[0] == extension for name in disabled):
            yield Finding(False, say("doctor.disabled", package=package, extension=extension))


def _other_jupyter(server_prefix: Path | None) -> Iterator[Finding]:
    """Say so when this kernel's server, or the "jupyter" one would type, belongs to another environment."""
    if server_prefix:
        yield Finding(False, say("doctor.other_server", server=server_prefix, kernel=sys.prefix), needed=False)
    typed = shutil.which("jupyter-lab") or shutil.which("jupyter")
    if typed and not _same(Path(typed).parent, Path(sys.executable).parent):
        yield Finding(False, say("doctor.other_jupyter", path=typed), needed=False)


def _speed(prefix: Path) -> Finding:
    """The server's folder of settings is read file by file; the last word counts, as it does for the server."""
    said = [json.loads(path.read_text(encoding="utf-8")).get("ServerApp", {}).get("jpserver_extensions", {})
            for path in sorted((prefix / "etc" / "jupyter" / "jupyter_server_config.d").glob("*.json"))]
    words = [extensions[EXTENSION] for extensions in said if EXTENSION in extensions]
    ok = bool(words and words[-1]) and os.environ.get("ATTENTION_NODELAY") != "0"
    return Finding(ok, say("doctor.speed" if ok else "doctor.no_speed"), needed=False)


def _browser() -> Finding:
    path = find_browser()
    return Finding(bool(path), say("doctor.browser", path=path) if path else say("doctor.no_browser"), needed=False)


if __name__ == "__main__":
    sys.exit(main())
