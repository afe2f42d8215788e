"""Start and stop the hub: a systemd service where that runs, else a background process. Standard library only."""

import json
import os
import signal
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import accounts
from keep import hub_command
from settings import Place, Settings, write

from attention_lib.command import Stop, quiet_run
from attention_lib.language import say

READY = 90.0  # seconds the hub may take to answer
_UNIT = """[Unit]
Description=JupyterHub of the class {name}
After=network-online.target
Wants=network-online.target

[Service]
ExecStart={command}
WorkingDirectory={private}
Restart=on-failure
RestartSec=1
# The hub alone: the proxy and the students' servers go on when it dies.
KillMode=process
UMask=0077

[Install]
WantedBy=multi-user.target
"""


def has_systemd() -> bool:
    return Path("/run/systemd/system").is_dir()


def running(place: Place, settings: Settings) -> bool:
    """Whether the hub runs, or whatever starts it anew when it has died."""
    if has_systemd():
        return subprocess.run(["systemctl", "is-active", "--quiet", settings.name], check=False).returncode == 0
    return _keeper(place) is not None


def start(place: Place, settings: Settings) -> bool:
    """Start the hub and wait until it answers; False where it ran already. Stop with its last words where it fails."""
    if running(place, settings):
        return False
    log = place.private / "hub.log"
    if has_systemd():
        _write_unit(place, settings)
        quiet_run(["systemctl", "enable", "--now", settings.name], "hub.start_failed")
    else:
        if log.exists() and log.stat().st_size > 10 << 20:
            log.replace(log.with_suffix(".log.1"))
        # What the administrator's shell has set for Python is not the class's.
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "JUPYTER"))}
        with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as file:
            keeper = subprocess.Popen([str(place.python), str(place.code / "keep.py")], start_new_session=True,
                                      cwd=place.private, env=clean, umask=0o077,
                                      stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        write(_pid_file(place), f"{keeper.pid}\n", 0o600)
    until = time.monotonic() + READY
    while not answers(settings):
        if time.monotonic() > until or not running(place, settings):
            told = _last_words(place, settings)
            stop(place, settings)
            raise Stop(told + "\n\n" + say("hub.start_failed"))
        time.sleep(0.3)
    return True


def stop(place: Place, settings: Settings) -> bool:
    """Take the hub down with its proxy and all students' servers; False where nothing ran.

    What is not saved in an open notebook stays in the student's browser page, and is lost when that is closed.
    """
    was = running(place, settings)
    keeper = None if has_systemd() else _keeper(place)
    if was and answers(settings):
        with suppress(OSError):  # then by force, below
            ask(place, settings, "shutdown", {"servers": True, "proxy": True}, timeout=60)
        _wait(lambda: not running(place, settings), 30)
    if has_systemd():
        subprocess.run(["systemctl", "disable", "--now", "--quiet", settings.name], check=False, capture_output=True)
        subprocess.run(["systemctl", "stop", f"{settings.name}-*.service"], check=False, capture_output=True)
    elif keeper and _keeper(place):
        os.kill(keeper, signal.SIGTERM)
        if not _wait(lambda: _keeper(place) is None, 30):
            os.kill(keeper, signal.SIGKILL)
    for name in ("jupyterhub", "proxy"):
        if pid := _alive(place.private / f"{name}.pid", str(place.folder)):
            os.kill(pid, signal.SIGKILL)
            was = True
    left = accounts.end_processes(*(account.pw_name for account in accounts.members(settings.name)))
    _pid_file(place).unlink(missing_ok=True)
    return was or left > 0


def answers(settings: Settings) -> bool:
    try:
        with urllib.request.urlopen(f"{settings.url}/hub/health", timeout=5, context=_context()) as answer:
            return answer.status == 200
    except (OSError, urllib.error.URLError):
        return False


def ask(place: Place, settings: Settings, path: str, send=None, timeout: float = 20, method: str | None = None):
    """One call of the hub's interface: who is there, stop servers, forget an account, shut down."""
    data = None if send is None else json.dumps(send).encode("ascii")
    request = urllib.request.Request(f"http://127.0.0.1:{settings.port + 1}/hub/api/{path}", data, headers={
        "Authorization": f"token {place.secret('control_token')}"}, method=method)
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return json.loads(answer.read() or b"null")


def people_there(place: Place, settings: Settings) -> list[str]:
    """The accounts whose servers run."""
    return sorted(user["name"] for user in ask(place, settings, "users?state=active"))


def forget(place: Place, settings: Settings, account: str) -> None:
    """Stop an account's server and take it out of the hub's memory, with all that signs it in.

    The next student may get the same account name, and must not be taken for this one.
    """
    if not running(place, settings):
        database = place.private / "jupyterhub.sqlite"
        if database.exists():
            quiet_run([str(place.python), str(place.code / "forget.py"), str(database), account], "hub.account_failed")
        return
    until = time.monotonic() + 2 * READY
    while True:
        try:
            ask(place, settings, f"users/{account}", timeout=60, method="DELETE")
            return
        except urllib.error.HTTPError as error:
            if error.code == 404:  # has never signed in
                return
            if time.monotonic() > until:
                raise Stop(f"{error}\n\n" + say("hub.account_failed")) from None
        except OSError:
            raise Stop(say("hub.answers_not")) from None
        time.sleep(0.5)  # the hub deletes nobody whose server is just starting or stopping


def addresses(settings: Settings) -> list[str]:
    """What students type into their browsers; the first stands on the slips."""
    if settings.public_address:
        return [settings.public_address]
    scheme = "https" if settings.certificate else "http"
    usual = {"http": 80, "https": 443}[scheme]
    port = "" if settings.port == usual else f":{settings.port}"
    if behind_proxy(settings):
        return [*(f"http://{host}" for host in _own_addresses()), f"{scheme}://{settings.address}{port}"]
    hosts = [settings.address] if settings.address not in ("", "0.0.0.0") else _own_addresses() or ["127.0.0.1"]
    return [f"{scheme}://{host}{port}" for host in hosts]


def behind_proxy(settings: Settings) -> bool:
    """Whether other computers can reach the hub only by way of a proxy on this one."""
    return settings.address == "localhost" or settings.address.startswith("127.")


def _own_addresses() -> list[str]:
    """The machine's IPv4 addresses, as its network cards have them."""
    told = subprocess.run(["hostname", "-I"], check=False, capture_output=True, encoding="ascii").stdout.split()
    return [host for host in told if ":" not in host]


def _context() -> ssl.SSLContext:
    """The certificate is made out to the name students use, not to 127.0.0.1, which this asks."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _write_unit(place: Place, settings: Settings) -> None:
    command = " ".join(hub_command(place.python, place.code, place.private))
    write(Path("/etc/systemd/system") / f"{settings.name}.service",
          _UNIT.format(name=settings.name, command=command, private=place.private), 0o644)
    quiet_run(["systemctl", "daemon-reload"], "hub.start_failed")


def _pid_file(place: Place) -> Path:
    return place.private / "keep.pid"


def _keeper(place: Place) -> int | None:
    return _alive(_pid_file(place), str(place.code / "keep.py"))


def _alive(pid_file: Path, mark: str) -> int | None:
    """The process of this pid file, if it lives and its command line holds ``mark``: numbers are given out again."""
    try:
        pid = int(pid_file.read_text(encoding="ascii"))
        line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
    return pid if mark in line else None


def _wait(done, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not done():
        if time.monotonic() > until:
            return False
        time.sleep(0.2)
    return True


def _last_words(place: Place, settings: Settings) -> str:
    if has_systemd():
        return subprocess.run(["journalctl", "--unit", settings.name, "--lines", "20", "--no-pager", "--output", "cat"],
                              check=False, capture_output=True, encoding="utf-8", errors="replace").stdout
    log = place.private / "hub.log"
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:]) if log.exists() else ""
