"""A whole class on one machine: ``sudo python3 classroom/classroom.py setup``, then ``start`` and ``stop``.

Standard library only; each command may be given again and again. The guide says the rest.
"""

import argparse
import fcntl
import os
import pwd
import re
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import accounts  # noqa: E402
import archive  # noqa: E402
import handout  # noqa: E402
import homes  # noqa: E402
import install  # noqa: E402
import remote  # noqa: E402
import service  # noqa: E402
import slips  # noqa: E402
from settings import FOLDER, Place, Settings, load, save  # noqa: E402

from attention_lib import language  # noqa: E402
from attention_lib.command import Stop  # noqa: E402
from attention_lib.language import LANGUAGES, say  # noqa: E402
from attention_lib.machine import plain_console, user_language  # noqa: E402
from attention_lib.worksheets import class_list  # noqa: E402


def main(arguments: list[str]) -> int:
    """Carry out one command; returns the exit code."""
    plain_console()
    language.choose(_language(arguments))
    given = _parser().parse_args(arguments)
    place = Place(given.folder.resolve())
    try:
        if os.geteuid() != 0:
            raise Stop(say("hub.needs_root"))
        os.umask(0o022)
        if given.command != "setup" and not place.settings.exists():
            raise Stop(say("hub.not_set_up", folder=place.folder))
        place.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        with _alone(place):
            COMMANDS[given.command](place, load(place), given)
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\n" + say("command.interrupted"), file=sys.stderr)
        return 130
    return 0


def setup(place: Place, settings: Settings, given: argparse.Namespace) -> None:
    """Everything a class needs, or what has changed since; ends with the slips of the accounts that are new."""
    chosen = {field.name: getattr(given, field.name) for field in fields(Settings)
              if getattr(given, field.name, None) is not None}
    if given.notebooks:
        chosen["notebooks"] = handout.folder(given.notebooks)
    first = not place.settings.exists()
    settings = replace(settings, **({"language": language.chosen()} if first else {}) | chosen)
    language.choose(settings.language)
    if not install.open_to_all(place.folder):
        raise Stop(say("hub.folder_closed", folder=place.folder))
    people = _people(given)
    _check(settings, before=None if first else load(place))
    running = not first and service.running(place, settings)
    install.system_packages()
    install.environment(place)
    install.proxy(place)
    install.hub_files(place, settings)
    handout.update(place, settings)
    save(place, settings)
    made = _make_accounts(settings, people)
    remote.refuse(settings)
    print(say("hub.set_up", accounts=len(accounts.members(settings.name))))
    if made:
        _slips(made, settings, given)
    if service.behind_proxy(settings) and not settings.public_address:
        print(say("hub.behind_proxy", address=service.addresses(settings)[0]))
    print(say("hub.restart_needed" if running else "hub.start_next"))


def start(place: Place, settings: Settings, given: argparse.Namespace) -> None:
    began = service.start(place, settings)
    print(say("hub.started" if began else "hub.runs_already", addresses="  ".join(service.addresses(settings))))
    if not service.has_systemd():
        print(say("hub.no_systemd"))


def stop(place: Place, settings: Settings, given: argparse.Namespace) -> None:
    print(say("hub.stopped" if service.stop(place, settings) else "hub.runs_not"))


def status(place: Place, settings: Settings, given: argparse.Namespace) -> None:
    if not service.running(place, settings):
        print(say("hub.runs_not"))
    elif not service.answers(settings):
        print(say("hub.answers_not"))
    else:
        people = service.people_there(place, settings)
        print(say("hub.runs", addresses="  ".join(service.addresses(settings)), number=len(people)))
        print("  ".join(people))
    print("\n".join(homes.report(accounts.members(settings.name), settings.home, everybody=given.homes)))


def update(place: Place, settings: Settings, given: argparse.Namespace) -> None:
    """The notebooks as they are now, and the module behind them, for everybody's next start."""
    if given.notebooks:
        settings = replace(settings, notebooks=handout.folder(given.notebooks))
    install.environment(place)
    changed = handout.update(place, settings)
    save(place, settings)
    print(say("hub.handed_out" if changed else "hub.nothing_new", names="\n".join(changed)))


def password(place: Place, settings: Settings, given: argparse.Namespace) -> None:
    if given.account not in {account.pw_name for account in accounts.members(settings.name)}:
        raise Stop(say("hub.no_such_account", name=given.account))
    account = accounts.renew(pwd.getpwnam(given.account).pw_gecos, given.account)
    _slips([account], settings, given)


