"""The same weights with the mask put in at three moments: before softmax, after it, or after it and shared out anew."""

from .digits import fixed
from .experiment import Experiment
from .explain import Explanation, number, shared_out, way
from .faults import pairs_kept
from .formulas import softmax
from .language import say
from .live import Live
from .masks import mask_after_softmax, mask_before_softmax


class MaskMoments(Live):
    """Three matrices of weights (n_q, n_k) that follow from ``scaled`` and the mask of one experiment.

    before: the right way. renormalised: equal to it on paper. after: its rows may sum to less than 1.
    """

    derived = ("before", "renormalised", "after")

    def __init__(self, experiment: Experiment):
        super().__init__()
        self.experiment = experiment
        self.set_trait("words", experiment.words)
        self.set_trait("key_words", experiment.key_words)
        self.refresh()

    def refresh(self, _change=None) -> None:
        """Compute anew from the experiment as it is now."""
        scaled, kept = self.experiment["scaled"], self.kept
        self.set_trait("steps", {
            "before": mask_before_softmax(scaled, kept),
            "renormalised": mask_after_softmax(scaled, kept, renormalise=True),
            "after": mask_after_softmax(scaled, kept),
        })

    @property
    def kept(self):
        """Booleans, True = may be looked at."""
        e = self.experiment
        return pairs_kept(e.fault, e.mask, e["scaled"].shape)

    def labels(self, name):
        return self.words, self.key_words

    def kind(self, name):
        return "weights"

    def title(self, name):
        return say(f"moment.{name}")

    def formula(self, name):
        return softmax("scaled", hides=True) if name == "before" else say(f"formula.{name}")

    def hidden(self, name):
        return None if self.kept.all() else ~self.kept


@way.register
def _(moments: MaskMoments, at, value, name, row, column):
    scaled, kept, after = moments.experiment["scaled"][row], moments.kept[row], moments["after"][row]
    if name == "before":
        return Explanation(tuple(shared_out(at, scaled, kept, column)), ())
    if name == "after":
        lines = shared_out("softmax", scaled, kept | True, column)
        cut = say("explain.kept" if kept[column] else "explain.cut")
        return Explanation((*lines, cut, f"{at} ≈ {fixed(after[column], 4)}"), ())
    if not after.any():
        return Explanation((f"{at} = 0.0", say("explain.nothing_left")), (("after", row, None),))
    left = " + ".join(fixed(w, 4) for w in after[kept]) + f" ≈ {fixed(after.sum(), 4)}" * int(kept.sum() > 1)
    share = f"{at} = {fixed(after[column], 4)} ÷ {number(after.sum())} ≈ {fixed(moments[name][row, column], 4)}"
    return Explanation((say("explain.left", sum=left), share), (("after", row, None),))
