"""Write constraints.txt anew: ``/usr/bin/python3.11 tests/make_constraints.py``, on Debian 12.

Installs all requirements of learners, tests, classes and the website into an environment of its own, without
constraints, and pins all that came. Newer Pythons and other systems install the same versions; what only they need
besides (pywinpty and colorama on Windows) is left to pip.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11, 2)  # Debian 12's; some packages want 3.11.5
LISTS = ("requirements.txt", "requirements-site.txt", "requirements-test.txt", "requirements-classroom.txt")
HEADING = "# Every package that a fresh install brings, pinned. Made by: python tests/make_constraints.py\n"


def main() -> None:
    if sys.version_info[:3] != OLDEST:
        sys.exit(f"needs Python {'.'.join(map(str, OLDEST))}, so that every supported one can install what is pinned")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = Path(folder) / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        listed = [part for name in LISTS for part in ("-r", name)]
        subprocess.run([*pip, "install", "-q", *listed], cwd=ROOT, check=True)
        pinned = subprocess.run([*pip, "freeze", "--exclude-editable"], capture_output=True, check=True,
                                encoding="utf-8").stdout
    (ROOT / "constraints.txt").write_text(HEADING + pinned, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
