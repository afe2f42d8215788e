"""The slips a teacher prints, cuts and hands out: one account and its password each. Standard library only."""

import os
from html import escape
from pathlib import Path

from accounts import Account
from settings import write

from attention_lib import language
from attention_lib.language import say

_STYLE = """
@page { margin: 12mm }
body { font: 12pt/1.5 system-ui, "Noto Sans CJK SC", "Microsoft YaHei", sans-serif; margin: 0; color: #000 }
main { display: grid; grid-template-columns: 1fr 1fr }
section { border: 1px dashed #666; padding: 5mm; break-inside: avoid }
h2 { font-size: 13pt; margin: 0 0 2mm }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 1mm 4mm; margin: 0 }
dd { margin: 0; font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13pt }
"""


def page(accounts: list[Account], address: str) -> str:
    """One HTML page of slips."""
    slips = "\n".join(
        f"<section><h2>{escape(account.person)}</h2><dl>"
        + "".join(f"<dt>{escape(say(label))}</dt><dd>{escape(value)}</dd>" for label, value in (
            ("hub.slip_address", address), ("hub.slip_account", account.name),
            ("hub.slip_password", account.password)))
        + "</dl></section>"
        for account in accounts
    )
    title = escape(say("hub.slip_title"))
    return (f'<!DOCTYPE html>\n<html lang="{language.chosen()}"><head><meta charset="utf-8"><title>{title}</title>'
            f"<style>{_STYLE}</style></head><body><main>\n{slips}\n</main></body></html>\n")


def store(accounts: list[Account], address: str, wanted: Path) -> Path:
    """Write the page to ``wanted``, or beside it where that exists already: older slips are still somebody's.

    Only who gave the command may read it, also when it was given by sudo.
    """
    path, number = wanted, 1
    while path.exists():
        number += 1
        path = wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}")
    write(path, page(accounts, address), 0o600)
    if user := os.environ.get("SUDO_UID"):
        os.chown(path, int(user), int(os.environ.get("SUDO_GID", -1)))
    return path
