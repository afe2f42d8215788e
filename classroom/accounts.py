"""One system account a student, with a password of its own. Standard library only."""

import grp
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from attention_lib.command import Stop, quiet_run
from attention_lib.language import say

# Letters and digits that nobody takes for one another when copying from paper; 8 of them are 39 bits.
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_LENGTH = 8
_PATIENCE = 5.0  # seconds that processes may take to end


@dataclass(frozen=True)
class Account:
    person: str
    name: str
    password: str


def new_password() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))


def make_groups(*groups: str) -> None:
    for group in groups:
        quiet_run(["groupadd", "--force", group], "hub.account_failed")


def members(group: str) -> list[pwd.struct_passwd]:
    """The accounts of a group, by name; none where there is no such group."""
    try:
        names = grp.getgrnam(group).gr_mem
    except KeyError:
        return []
    return sorted((pwd.getpwnam(name) for name in names), key=lambda account: account.pw_name)


def assign(people: list[str], taken: dict[str, str], prefix: str) -> list[tuple[str, str]]:
    """(person, account name) for those of ``people`` who have no account yet.

    people: the class list, the same name twice where two bear it. taken: account name -> person.
    Who has an account keeps it wherever the list has moved them; new accounts take the next free number.
    """
    have = Counter(taken.values())
    number, new = 0, []
    used = set(taken)
    for person in people:
        if have[person]:
            have[person] -= 1
            continue
        while f"{prefix}{number + 1:02d}" in used:
            number += 1
        number += 1
        used.add(f"{prefix}{number:02d}")
        new.append((person, f"{prefix}{number:02d}"))
    return new


def add(person: str, name: str, groups: list[str]) -> Account:
    """Make one account, its home closed to all others; Stop where the machine has another account of that name."""
    if _exists(name):
        raise Stop(say("hub.account_taken", name=name))
    comment = "".join(" " if sign in ":,=" or not sign.isprintable() else sign for sign in person)
    quiet_run(["useradd", "--create-home", "--shell", no_shell(), "--user-group", "--groups", ",".join(groups),
               "--comment", comment, "--key", "HOME_MODE=0700", name], "hub.account_failed")
    os.chmod(pwd.getpwnam(name).pw_dir, 0o700)
    return renew(person, name)


def no_shell() -> str:
    """What accounts have in place of a shell: they enter by the hub, whose servers and terminals do not ask for it."""
    return shutil.which("nologin", path="/usr/sbin:/sbin:/usr/bin") or "/bin/false"


def take_shells(group: str) -> None:
    """Close every other way in to the accounts of a group that were made with a shell."""
    for account in members(group):
        if account.pw_shell != no_shell():
            quiet_run(["usermod", "--shell", no_shell(), account.pw_name], "hub.account_failed")


def renew(person: str, name: str) -> Account:
    """Give an account a new password."""
    account = Account(person, name, new_password())
    # By standard input: the arguments of a process can be read by every user of the machine.
    done = subprocess.run(["chpasswd"], input=f"{name}:{account.password}\n", encoding="ascii", check=False,
                          capture_output=True)
    if done.returncode:
        raise Stop(done.stderr.strip() + "\n\n" + say("hub.account_failed"))
    return account


def remove(*names: str) -> None:
    """Delete accounts, their homes and what they left in the folders open to all: others may get their numbers."""
    if not names:
        return
    end_processes(*names)
    owned = " -or -user ".join(names).split()
    subprocess.run(["find", "/tmp", "/var/tmp", "/dev/shm", "-xdev", "(", "-user", *owned, ")", "-delete"], check=False,
                   capture_output=True)
    for name in names:
        quiet_run(["userdel", "--remove", "--force", name], "hub.account_failed")


def end_processes(*names: str) -> int:
    """Kill what runs under these accounts, and what that has begun meanwhile; how many processes that were."""
    users = {pwd.getpwnam(name).pw_uid for name in names if _exists(name)} - {0}
    ended, until = set(), time.monotonic() + _PATIENCE
    while (left := processes(users)) and time.monotonic() < until:
        for number in left:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        ended |= left
        time.sleep(0.05)
    return len(ended)


def processes(users: set[int]) -> set[int]:
    """The processes of these users that have not ended."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            # After the name, which is in brackets and may hold anything: Z is one that has ended.
            if folder.stat().st_uid in users and (folder / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.add(int(folder.name))
    return found


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
