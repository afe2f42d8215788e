"""How much room the class takes on the disk that it shares. Standard library only."""

import pwd
import shutil
import subprocess

from attention_lib.language import say

_LOW = 0.1  # of the disk


def report(people: list[pwd.struct_passwd], most: int, everybody: bool = False) -> list[str]:
    """Lines for ``status``: all homes together, who has more than ``most`` megabytes, whether the disk is nearly full.

    everybody: a line for each home, the largest first.
    """
    if not people:
        return []
    used = sizes(people)
    disk = shutil.disk_usage(people[0].pw_dir)
    free = disk.free >> 20
    lines = [say("hub.space", used=sum(used.values()), free=free)]
    for account in sorted(people, key=lambda account: (-used.get(account.pw_name, 0), account.pw_name)):
        megabytes, person = used.get(account.pw_name, 0), account.pw_gecos.split(",")[0]
        if megabytes > most:
            lines.append(say("hub.space_over", megabytes=megabytes, name=account.pw_name, person=person, most=most))
        elif everybody:
            lines.append(say("hub.space_of", megabytes=megabytes, name=account.pw_name, person=person))
    if disk.free < _LOW * disk.total:
        lines.append(say("hub.space_low", free=free))
    return lines


def sizes(people: list[pwd.struct_passwd]) -> dict[str, int]:
    """Account -> megabytes its home takes on the disk, rounded up."""
    # A file that is deleted meanwhile makes du fail, but not its figures.
    told = subprocess.run(["du", "--summarize", "--one-file-system", "--block-size=1M", "--",
                           *(account.pw_dir for account in people)], check=False, capture_output=True, encoding="utf-8")
    by_home = {home: int(megabytes) for megabytes, home in (line.split("\t") for line in told.stdout.splitlines())}
    return {account.pw_name: by_home[account.pw_dir] for account in people if account.pw_dir in by_home}
