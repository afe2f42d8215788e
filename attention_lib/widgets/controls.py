"""Switches: scaling, mask, and faults on purpose."""

from html import escape

import numpy as np
from traitlets import Dict, List

from ..digits import equals, short
from ..experiment import Experiment
from ..faults import FAULTS
from ..language import say
from ..maths import causal_mask
from ..rules import rule
from ..validate import one_of, scale_factor
from .base import front_end, remember
from .panel import Panel

GROUPS = ("scaling", "mask", "fault")


class Controls(Panel):
    """Groups of radio buttons, each with a line that says what the choice does. They follow the experiment."""

    _esm = front_end("controls.js", "controls.css")
    saving = ""
    frames = List(Dict()).tag(sync=True)
    chosen = Dict().tag(sync=True)  # group -> {key, told: lines, broken: what no longer holds}

    def __init__(self, experiment: Experiment, *groups: str):
        self.experiment, self.groups = experiment, groups
        options = {"scaling": ("none", "root", "d_k"), "mask": _masks(experiment), "fault": _faults(experiment)}
        super().__init__(
            frames=[
                {"name": group, "legend": say(f"controls.{group}"),
                 "options": [{"key": key, "label": say(f"controls.{group}.{key}")} for key in options[group]]}
                for group in groups
            ],
            chosen=self._chosen(),
        )
        self.follow(experiment, self._refresh, "steps")
        self.on_msg(self._on_page)
        remember(self)

    def choose(self, group: str, key: str) -> None:
        """Set one switch; ``key`` is the key of one of its options, such as "none", "causal" or "V is K"."""
        e = self.experiment
        offered = {frame["name"]: [option["key"] for option in frame["options"]] for frame in self.frames}
        if group not in tuple(offered):
            raise one_of("controls", group, offered)
        if key not in offered[group]:
            raise one_of(group, key, offered[group])
        if group == "scaling":
            e.set(scale={"none": False, "root": True, "d_k": 1 / e["K"].shape[1]}[key])
        elif group == "mask":
            e.set(mask=None if key == "none" else causal_mask(len(e.words)))
        else:
            e.set(fault=None if key == "none" else key)

    def _on_page(self, _widget, content, _buffers):
        with self.guard():
            self.choose(*content["choose"])

    def _refresh(self, _change=None):
        with self.guard():
            self.chosen = self._chosen()

    def _chosen(self):
        state = {"scaling": _scaling, "mask": _mask, "fault": _fault}
        return {group: dict(zip(("key", "told", "broken"), state[group](self.experiment), strict=True))
                for group in self.groups}

    def static_html(self) -> str:
        return "".join(f"<div>{escape(line)}</div>" for line in self._lines())

    def static_text(self) -> str:
        return "\n".join(self._lines())

    def _lines(self):
        for frame in self.frames:
            state = self.chosen[frame["name"]]
            labels = {option["key"]: option["label"] for option in frame["options"]}
            yield f"{frame['legend']}{say('list.colon')}{labels.get(state['key'], '—')}"
            yield from (f"  {line}" for line in (*state["told"], state["broken"]) if line)


def _scaling(e):
    d_k = e["K"].shape[1]
    key = next((key for key, value in (("none", False), ("root", True)) if e.scale is value), None)
    if key is None and e.scale == 1 / d_k:
        key = "d_k"
    factor = scale_factor(e.scale, d_k)
    written = {"equals": equals(factor, decimals=4), "factor": short(factor, 4)}
    told = say(f"controls.scaling.told.{key or 'own'}", d_k=d_k, **written)
    return key or "", [told] + [say("controls.scaling.off")] * (e.fault == "no scaling"), ""


def _mask(e):
    hidden, pairs = (0, e["weights"].size) if e.mask is None else (int(np.sum(~e.mask)), e.mask.size)
    causal = "causal" in _masks(e) and np.array_equal(e.mask, causal_mask(len(e.words)))
    key = "none" if e.mask is None else "causal" if causal else ""
    return key, [say(f"controls.mask.told.{key or 'own'}", hidden=hidden, pairs=pairs)], ""


def _fault(e):
    if e.fault is None:
        return "none", [say("fault.none")], ""
    about = rule(e)
    told = [say(f"fault.{e.fault}")]
    return e.fault, told + [about.text] * about.holds, "" if about.holds else about.text


def _masks(e):
    return ("none", "causal") if len(e.words) == len(e.key_words) else ("none",)


def _faults(e):
    """The faults that change something in an experiment of this kind and these shapes."""
    fits = {
        "mask after softmax": len(e.words) == len(e.key_words) or e.mask is not None,
        "V is K": e["V"].shape == e["K"].shape,
        "W_K is W_Q": "X" in e.inputs,
    }
    return ("none", *(fault for fault in FAULTS if fits.get(fault, True)))


def controls(experiment: Experiment, *which: str) -> Controls:
    """Switches of an experiment, all of them where none is named.

    which: any of "scaling" (none, ÷ √d_k, ÷ d_k), "mask" (none, causal), "fault" (FAULTS: the computation broken on
    purpose; a line says why it is wrong, and what no longer holds is told in red with the numbers).
    Raises ValueError for another name.
    """
    for group in which:
        if group not in GROUPS:
            raise one_of("controls", group, GROUPS)
    return Controls(experiment, *(which or GROUPS))
