"""Where the outputs lie among the rows of V: inside their triangle, since the weights are positive and sum to 1."""

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import ConnectionPatch, Polygon, Rectangle

from .. import style
from ..digits import fixed
from ..language import say
from .axes import Labels, frame, prepare
from .geometry import along, hull, outside, reach
from .picture import Picture
from .stamps import stamp

_WHOLE = (0.07, 0.165, 0.44, 0.62)  # of the axes, in parts of the figure
_ZOOM = (0.575, 0.225, 0.355, 0.5)
_FACTORS = (100, 50, 20, 10, 5, 4, 3, 2, 1)


class Triangle(Picture):
    """The rows of V as corners, the outputs as points; beside it the outputs again, enlarged until they part."""

    size = (7.4, 5.2)

    def build(self):
        self.whole = self.figure.add_axes(_WHOLE)
        self.zoom = self.figure.add_axes(_ZOOM)
        self.parts = TriangleAxes(self.whole, self.zoom, self.experiment)
        self.heading = self.figure.suptitle("", x=0.5, y=0.975, va="top", fontsize=style.TITLE)
        self.note = self.figure.text(0.5, 0.905, "", ha="center", va="top", color=style.QUIET)
        self.moving = self.parts.moving
        if self.parts.flat:
            kinds = (style.VALUE, "s", "values"), (style.OUTPUT, "o", "outputs")
            handles = [Line2D([], [], color=colour, marker=mark, markersize=8, linestyle="",
                              label=say(f"figure.triangle.{kind}")) for colour, mark, kind in kinds]
            self.figure.legend(handles=handles, loc="lower center", ncols=2, handletextpad=0.2)

    def update(self):
        before = self.heading.get_text(), self.note.get_text()
        self.heading.set_text(self._title())
        self.note.set_text(self._note())
        changed = self.parts.update() if self.parts.flat else False
        return changed or before != (self.heading.get_text(), self.note.get_text())

    def summary(self):
        return f"{self._title()}{say('figure.stop')}{say('figure.gap')}{self._note()}".strip()

    def table(self):
        e = self.experiment
        names = [f"V:{word}" for word in e.key_words] + [say("figure.triangle.output", word=word) for word in e.words]
        cells = [[fixed(x, 3) for x in row] for row in (*e["V"], *e["output"])]
        return self._title(), names, e.labels("V")[1], cells

    def _title(self):
        which = "title" if len(self.experiment["V"]) == 3 else "title_hull"
        return say(f"figure.triangle.{which}{'_outside' if self._outside() else ''}")

    def _note(self):
        if not self.parts.flat:
            return ""
        if self._outside():
            return say("figure.triangle.outside")
        V = self.experiment["V"]
        return say("figure.triangle.on_a_line" if len(hull(V)) < 3 <= len(V) else "figure.triangle.why")

    def _outside(self):
        e = self.experiment
        return self.parts.flat and outside(hull(e["V"]), e["output"]).any()


