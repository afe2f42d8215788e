"""Predictions and exercises of the lessons: one module a lesson, ``l03`` for lesson 03, content only."""

import pkgutil
from importlib import import_module

from ..language import say


def content(table: str, key: str):
    """The entry ``key`` ("03.1", "03.a") of PREDICTIONS or EXERCISES; ValueError in words where there is none."""
    lesson = str(key).split(".")[0]
    known = getattr(import_module(f"{__name__}.l{lesson}"), table, {}) if lesson in numbers() else {}
    if key not in known:
        raise ValueError(say("lesson.unknown", asked=repr(key), known=", ".join(known) or ", ".join(numbers()) or "–"))
    return known[key]


def numbers() -> tuple[str, ...]:
    """The numbers of the lessons that have content: "01", "02", …"""
    return tuple(module.name[1:] for module in pkgutil.iter_modules(__path__) if module.name[1:].isdecimal())