def backup(place: Place, settings: Settings, given: argparse.Namespace) -> None:
    """All homes, and the names of their accounts, as one archive that root alone can read; also while they work."""
    people = accounts.members(settings.name)
    target = given.file.absolute()
    if target.exists():
        raise Stop(say("hub.file_exists", file=target))
    try:
        told = archive.store(target, people, place.settings.read_text(encoding="utf-8"))
    except (OSError, archive.tarfile.TarError) as error:
        raise Stop(f"{error}\n\n" + say("hub.backup_failed")) from None
    print(say("hub.backed_up", number=len(people), files=told.files, file=target))
    if told.changed:
        print(say("hub.backup_changed", names="\n".join(told.changed)))
    if told.unread:
        raise Stop(say("hub.backup_unread", names="\n".join(told.unread)))


def restore(place: Place, settings: Settings, given: argparse.Namespace) -> None:
    """Files out of a back-up: into a folder beside the present ones, or over them."""
    try:
        about = archive.about(given.file)
    except OSError as error:
        raise Stop(f"{error}\n\n" + say("hub.no_archive", file=given.file)) from None
    people, now = about["people"], _people_now(settings)
    if unknown := [name for name in given.accounts if name not in people]:
        raise Stop(say("hub.not_in_archive", names=" ".join(unknown)))
    if given.over and service.running(place, settings):
        raise Stop(say("hub.stop_first"))
    wanted = given.accounts or sorted(people)
    others = [name for name in wanted if name in now and now[name] != people[name] and name != settings.teacher]
    wanted = [name for name in wanted if name not in others]
    accounts.make_groups(settings.name)
    made = [accounts.add(people[name], name, [settings.name]) for name in wanted if name not in now]
    new = {account.name for account in made}
    folders = {}
    for name in wanted:
        home = Path(pwd.getpwnam(name).pw_dir)
        folders[name] = home if given.over or name in new else _free(home / f"restored-{about['made']}")
    troubles = archive.restore(given.file, folders)
    print(say("hub.restored", number=len(folders), folders="\n".join(map(str, folders.values()))))
    if made:
        _slips(made, settings, given)
    if others:
        troubles += [say("hub.another_person", name=name, then=people[name], now=now[name]) for name in others]
    if troubles:
        raise Stop("\n".join(troubles))


def remove_student(place: Place, settings: Settings, given: argparse.Namespace) -> None:
    """One account, with its files, its server and all the hub knows of it."""
    people = _people_now(settings)
    if given.account == settings.teacher:
        raise Stop(say("hub.teacher_stays"))
    if given.account not in people:
        raise Stop(say("hub.no_such_account", name=given.account))
    if not given.yes:
        raise Stop(say("hub.remove_student_asks", name=given.account, person=people[given.account]))
    service.forget(place, settings, given.account)
    accounts.remove(given.account)
    print(say("hub.removed_student", name=given.account, person=people[given.account]))


def remove(place: Place, settings: Settings, given: argparse.Namespace) -> None:
    """End of term: accounts with their homes, the service and all that setup has made."""
    people = accounts.members(settings.name)
    if not given.yes:
        raise Stop(say("hub.remove_asks", number=len(people), folder=place.folder))
    service.stop(place, settings)
    accounts.remove(*(account.pw_name for account in people))
    subprocess.run(["groupdel", settings.name], check=False, capture_output=True)
    remote.allow(settings)
    install.remove(place, settings)
    print(say("hub.removed", number=len(people)))


COMMANDS = {"setup": setup, "start": start, "stop": stop, "status": status, "update": update, "password": password,
            "backup": backup, "restore": restore, "remove-student": remove_student, "remove": remove}


def _check(settings: Settings, before: Settings | None) -> None:
    """Refuse choices that would touch what is not this class's, or that no class can work with."""
    if before and settings.name != before.name:
        raise Stop(say("hub.name_stays", name=before.name))
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,30}", settings.name) or install.is_anothers(settings):
        raise Stop(say("hub.name_taken", name=settings.name))
    for name, least, most in (("port", 1, 65_533), ("memory", 512, 1 << 20), ("kernels", 1, 100), ("file", 16, 1 << 20),
                              ("home", 16, 1 << 24), ("idle", 5, 100_000)):
        if not least <= getattr(settings, name) <= most:
            raise Stop(say("hub.number_outside", option=f"--{name}", value=getattr(settings, name), least=least,
                           most=most))
    if settings.public_address and not re.fullmatch(r"https?://[^\s/?#@]+", settings.public_address):
        raise Stop(say("hub.no_address", address=settings.public_address))
    handout.folder(settings.notebooks)
    if bool(settings.certificate) != bool(settings.key):
        raise Stop(say("hub.certificate_and_key"))
    for path in filter(None, (settings.certificate, settings.key)):
        if not Path(path).is_file() or not Path(path).is_absolute():
            raise Stop(say("hub.no_file", path=path))


