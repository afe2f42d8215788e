"""A sentence, its mask as switches, and what the mask makes of weights and output."""

from ..experiment import Experiment
from .layout import Columns, Whole
from .mask_switches import mask_switches
from .matrices import show
from .sentence import SentenceField


class MaskLab(Whole):
    """Switches beside the live matrices; a typed sentence brings a new ``experiment`` in place of the old."""

    def __init__(self, experiment: Experiment):
        super().__init__(SentenceField(self.take))
        self._show(experiment)

    def take(self, text: str) -> None:
        """Go on with a typed sentence; ValueError in words for one that does not fit, and all stays as it was."""
        self._show(Experiment.from_sentence(text))

    def _show(self, experiment):
        self.experiment = experiment
        old = self.children[1:]
        # made first, so it is the first to hear of a change and the first to reach the page
        numbers = show(experiment, "scaled", "weights", "output")
        numbers.beside = "1 1 20em"
        self.children = [self.children[0], Columns(mask_switches(experiment), numbers)]
        self.close_all(old)


def mask_lab(experiment: Experiment | None = None) -> MaskLab:
    """A grid of switches for the mask beside scaled scores, weights and output, live, and a field for your own words.

    experiment: the one to begin with; without one, the example 我爱你. ``mask_lab(…).experiment`` is the one in use.
    """
    return MaskLab(Experiment.from_example("我爱你") if experiment is None else experiment)
