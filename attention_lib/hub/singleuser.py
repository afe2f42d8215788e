"""A student's server on the class's hub: ``python -m attention_lib.hub.singleuser``.

Two things take most of the time JupyterLab needs to start, and a class needs neither. jsonschema builds a grammar of
international addresses when ``rfc3987_syntax`` can be imported (2 s of processor time), and JupyterLab asks Node.js for
the settings of a package manager when there is a Node.js (1 s). With thirty starting at once, that is a minute.
"""

import os
import sys
from pathlib import Path

LESSON = "attention"  # folder in the student's home
PRISTINE = "pristine"


def start_quickly() -> None:
    """Spare JupyterLab the two things above; where a later version names them otherwise, nothing is changed."""
    sys.modules["rfc3987_syntax"] = None
    import jupyterlab.commands

    jupyterlab.commands._yarn_config = lambda logger: {"yarn config": {}, "npm config": {}}


def hand_out(home: Path, source: Path) -> None:
    """Fetch the lesson, or the teacher's changes to it; the server starts all the same where that fails."""
    from nbgitpuller.pull import GitPuller

    try:
        for line in GitPuller(f"file://{source}", str(home / LESSON), branch="main").pull():
            print(line.rstrip(), flush=True)
        link = home / PRISTINE
        if not link.is_symlink() and not link.exists():
            link.symlink_to(source)
    except Exception as error:
        print(f"attention_lib.hub: the lesson was not fetched: {error!r}", file=sys.stderr, flush=True)


def main() -> None:
    if source := os.environ.get("ATTENTION_HANDOUT"):
        hand_out(Path.home(), Path(source))
    start_quickly()
    from jupyterhub.singleuser import main as serve

    sys.exit(serve())


if __name__ == "__main__":
    main()
