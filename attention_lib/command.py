"""What ``lesson.py`` does: one environment in ``.venv``, then JupyterLab or the tests. Standard library only."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from . import language
from .handout import options as handout_options
from .language import LANGUAGES, say
from .machine import find_browser, is_root, plain_console, user_language
from .typed import Refused
from .worksheets import options as worksheet_options

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LEARNER = ("requirements.txt",)
SITE = ("requirements.txt", "requirements-site.txt")
TESTER = (*SITE, "requirements-test.txt")
_ALSO_DECIDE = ("constraints.txt", "pyproject.toml", "jupyter-config/attention_lib.json",
                "jupyter-config/ipython_kernel_config.py")
_NO_NETWORK = ("NewConnectionError", "Failed to establish", "name resolution", "getaddrinfo", "Max retries",
               "ConnectTimeout", "ReadTimeout", "Network is unreachable", "ProxyError", "ConnectionResetError")
_NBVAL = ("--nbval", "--nbval-current-env", "--nbval-kernel-startup-timeout=180", "--nbval-cell-timeout=300")
GROUPS = {
    "ruff": ("ruff", "check", "."),
    "unit": ("pytest", "tests", "-n", "2", "--dist", "worksteal",
             "--ignore=tests/browser", "--ignore=tests/benchmarks", "--ignore=tests/classroom"),
    "notebooks": ("pytest", *_NBVAL, "notebooks"),
    "browser": ("pytest", "tests/browser"),
    "classroom": ("pytest", "tests/classroom"),
}
PAPERS = {"worksheets": worksheet_options, "handout": handout_options}


class Stop(Exception):
    """Ends the command; its text says why, and what to do."""


def main(arguments: list[str]) -> int:
    """Run ``lesson.py`` with these arguments; returns the exit code."""
    plain_console()
    first, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    language.choose(first if first in LANGUAGES else user_language())
    try:
        if first in ("-h", "--help", "help"):
            print(say("command.help"))
            return 0
        if first == "test":
            return test(rest)
        if first == "doctor":
            return run(venv_python() if works(venv_python()) else sys.executable, "attention_lib.doctor", *rest)
        if first in PAPERS:
            return make(first, rest)
        if first == "site":
            return website(rest)
        if first and first not in LANGUAGES and not first.startswith("-"):
            raise Stop(say("command.unknown", word=first) + "\n\n" + say("command.help"))
        return open_lesson(arguments if first not in LANGUAGES else rest)
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\n" + say("command.interrupted"), file=sys.stderr)
        return 130


def open_lesson(arguments: list[str]) -> int:
    """JupyterLab on the first notebook of the chosen language; ``arguments`` are JupyterLab's own."""
    prepare(LEARNER)
    notebook = f"notebooks/{language.chosen()}/00_start.ipynb"
    print(say("command.opening", notebook=notebook))
    # As the default address rather than as a file, so that the addresses JupyterLab prints open it too.
    page = f"--LabApp.default_url=/lab/tree/{notebook}"
    return run(venv_python(), "jupyterlab", f"--ServerApp.root_dir={ROOT}", page, *_as_root(), *arguments)


def _as_root() -> list[str]:
    """In a container the user is often root, and JupyterLab would refuse to start; it listens locally only."""
    return ["--allow-root"] if is_root() else []


def test(chosen: list[str]) -> int:
    """The test groups in their order, or only the chosen ones; ends at the first that fails, with a summary."""
    if unknown := [name for name in chosen if name not in GROUPS]:
        raise Stop(say("command.unknown_group", names=", ".join(unknown), groups=", ".join(GROUPS)))
    prepare(TESTER)
    outcomes, failed = {}, False
    for name in [name for name in GROUPS if name in chosen or not chosen]:
        if failed:
            outcomes[name] = say("command.not_run")
            continue
        print(f"\n=== {name}: {' '.join(GROUPS[name])}", flush=True)
        started = time.monotonic()
        if (name == "browser" and not find_browser()) or (name == "classroom" and not can_set_up_a_class()):
            failed = os.environ.get(f"ATTENTION_{name.upper()}") == "required"
            outcomes[name] = say(f"command.{name}_needed" if failed else f"command.{name}_skipped")
            print(outcomes[name], flush=True)
            continue
        failed = run(venv_python(), *GROUPS[name]) != 0
        seconds = round(time.monotonic() - started)
        outcomes[name] = say("command.failed" if failed else "command.passed", seconds=seconds)
    print("\n" + say("command.summary"))
    for name, outcome in outcomes.items():
        print(f"  {name:<10} {outcome}")
    print(say("command.some_failed" if failed else "command.all_passed"), flush=True)
    return int(failed)


