"""Printing a page to PDF with a browser of this machine. Standard library only."""

import subprocess
import tempfile
from pathlib import Path

from .machine import is_root

SECONDS = 180


class NotPrinted(RuntimeError):
    """The browser wrote no PDF; its text has the browser's last words."""


def print_pdf(browser: str, html: str, pdf: Path) -> None:
    """Write the page ``html``, which needs no network, to the file ``pdf``. Raises NotPrinted."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, made = Path(folder) / "page.html", Path(folder) / "page.pdf"
        source.write_text(html, encoding="utf-8", newline="\n")
        command = [browser, "--headless", "--disable-gpu", "--no-first-run", "--disable-extensions",
                   "--no-pdf-header-footer", "--disable-background-networking", f"--user-data-dir={folder}/profile",
                   f"--print-to-pdf={made}", source.as_uri()]
        if is_root():  # Chromium will not start as root otherwise
            command.insert(1, "--no-sandbox")
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NotPrinted(str(error)) from error
        if not made.is_file() or not made.stat().st_size:
            told = done.stderr.decode("utf-8", errors="replace").strip().splitlines()
            raise NotPrinted(told[-1] if told else f"exit code {done.returncode}")
        pdf.write_bytes(made.read_bytes())