class TriangleAxes:
    """The rows of V and the outputs on two given Axes: all of it, and enlarged what lies around the outputs."""

    def __init__(self, whole, zoom, experiment):
        self.whole, self.zoom, self.experiment = whole, zoom, experiment
        columns = experiment["V"].shape[1]
        self.flat = columns == 2
        if not self.flat:
            whole.set_axis_off()
            zoom.set_axis_off()
            whole.figure.text(0.5, 0.5, say("figure.triangle.not_flat", n=columns), ha="center", va="center",
                              linespacing=1.5)
            self.moving = []
            return
        n, m = len(experiment["V"]), len(experiment["output"])
        prepare(whole)
        zoom.tick_params(left=False, bottom=False, labelleft=False, labelbottom=False)
        zoom.spines[:].set(edgecolor=style.QUIET, linewidth=1.2)
        zoom.set_title("", fontsize=style.LABEL, pad=7)
        for ax in (whole, zoom):
            ax.set_aspect("equal", adjustable="box")
        self.shapes = [ax.add_patch(Polygon(np.zeros((3, 2)), facecolor="#d9efe9", edgecolor=style.VALUE, linewidth=2))
                       for ax in (whole, zoom)]
        corners = [ax.plot([], [], "s", color=style.VALUE, markersize=9)[0] for ax in (whole, zoom)]
        outputs = [ax.plot([], [], "o", color=style.OUTPUT, markersize=size)[0]
                   for ax, size in ((whole, 6), (zoom, 10))]
        self.marks = corners, outputs
        self.window = whole.add_patch(Rectangle((0, 0), 1, 1, fill=False, edgecolor=style.QUIET, linewidth=1.2))
        self.links = [ConnectionPatch((0, 0), corner, whole.transData, zoom.transAxes, color=style.QUIET, linewidth=0.8)
                      for corner in ((0, 1), (0, 0))]
        for link in self.links:
            whole.figure.add_artist(link)
        self.corner_labels = Labels(whole, n, [style.VALUE], style.LABEL)
        self.output_labels = Labels(zoom, m, [style.OUTPUT], style.LABEL)
        self.corner_words = [f"V:{word}" for word in style.readable(experiment.key_words)]
        self.output_words = style.readable(experiment.words)
        places = ((0, -0.03, "left", "top"), (1, -0.03, "right", "top"),
                  (1.025, 0, "left", "bottom"), (1.025, 1, "left", "top"))
        self.ends = [stamp(zoom, x, y, style.TICK, ha=ha, va=va, transform=zoom.transAxes) for x, y, ha, va in places]
        self.moving = [*self.shapes, *corners, self.window, *self.links, *outputs,
                       *self.corner_labels.stamps, *self.output_labels.stamps, *self.ends]

    def update(self) -> bool:
        """Draw the present points; True where axes or the title above them changed."""
        V, output = self.experiment["V"], self.experiment["output"]
        low, high = reach(np.concatenate([V, output]).ravel())
        changed = [frame(axis, low, high, 0.14) for axis in (self.whole.xaxis, self.whole.yaxis)]
        corners = hull(V)
        for shape, mark, point in zip(self.shapes, *self.marks, strict=True):
            shape.set_xy(corners)
            mark.set_data(*V.T)
            point.set_data(*output.T)
        factor, left, bottom, side = self._window(output)
        self.window.set_bounds(left, bottom, side, side)
        for link, y in zip(self.links, (bottom + side, bottom), strict=True):
            link.xy1 = (left + side, y)
        self.zoom.set(xlim=(left, left + side), ylim=(bottom, bottom + side))
        self.zoom.apply_aspect()
        for number, end in zip(self.ends, (left, left + side, bottom, bottom + side), strict=True):
            number.set_text(fixed(end, 3 if factor >= 10 else 2))
        for artist in (self.window, *self.links):
            artist.set_visible(factor > 1)
        before = self.zoom.get_title()
        self.zoom.title.set_text(say(f"figure.triangle.{'zoom' if factor > 1 else 'same_size'}", factor=factor))
        edges = along(corners, np.roll(corners, -1, axis=0), steps=25)
        square = np.array([(left, bottom), (left + side, bottom), (left + side, bottom + side), (left, bottom + side)])
        taken = np.vstack([edges, output, along(square, np.roll(square, -1, axis=0), steps=10)])
        self.corner_labels.move(V, self.corner_words, V - V.mean(axis=0), taken)
        self.output_labels.move(output, self.output_words, output - output.mean(axis=0), np.vstack([edges, V]))
        return before != self.zoom.get_title() or any(changed)

    def _window(self, output):
        """How many times larger the outputs are shown, and the square they are taken from: left, bottom, side."""
        low, high = np.array(self.whole.get_xlim())
        spread = max(np.ptp(output, axis=0))
        factor = next(f for f in _FACTORS if f == 1 or spread <= 0.5 * (high - low) / f)
        if factor == 1:
            return 1, low, low, high - low
        side = (high - low) / factor
        grid = side / 4  # the window keeps its place while the outputs move a little, so that one sees them move
        middle = np.round((output.max(axis=0) + output.min(axis=0)) / 2 / grid) * grid
        return factor, *(middle - side / 2), side
