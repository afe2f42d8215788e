"""The first line of every lesson."""

from . import doctor, language


def start(chosen: str) -> None:
    """Choose the language of the lesson, "zh" or "en"; says in words what is missing on this machine, if anything.

    Raises ValueError for a language there is no text for.
    """
    language.choose(chosen)
    for line in doctor.missing():
        print(line)
