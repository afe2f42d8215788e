"""Masking before softmax, after it, and after it with the rest shared out again, side by side."""

from ..experiment import Experiment
from ..moments import MaskMoments
from .matrices import Matrices


class BeforeOrAfter(Matrices):
    """Three matrices of weights of one experiment, live; a row that does not sum to 1 is red."""

    def __init__(self, experiment: Experiment):
        moments = MaskMoments(experiment)
        super().__init__(moments, *moments.names)
        self.follow(experiment, moments.refresh, "steps")


def before_or_after(experiment: Experiment) -> BeforeOrAfter:
    """The weights as they come out with the mask put in before softmax, or after it, with and without renormalising.

    The mask is that of the experiment. Click a cell, or press Enter on it, to see its arithmetic.
    """
    return BeforeOrAfter(experiment)
