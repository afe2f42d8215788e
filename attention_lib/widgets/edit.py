"""Slider grids: an input matrix under the learner's hands."""

import ipywidgets
import numpy as np
from traitlets import CFloat, Dict, List, validate

from ..arithmetic import explain
from ..digits import clean, parse, short
from ..language import say
from ..live import Live
from .base import front_end, remember, table_html, table_text
from .layout import Columns
from .panel import Panel
from .saving import stem


class EntrySlider(ipywidgets.FloatSlider):
    """A FloatSlider whose value has no dust of binary addition: 0.3, never 0.30000000000000004."""

    value = CFloat(0.0).tag(sync=True, echo_update=False)  # the page knows what it sent: a message less for each move

    @validate("value")
    def _validate_value(self, proposal):  # the name of the method it replaces
        value = proposal["value"]
        if not np.isfinite(value):
            raise ValueError(say("error.needs_finite"))
        return clean(min(max(value, self.min), self.max))


class MatrixSliders(Panel):
    """One FloatSlider and one number field for each entry of an input matrix, laid out as the matrix is."""

    _esm = front_end("edit.js", "edit.css")
    sliders = List().tag(sync=True, **ipywidgets.widget_serialization)
    frame = Dict().tag(sync=True)
    lit = List(default_value=[]).tag(sync=True)

    def __init__(self, experiment: Live, name: str, low=-2.0, high=2.0, step=0.1):
        self.experiment, self.name, self.low, self.high = experiment, name, float(low), float(high)
        self._setting = False
        matrix = experiment[name]
        self.low, self.high = min(self.low, float(matrix.min())), max(self.high, float(matrix.max()))
        rows, columns = experiment.labels(name)
        # One layout and one style for all: each would be a widget of its own.
        layout, style = ipywidgets.Layout(width="auto", min_width="80px", margin="0"), ipywidgets.SliderStyle()
        sliders = [
            EntrySlider(value=value, min=self.low, max=self.high, step=step, readout=False, layout=layout, style=style,
                        continuous_update=False)  # edit.js sends each move; the slider's own way snaps typed numbers
            for value in matrix.flat
        ]
        super().__init__(
            sliders=sliders,
            frame={
                "name": name, "title": experiment.title(name), "shape": str(matrix.shape),
                "rows": list(rows), "columns": list(columns), "reset": say("edit.reset"),
                "resetName": say("edit.reset_name", name=name),
                "sliderNames": self._names("edit.slider"), "fieldNames": self._names("edit.number"),
            },
        )
        for slider in sliders:
            slider.observe(self._on_slider, "value")
        self.follow(experiment, self._show_input, name)
        self.follow(experiment, self._light, "focus")
        self.on_msg(self._on_page)
        self._light()
        remember(self)

    def file_stem(self):
        return stem(self.name, "sliders")

    @property
    def value(self) -> np.ndarray:
        """The matrix as a fresh array; assigning a whole one notifies once."""
        return np.array([slider.value for slider in self.sliders]).reshape(self.experiment[self.name].shape)

    @value.setter
    def value(self, matrix):
        self.experiment.set(**{self.name: matrix})

    def reset(self) -> None:
        """Back to how the matrix began."""
        self.experiment.reset(self.name)

    def type(self, row: int, column: int, text: str) -> None:
        """What a person typed into a number field: taken, clamped with a word about it, or refused in words."""
        where = f"{self.name}[{row + 1}, {column + 1}]"
        slider = self.sliders[row * self.experiment[self.name].shape[1] + column]
        try:
            number = parse(text)
        except ValueError:
            raise ValueError(say("edit.not_a_number", text=text, name=where)) from None
        nearest = min(max(number, self.low), self.high)
        self.experiment.set_entry(self.name, row, column, nearest)
        slider.value = nearest
        if nearest != number:
            raise ValueError(say("edit.outside", value=short(number), low=short(self.low), high=short(self.high),
                                 nearest=short(nearest), name=where))

    def close(self):
        parts = [*self.sliders, self.sliders[0].layout, self.sliders[0].style] if self.sliders else []
        super().close()
        for part in parts:
            part.close()

    def _on_slider(self, _change):
        if self._setting:
            return
        with self.guard():
            try:
                self.value = self.value
            except ValueError:
                self._show_input()
                raise

    def _on_page(self, _widget, content, _buffers):
        with self.guard():
            if content.get("reset"):
                self.reset()
            elif "typed" in content:
                try:
                    self.type(*content["typed"])
                finally:
                    self.send({"settled": content["typed"][:2]})

    def _show_input(self, _change=None):
        self._setting = True
        try:
            for slider, value in zip(self.sliders, self.experiment[self.name].flat, strict=True):
                if value > slider.max:
                    slider.max = float(value)
                if value < slider.min:
                    slider.min = float(value)
                slider.value = float(value)
        finally:
            self._setting = False

    def _light(self, _change=None):
        focus = self.experiment.focus
        sources = explain(self.experiment, *focus).sources if focus else ()
        self.lit = [list(source[1:]) for source in sources if source[0] == self.name]

    def _names(self, key):
        rows, columns = self.experiment.labels(self.name)
        return [[say(key, name=self.name, row=row, column=column) for column in columns] for row in rows]

    def static_html(self) -> str:
        return self._static(table_html)

    def static_text(self) -> str:
        return self._static(table_text)

    def _static(self, table):
        frame = self.frame
        cells = [[short(x) for x in row] for row in self.experiment[self.name]]
        return table(f"{frame['name']} {frame['title']} {frame['shape']}", frame["rows"], frame["columns"], cells)


class Editors(Columns):
    """Slider grids beside each other."""

    @property
    def value(self) -> dict[str, np.ndarray]:
        return {grid.name: grid.value for grid in self.children}


def edit(experiment: Live, *names: str, low: float = -2.0, high: float = 2.0, step: float = 0.1):
    """Sliders for input matrices, all of them where none is named.

    names: any of ``experiment.inputs``. low, high, step: of every slider; an entry outside widens the range.
    Raises ValueError for a matrix that is computed and so cannot be edited.
    """
    for name in names:
        if name not in experiment.inputs:
            experiment.set(**{name: 0})  # refused there, in words
    grids = [MatrixSliders(experiment, name, low, high, step) for name in names or experiment.inputs]
    return grids[0] if len(grids) == 1 else Editors(*grids)
