"""Everybody's files in one archive, made while they work, and taken out of it again. Standard library only.

JupyterLab writes a notebook in place, so a copy made at that moment would be half a notebook. A file is therefore read
when nothing has written to it for a moment, and again where it changed meanwhile.
"""

import io
import json
import os
import pwd
import stat
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

CLASS = "class.json"  # in the archive: whose the accounts are
_WITHOUT = {".cache", ".venv"}
_REST = 1.0  # seconds nobody may have written to a file that is read
_TRIES = 5
_IN_MEMORY = 32 << 20  # bytes of a file that are kept there until it is known to be whole
_FORMATS = {"format": tarfile.PAX_FORMAT, "encoding": "utf-8"}


@dataclass
class Told:
    """What became of the files: all are whole in the archive, but for those named here."""

    files: int = 0
    changed: list[str] = field(default_factory=list)  # never at rest: stored as they were at the last try
    unread: list[str] = field(default_factory=list)  # not in the archive


def store(target: Path, people: Iterable[pwd.struct_passwd], settings: str) -> Told:
    """Write the archive and read it once through; OSError where that fails, and no ``target`` then."""
    people, told = list(people), Told()
    about = {"made": time.strftime("%Y-%m-%d-%H%M"), "settings": json.loads(settings),
             "people": {account.pw_name: account.pw_gecos.split(",")[0] for account in people}}
    draft = target.with_name(f".{target.name}.part")
    draft.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=6, **_FORMATS) as archive:
                text = json.dumps(about, ensure_ascii=False, indent=2).encode("utf-8")
                entry = tarfile.TarInfo(CLASS)
                entry.size, entry.mode, entry.mtime = len(text), 0o600, int(time.time())
                archive.addfile(entry, io.BytesIO(text))
                for account in people:
                    try:
                        _add_home(archive, account, told)
                    except (OSError, RecursionError):  # one home that is strange does not cost all others theirs
                        told.unread.append(account.pw_dir)
            file.flush()
            os.fsync(file.fileno())
        with tarfile.open(draft, **_FORMATS) as archive:  # a checksum that is wrong raises
            for _ in archive:
                pass
        draft.rename(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return told


def _add_home(archive: tarfile.TarFile, account: pwd.struct_passwd, told: Told) -> None:
    # By the folders' descriptors: who swaps a folder for a link meanwhile does not lead root elsewhere.
    for path, folders, files, descriptor in os.fwalk(account.pw_dir, follow_symlinks=False,
                                                     onerror=lambda error: _unread(error, error.filename, told)):
        folders[:] = sorted(set(folders) - _WITHOUT)
        inside = Path("home") / account.pw_name / Path(path).relative_to(account.pw_dir)
        archive.addfile(archive.gettarinfo(f"/proc/self/fd/{descriptor}/.", str(inside)))
        for name in sorted({*files, *(one for one in folders if _kind(one, descriptor) == stat.S_IFLNK)}):
            try:
                _add_file(archive, name, descriptor, str(inside / name), told)
            except OSError as error:
                _unread(error, str(Path(path) / name), told)


def _kind(name: str, folder: int) -> int:
    try:
        return stat.S_IFMT(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return 0


def _unread(error: OSError, path: str, told: Told) -> None:
    if not isinstance(error, FileNotFoundError):  # deleted meanwhile: nothing is missing
        told.unread.append(path)


def _add_file(archive: tarfile.TarFile, name: str, folder: int, path: str, told: Told) -> None:
    kind = _kind(name, folder)
    if kind == stat.S_IFLNK:
        archive.addfile(archive.gettarinfo(f"/proc/self/fd/{folder}/{name}", path))
    if kind != stat.S_IFREG:  # sockets and pipes hold nothing
        return
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as copy:
        entry, whole = _read(archive, name, folder, path, copy)
        if entry is None:
            return
        told.files += 1
        if not whole:
            told.changed.append(path)
        archive.addfile(entry, copy)


def _read(archive: tarfile.TarFile, name: str, folder: int, path: str, copy) -> tuple[tarfile.TarInfo | None, bool]:
    """One file into ``copy``; its entry, and whether nobody wrote to it meanwhile."""
    for last in (*[False] * (_TRIES - 1), True):
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with os.fdopen(descriptor, "rb") as file:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                return None, True
            at_rest = abs(time.time() - before.st_mtime) > _REST
            if not at_rest and not last:
                time.sleep(_REST)
                continue
            copy.seek(0)
            copy.truncate()
            entry = archive.gettarinfo(arcname=path, fileobj=file)
            entry.type, entry.linkname = tarfile.REGTYPE, ""  # also where it has a second name
            while block := file.read(1 << 20):
                copy.write(block)
            after = os.fstat(descriptor)
        size = copy.tell()
        whole = at_rest and size == after.st_size and before.st_mtime_ns == after.st_mtime_ns
        if whole or last:
            entry.size = size
            copy.seek(0)
            return entry, whole
    raise AssertionError  # the last of the tries returns


def about(archive: Path) -> dict:
    """What ``store`` has noted in its archive: "made", "settings", "people" (account -> person); else OSError."""
    try:
        with tarfile.open(archive, **_FORMATS) as opened:
            return json.loads(opened.extractfile(CLASS).read())
    except (tarfile.TarError, KeyError, ValueError, EOFError) as error:
        raise OSError(str(error)) from error


def restore(archive: Path, homes: dict[str, Path]) -> list[str]:
    """Put the files of accounts back, each into the folder given for it; what tar said of files it could not write.

    Each account's own rights are used, so that no link in a home leads a file to anywhere else.
    """
    told, writer = [], None
    with tarfile.open(archive, **_FORMATS) as opened:
        try:
            for entry in opened:
                _, name, inside = f"{entry.name}//".split("/", 2)
                if name not in homes:
                    continue
                if writer is None or writer.name != name:
                    told += writer.end() if writer else []
                    writer = _Writer(name, homes[name])
                # Not as it stands in the header for long names, which would go before.
                entry.name, entry.pax_headers = inside.rstrip("/") or ".", {}
                writer.add(entry, opened.extractfile(entry) if entry.isreg() else None)
        finally:
            told += writer.end() if writer else []
    return told


class _Writer:
    """tar under one account, which writes into a folder what it is given."""

    def __init__(self, name: str, folder: Path):
        self.name, account = name, pwd.getpwnam(name)
        self._said = tempfile.TemporaryFile()  # noqa: SIM115
        command = 'mkdir -p -- "$1" && exec tar --extract --file=- --directory="$1"'
        self._process = subprocess.Popen(
            ["sh", "-c", command, "sh", str(folder)], stdin=subprocess.PIPE, stdout=self._said, stderr=self._said,
            cwd="/", umask=0o077, user=account.pw_uid, group=account.pw_gid, extra_groups=[])
        self._tar = tarfile.open(fileobj=self._process.stdin, mode="w|", **_FORMATS)  # noqa: SIM115

    def add(self, entry: tarfile.TarInfo, content) -> None:
        with suppress(BrokenPipeError):  # tar has ended and said why
            self._tar.addfile(entry, content)

    def end(self) -> list[str]:
        """What tar had to say where it failed."""
        with suppress(BrokenPipeError):
            self._tar.close()
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        with self._said:
            if self._process.wait() == 0:
                return []
            self._said.seek(0)
            return [f"{self.name}: {line}" for line in self._said.read().decode("utf-8", "replace").splitlines()]
