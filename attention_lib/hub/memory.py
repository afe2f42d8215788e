"""Words for a student whose cell used up the memory or the disk space there is for one: an extension of IPython."""

import errno
import os
import resource

from .. import language
from ..language import say

_FULL = (errno.ENOSPC, errno.EDQUOT)


def load_ipython_extension(shell) -> None:
    """Show the words below the traceback of every MemoryError and of an OSError that says that no room is left."""
    if (chosen := os.environ.get("ATTENTION_LANGUAGE")) in language.LANGUAGES:
        language.choose(chosen)
    earlier, show_earlier = shell.custom_exceptions, shell.CustomTB  # IPython has room for one handler only

    def show(shell, kind, error, traceback, tb_offset=None):
        if isinstance(error, earlier):
            return show_earlier(kind, error, traceback, tb_offset=tb_offset)
        return _show(shell, kind, error, traceback, tb_offset)

    shell.set_custom_exc((*earlier, MemoryError, OSError), show)


def advice(error: BaseException) -> str | None:
    """What to tell a student about this error; None where it is not one of room."""
    if isinstance(error, MemoryError):
        limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        return say("hub.memory_over", megabytes=limit >> 20)
    if isinstance(error, OSError) and error.errno in _FULL:
        return say("hub.disk_over")
    if isinstance(error, OSError) and error.errno == errno.EFBIG:
        return say("hub.file_over", megabytes=resource.getrlimit(resource.RLIMIT_FSIZE)[0] >> 20)
    return None


def _show(shell, kind, error, traceback, tb_offset=None):
    try:
        lines = shell.InteractiveTB.structured_traceback(kind, error, traceback, tb_offset=tb_offset)
    except MemoryError:
        lines = [f"{kind.__name__}: {error}"]
    if words := advice(error):
        lines = [*lines, "", words]
    shell._showtraceback(kind, error, lines)
    return lines