def website(arguments: list[str]) -> int:
    """The lessons as a static website, in the folder that is named, else in ``site``."""
    folder = Path(arguments[0] if arguments else ROOT / "site").absolute()
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        raise Stop(say("command.help"))
    prepare(SITE)
    return run(venv_python(), "attention_lib.website", language.chosen(), str(folder))


def make(papers: str, arguments: list[str]) -> int:
    """Worksheets or handouts. What was typed is read here too: a slip is told before anything is installed."""
    options = PAPERS[papers]
    if options.wants_help(arguments):
        print(say(f"{papers}.help"))
        return 0
    try:
        wanted = options.read(arguments)
    except Refused as refused:
        raise Stop(refused) from None
    prepare(LEARNER)
    return run(venv_python(), f"attention_lib.{papers}", *wanted.arguments())


def can_set_up_a_class() -> bool:
    """Whether accounts can be made here, which the tests of a class need."""
    return sys.platform == "linux" and is_root()


def prepare(files: tuple[str, ...]) -> None:
    """Make ``.venv`` and install what ``files`` list, unless that is what it holds already."""
    if not works(venv_python()):
        make_venv()
    wanted = fingerprint(files)
    stamp = VENV / f"installed-{Path(files[-1]).stem}.txt"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    print(say("command.installing"), flush=True)
    listed = [part for name in files for part in ("-r", name)]
    quiet_run([venv_python(), "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check",
               *listed, "-c", "constraints.txt"], "command.install_failed")
    stamp.write_text(wanted, encoding="utf-8")


def fingerprint(files: tuple[str, ...]) -> str:
    """Changes with what is asked for, and with the folder, whose path an editable install holds."""
    digest = hashlib.sha256(str(ROOT).encode("utf-8"))
    for name in (*files, *_ALSO_DECIDE):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def make_venv() -> None:
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        raise Stop(say("command.no_venv", version=f"{sys.version_info[0]}.{sys.version_info[1]}"))
    print(say("command.making", folder=VENV), flush=True)
    if VENV.exists():
        shutil.rmtree(VENV)
    quiet_run([sys.executable, "-m", "venv", str(VENV)], "command.venv_failed")


def quiet_run(command: list[str], failure: str, folder: Path | None = None) -> None:
    """Run ``command`` without a word, in ``folder`` or else the lesson's.

    Where it fails, Stop with its last lines, and say so if the network is why.
    """
    environment = os.environ | {"PYTHONIOENCODING": "utf-8", "PIP_USER": "0"}
    done = subprocess.run(command, cwd=folder or ROOT, env=environment, stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == 0:
        return
    told = done.stdout.decode("utf-8", errors="replace").strip()
    cause = "command.no_network" if any(sign in told for sign in _NO_NETWORK) else failure
    lines = [line for line in told.splitlines() if not line.startswith("WARNING: ")]
    raise Stop("\n".join(lines[-15:]) + "\n\n" + say(cause))


def run(python: str, module: str, *arguments: str) -> int:
    """``python -m module`` in the lesson's folder; Ctrl-C is left to it, since JupyterLab asks back."""
    started = subprocess.Popen([python, "-m", module, *arguments], cwd=ROOT)
    while True:
        try:
            return started.wait()
        except KeyboardInterrupt:
            continue


def venv_python() -> str:
    return str(VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))


def works(python: str) -> bool:
    """Whether there is such a Python, with pip: a half-made environment has none, an upgraded Python leaves none."""
    probe = "from importlib.util import find_spec; raise SystemExit(not find_spec('pip'))"
    try:
        return subprocess.run([python, "-c", probe], check=False, capture_output=True).returncode == 0
    except OSError:
        return False
