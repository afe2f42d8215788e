"""The notebooks that students get: a repository whose work tree is also the pristine copy. Standard library only."""

import shutil
import subprocess
from pathlib import Path

from settings import Place, Settings

from attention_lib.command import ROOT, Stop, quiet_run
from attention_lib.language import LANGUAGES, say

_GIT = ("git", "-c", "user.name=teacher", "-c", "user.email=teacher@localhost", "-c", "core.fileMode=false")
BRANCH = "main"
_OWN = ROOT / "notebooks"


def folder(chosen: str) -> str:
    """A folder as it is kept in the settings: whole, or "" for the repository's own, wherever that is moved to.

    Stop where there is no lesson in it.
    """
    source = Path(chosen or _OWN).resolve()
    if not any(path.suffix == ".ipynb" for language in LANGUAGES for path in (source / language).glob("*")):
        raise Stop(say("hub.no_notebooks", folder=source))
    return "" if source == _OWN else str(source)


def update(place: Place, settings: Settings) -> list[str]:
    """Hand out the notebooks of the chosen folder as they are now; the names of those that changed.

    The folder has ``zh`` or ``en`` in it. A notebook that is no longer there is taken out of the hand-out, too.
    """
    source = Path(folder(settings.notebooks) or _OWN)
    if not (place.handout / ".git").exists():
        place.handout.mkdir(exist_ok=True)
        quiet_run([*_GIT, "init", "--quiet", f"--initial-branch={BRANCH}", str(place.handout)], "hub.git_failed")
    for language in LANGUAGES:
        target = place.handout / "notebooks" / language
        shutil.rmtree(target, ignore_errors=True)
        if (source / language).is_dir():
            shutil.copytree(source / language, target, copy_function=shutil.copyfile, ignore=shutil.ignore_patterns(
                ".*", "__pycache__", "figures"))
    git = [*_GIT, "-C", str(place.handout)]
    quiet_run([*git, "add", "--all"], "hub.git_failed")
    changed = subprocess.run([*git, "diff", "--cached", "--name-only", "-z"], check=True, capture_output=True)
    names = [name for name in changed.stdout.decode("utf-8").split("\0") if name]
    if names:
        quiet_run([*git, "commit", "--quiet", "--message", "Hand-out"], "hub.git_failed")
    quiet_run(["chmod", "-R", "a+rX,go-w", str(place.handout)], "hub.git_failed")
    return names
