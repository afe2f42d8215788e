"""What one class was set up with, and where its files are. Standard library only."""

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = Path("/opt/attention")


@dataclass
class Settings:
    """Of one class; ``save`` and ``load`` keep them in ``settings.json``, which holds no secret."""

    name: str = "attention"  # of the group all accounts of the class belong to, and of the system service
    language: str = "en"
    address: str = ""  # of the network card to listen on; "" is all of them
    port: int = 8000  # the two after it are used on 127.0.0.1 by the hub and the proxy's control
    public_address: str = ""  # what students type where a proxy stands in front, such as https://class.example.org
    memory: int = 1024  # megabytes for each process of a student
    kernels: int = 5  # notebooks a student may have running
    file: int = 512  # megabytes the largest file of a student may have
    home: int = 2048  # megabytes in all; status names who has more
    idle: int = 60  # minutes until a server nobody uses is stopped
    teacher: str = "teacher"
    prefix: str = "s"  # of the students' account names: s01, s02, …
    teacher_may_look: bool = False  # into students' servers
    notebooks: str = ""  # the folder to hand out from; "" is the repository's own
    certificate: str = ""
    key: str = ""

    @property
    def url(self) -> str:
        """The hub's page as this machine reaches it."""
        host = self.address if self.address not in ("", "0.0.0.0") else "127.0.0.1"
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}"


@dataclass(frozen=True)
class Place:
    """Where the files of one class are: everybody may read them, except those in ``private``."""

    folder: Path = FOLDER

    @property
    def settings(self) -> Path:
        return self.folder / "settings.json"

    @property
    def venv(self) -> Path:
        return self.folder / "venv"

    @property
    def python(self) -> Path:
        return self.venv / "bin" / "python"

    @property
    def proxy(self) -> Path:
        return self.folder / "proxy"

    @property
    def code(self) -> Path:
        """A copy of this folder: the running hub must not depend on anybody's checkout."""
        return self.folder / "classroom"

    @property
    def handout(self) -> Path:
        """The repository that students pull from; its work tree is the pristine copy."""
        return self.folder / "handout"

    @property
    def gitconfig(self) -> Path:
        return self.folder / "gitconfig"

    @property
    def private(self) -> Path:
        return self.folder / "private"

    def secret(self, name: str) -> str:
        return (self.private / name).read_text(encoding="ascii").strip()


def load(place: Place) -> Settings:
    """The settings a class was set up with; the usual ones where none were. Unknown entries are left out."""
    if not place.settings.exists():
        return Settings()
    known = {field.name for field in fields(Settings)}
    stored = json.loads(place.settings.read_text(encoding="utf-8"))
    return Settings(**{name: value for name, value in stored.items() if name in known})


def save(place: Place, settings: Settings) -> None:
    write(place.settings, json.dumps(asdict(settings), ensure_ascii=False, indent=2) + "\n", 0o644)


def write(path: Path, text: str, mode: int) -> None:
    """A file that has this mode from its first byte on, and is replaced as a whole."""
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), mode)
        file.write(text)
    draft.replace(path)
