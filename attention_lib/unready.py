"""What a cell says that runs before the set-up cell: Python's NameError alone tells a beginner nothing.

An IPython extension, loaded by ``etc/ipython/ipython_kernel_config.py`` of the environment, since before the set-up
cell nothing of the lesson runs. It adds one line below the error and changes nothing else.
"""

import sys
from pathlib import Path

from . import language
from .machine import user_language


def load_ipython_extension(shell) -> None:
    """Say after each NameError which cell to run first."""
    shell.set_custom_exc((NameError,), _tell)


def _tell(shell, kind, error, trace, tb_offset=None):
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    print(words(error.name), file=sys.stderr)


def words(name: str | None) -> str:
    """The line for the missing ``name``: before ``start`` in the language of the notebook's folder or the machine."""
    if "attention_lib.begin" in sys.modules:
        spoken = language.chosen()
    else:
        folder = Path.cwd().name
        spoken = folder if folder in language.LANGUAGES else user_language()
    return language.texts(spoken)["unready"].format(name=name)
