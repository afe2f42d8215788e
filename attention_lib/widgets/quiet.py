"""What can wait until the cells have run: Run All puts every slider on the page before the first picture is drawn."""

import asyncio
import time

from IPython import get_ipython

_GAP = 0.06  # seconds; between two cells that were asked for together there are far fewer

_last = 0.0  # when a cell last began or ended
_watched = None  # the shell that tells


def when_quiet(do) -> asyncio.AbstractEventLoop | None:
    """Call ``do`` when no cell has begun or ended for a moment, and give the loop that will; at once without a loop."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        do()
        return None
    _watch()

    def look():
        rest = _last + _GAP - time.monotonic()
        if rest > 0:
            loop.call_later(rest, look)
        else:
            do()

    loop.call_later(_GAP, look)
    return loop


def _watch():
    global _watched
    shell = get_ipython()
    if shell is not None and shell is not _watched:
        _watched = shell
        for event in "pre_run_cell", "post_run_cell":
            shell.events.register(event, _note)
    _note()


def _note(*_):
    global _last
    _last = time.monotonic()
