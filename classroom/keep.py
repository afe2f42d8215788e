"""Keeps the hub running on a machine without systemd: starts it, and again when it dies. Standard library only."""

import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAUSE = 1.0  # seconds before another start; each failure in a row doubles it
LONGEST = 60.0


def hub_command(python: Path | str, code: Path, private: Path) -> list[str]:
    """How the hub is started, by this or by systemd."""
    return [str(python), "-m", "jupyterhub", f"--config={code / 'jupyterhub_config.py'}", "--upgrade-db",
            f"--pid-file={private / 'jupyterhub.pid'}"]


def main() -> int:
    hub, ending, pause, private = None, False, PAUSE, HERE.parent / "private"

    def end(_signal, _frame):
        nonlocal ending
        ending = True
        if hub is not None:
            hub.terminate()  # not wait(): the loop below is inside it, and its lock is held

    signal.signal(signal.SIGTERM, end)
    while not ending:
        began = time.monotonic()
        hub = subprocess.Popen(hub_command(sys.executable, HERE, private), cwd=private)
        if hub.wait() == 0 or ending:
            break
        pause = PAUSE if time.monotonic() - began > LONGEST else min(2 * pause, LONGEST)
        print(f"keep.py: the hub ended with {hub.returncode}; starting it again in {pause:g} s", flush=True)
        time.sleep(pause)
    return 0


if __name__ == "__main__":
    sys.exit(main())
