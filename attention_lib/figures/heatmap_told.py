"""The heat map of the attention weights in words and numbers."""

import numpy as np

from .. import formulas
from ..digits import HIDDEN, fixed, marked
from ..language import say
from .told import Told


class HeatmapTold(Told):
    """Weights (n_q, n_k): which word looks at which most, and the weights in two decimals."""

    def title(self) -> str:
        """Two lines: what is to be seen, which depends on whether the rows sum to 1, and the formula in force."""
        e = self.experiment
        whole = np.allclose(e["weights"].sum(axis=1), 1, rtol=0, atol=1e-9)
        return say("figure.heatmap.title" if whole else "figure.heatmap.title_not_1") + "\n" + formula(e)

    def summary(self):
        e = self.experiment
        told = [_who(e, row, weights) for row, weights in enumerate(e["weights"])]
        known = say("figure.heatmap.summary")
        if e.hidden("weights") is not None:
            known += say("figure.heatmap.hatched")
        return known + say("figure.gap") + say("figure.join").join(told) + say("figure.stop")

    def table(self):
        e = self.experiment
        hidden = e.hidden("weights")
        cells = marked([[fixed(w, 2) for w in row] for row in e["weights"]], hidden)
        title = self.title() if hidden is None else f"{self.title()} · {HIDDEN} {say('matrix.hidden')}"
        return title, [f"Q:{word}" for word in e.words], [f"K:{word}" for word in e.key_words], cells


def formula(e) -> str:
    """The formula of the attention as it is computed in this experiment, set tight."""
    return formulas.output(e, formulas.weights(e, "QKᵀ"), "").replace(" / ", "/").replace("d_k", "dₖ")


def _who(e, row, weights):
    names = {"who": e.words[row], "whom": e.key_words[int(np.argmax(weights))], "weight": fixed(weights.max(), 2)}
    if np.ptp(weights) < 5e-4:
        return say("figure.heatmap.alike", **names)
    return say("figure.heatmap.most", **names)
