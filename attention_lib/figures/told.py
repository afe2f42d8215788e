"""What is to be seen in a picture, in words and numbers; no matplotlib is needed for that."""

DPI = 100  # in the page; a file is saved with more


class Told:
    """Base of what a picture of one experiment says; subclasses give :meth:`summary` and :meth:`table`.

    size: inches. follows: the traits of the experiment whose change makes a new picture.
    """

    size = (6.5, 5.5)
    follows: str | tuple[str, ...] = "steps"

    def __init__(self, experiment):
        self.experiment = experiment

    def summary(self) -> str:
        """What is to be seen, in a sentence or two, to go with :meth:`table`."""
        raise NotImplementedError

    def alt(self) -> str:
        """What stands for the picture where it cannot be seen."""
        return self.summary()

    def table(self) -> tuple:
        """The numbers that are to be seen: caption, row labels, column labels, cells as text."""
        raise NotImplementedError
