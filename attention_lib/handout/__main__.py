"""``python -m attention_lib.handout``: writes the handouts, one HTML file a lesson, and their PDFs if asked for."""

import sys
from dataclasses import replace

from ..language import say
from ..machine import find_browser, plain_console
from ..printing import NotPrinted, print_pdf
from . import options
from .page import Look, page


def main(arguments: list[str]) -> int:
    """0 when everything asked for was written, else 1."""
    plain_console()
    if options.wants_help(arguments):
        print(say("handout.help"))
        return 0
    try:
        return write(options.read(arguments))
    except options.Refused as refused:
        print(refused, file=sys.stderr)
    except OSError as error:
        print(say("handout.cannot_write", error=error), file=sys.stderr)
    return 1


def write(wanted: options.Options) -> int:
    """Every lesson as HTML; as PDF too, where that was asked for and there is a browser to print with."""
    wanted.out.mkdir(parents=True, exist_ok=True)
    look = Look(wanted.code, wanted.solutions, wanted.paper, frozenset(path.stem for path in wanted.lessons))
    browser = find_browser() if wanted.pdf else None
    failed = 0
    for path in wanted.lessons:
        html = wanted.out / f"{path.stem}.html"
        html.write_text(page(path, wanted.language, look), encoding="utf-8", newline="\n")
        print(say("handout.wrote", path=html), flush=True)
        if browser:
            pdf = html.with_suffix(".pdf")
            try:
                # on paper a link leads nowhere, and would give away the folder of this machine
                print_pdf(browser, page(path, wanted.language, replace(look, linked=frozenset())), pdf)
                print(say("handout.wrote", path=pdf), flush=True)
            except NotPrinted as error:
                failed = 1
                print(say("handout.not_printed", path=html, error=error), file=sys.stderr)
    if wanted.pdf and not browser:
        failed = 1
        print(say("handout.no_browser"), file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