def _people(given: argparse.Namespace) -> list[str]:
    """Whom the class list names, in its order, or as many as were asked for."""
    if given.class_list:
        try:
            students = class_list.read_class(given.class_list)
        except ValueError as refused:
            raise Stop(str(refused)) from None
        return [f"{student.name} {student.number}".strip() for student in students]
    return [say("hub.student", number=number + 1) for number in range(given.students or 0)]


def _make_accounts(settings: Settings, people: list[str]) -> list[accounts.Account]:
    accounts.make_groups(settings.name)
    accounts.take_shells(settings.name)
    have, made = _people_now(settings), []
    if settings.teacher not in have:
        made.append(accounts.add(say("hub.teacher"), settings.teacher, [settings.name]))
    students = {name: person for name, person in have.items() if name != settings.teacher}
    for person, name in accounts.assign(people, students, settings.prefix):
        made.append(accounts.add(person, name, [settings.name]))
    return made


def _people_now(settings: Settings) -> dict[str, str]:
    """Account -> person of the class as it is."""
    return {account.pw_name: account.pw_gecos.split(",")[0] for account in accounts.members(settings.name)}


def _slips(made: list[accounts.Account], settings: Settings, given: argparse.Namespace) -> None:
    path = slips.store(made, service.addresses(settings)[0], (given.slips or Path("slips.html")).absolute())
    print(say("hub.slips", number=len(made), file=path))


def _free(folder: Path) -> Path:
    """This folder, or one beside it where there is one already."""
    number, free = 1, folder
    while os.path.lexists(free):
        number += 1
        free = folder.with_name(f"{folder.name}-{number}")
    return free


@contextmanager
def _alone(place: Place):
    """One command at a time for each class."""
    descriptor = os.open(place.folder / ".lock", os.O_WRONLY | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Stop(say("hub.busy")) from None
        yield


def _language(arguments: list[str]) -> str:
    """That of ``--language``, of the class that was set up, or of the machine: also for what argparse says."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--language", choices=LANGUAGES)
    early.add_argument("--folder", type=Path, default=FOLDER)
    try:
        given, _ = early.parse_known_args([word for word in arguments if word not in ("-h", "--help")])
    except SystemExit:
        return user_language()
    place = Place(given.folder)
    return given.language or (load(place).language if place.settings.exists() else user_language())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="classroom.py", description=say("hub.help"), allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="|".join(COMMANDS))
    usual = Settings()
    for name in COMMANDS:
        words = say(f"hub.help_{name.replace('-', '_')}")
        command = commands.add_parser(name, help=words, description=words, allow_abbrev=False)
        command.add_argument("--folder", type=Path, default=FOLDER, help=say("hub.help_folder", usual=FOLDER))
        if name in ("setup", "password", "restore"):
            command.add_argument("--slips", type=Path, metavar="FILE", help=say("hub.help_slips"))
        if name == "setup":
            who = command.add_mutually_exclusive_group()
            who.add_argument("--class-list", type=Path, metavar="FILE", help=say("hub.help_class_list"))
            who.add_argument("--students", type=int, metavar="N", help=say("hub.help_students"))
            command.add_argument("--language", choices=LANGUAGES, help=say("hub.help_language"))
            for field in fields(Settings):
                if field.name == "language":
                    continue
                option = f"--{field.name.replace('_', '-')}"
                words = say(f"hub.help_{field.name}", usual=getattr(usual, field.name) or "–")
                if field.type is bool:
                    command.add_argument(option, action=argparse.BooleanOptionalAction, default=None, help=words)
                else:
                    command.add_argument(option, type=field.type, help=words,
                                         metavar="N" if field.type is int else field.name.upper())
        if name == "update":
            command.add_argument("--notebooks", metavar="FOLDER", help=say("hub.help_notebooks"))
        if name in ("password", "remove-student"):
            command.add_argument("account", help=say("hub.help_account"))
        if name == "status":
            command.add_argument("--homes", action="store_true", help=say("hub.help_homes"))
        if name in ("backup", "restore"):
            command.add_argument("file", type=Path, help=say("hub.help_backup_file"))
        if name == "restore":
            command.add_argument("accounts", nargs="*", metavar="account", help=say("hub.help_restore_accounts"))
            command.add_argument("--over", action="store_true", help=say("hub.help_over"))
        if name in ("remove", "remove-student"):
            command.add_argument("--yes", action="store_true", help=say("hub.help_yes"))
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
