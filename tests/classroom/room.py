"""A real class on this machine, for tests and for the load: set up, started, and cleared away whatever happens."""

import os
import pwd
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError

from client import Student, passwords

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = [sys.executable, str(ROOT / "classroom" / "classroom.py")]
# Kept between runs where this names a folder: installing takes most of the time.
KEPT = os.environ.get("ATTENTION_CLASSROOM_FOLDER")
for folder in (ROOT, ROOT / "classroom"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))

import accounts  # noqa: E402
import archive  # noqa: E402, F401
import homes  # noqa: E402, F401
import remote  # noqa: E402, F401
import service  # noqa: E402
from settings import Place, load  # noqa: E402

import classroom  # noqa: E402, F401


def impossible() -> str:
    """Why no class can be set up here; "" where it can."""
    if sys.platform != "linux":
        return "a class needs Linux"
    if os.geteuid() != 0:
        return "making accounts for a class needs root"
    return ""


@dataclass
class Room:
    """One class of the tests."""

    students: int
    port: int = 18100
    language: str = "zh"
    name: str = "attntest"
    prefix: str = "attnt"
    teacher: str = "attntteach"
    folder: Path = field(default_factory=lambda: Path(KEPT or "/opt/attention-test"))
    said: dict[str, str] = field(default_factory=dict)  # account -> password

    def __enter__(self):
        try:
            self.clear()  # what a run that was killed left
            self.place.settings.unlink(missing_ok=True)
            slips = self.folder.with_name(self.folder.name + "-slips.html")
            slips.unlink(missing_ok=True)
            self.run("setup", "--students", str(self.students), "--language", self.language, "--name", self.name,
                     "--prefix", self.prefix, "--teacher", self.teacher, "--port", str(self.port),
                     "--address", "127.0.0.1", "--slips", str(slips))
            self.slips_mode = slips.stat().st_mode & 0o777
            self.slips = slips.read_text(encoding="utf-8")
            self.said = passwords(self.slips)
            slips.unlink()
            self.run("start")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.clear()
        if KEPT or not self.folder.exists():
            return
        if not self.place.settings.exists():  # setting up has failed
            shutil.rmtree(self.folder)
        else:
            self.run("remove", "--yes")
            left = [self.folder, Path("/etc/pam.d") / self.name, *Path("/home").glob(f"{self.prefix}[0-9]*"),
                    *Path("/run").glob(f"{self.name}-*")]
            assert not [path for path in left if path.exists()]
            assert not [account for account in pwd.getpwall() if account.pw_name.startswith(self.prefix)]

    def clear(self) -> None:
        """No hub, no process, no account of the class is left."""
        if self.folder.exists() and (self.folder / "private").exists():
            service.stop(self.place, load(self.place))
        accounts.remove(*(account.pw_name for account in accounts.members(self.name)))
        for secret in ("jupyterhub.sqlite", "hub.log"):
            (self.folder / "private" / secret).unlink(missing_ok=True)

    @property
    def place(self) -> Place:
        return Place(self.folder)

    @property
    def settings(self):
        return load(self.place)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def account(self, number: int) -> str:
        return f"{self.prefix}{number:02d}"

    def student(self, number: int) -> Student:
        name = self.account(number)
        return Student(self.url, name, self.said[name])

    def run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        """``classroom.py`` with these arguments, in a process of its own."""
        done = subprocess.run([*COMMAND, arguments[0], "--folder", str(self.folder), *arguments[1:]], check=False,
                              capture_output=True, encoding="utf-8", cwd="/")
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def stop_servers(self, *names: str) -> None:
        """Stop servers of students, those of all where none is named, as the teacher may."""
        def there() -> set[str]:
            return set(service.people_there(self.place, self.settings)) & set(names or self.said)

        end = time.monotonic() + 60
        while left := there():
            assert time.monotonic() < end, left
            for name in left:
                with suppress(HTTPError):  # is stopping already
                    service.ask(self.place, self.settings, f"users/{name}/server", method="DELETE")
            time.sleep(0.2)
        accounts.end_processes(*(names or self.said))

    def log(self) -> str:
        return (self.place.private / "hub.log").read_text(encoding="utf-8", errors="replace")
