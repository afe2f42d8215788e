"""tqdm's count and its guess at the time left, told to a widget in place of a terminal."""

import io

from tqdm import tqdm


class Progress(tqdm):
    """A tqdm that calls ``tell(share, text)`` at most ten times a second: 0 … 1, and text like 3/36 [00:01<00:09].

    every: seconds between two calls, at least.
    """

    monitor_interval = 0  # no second thread: a widget is only told from where it is worked

    def __init__(self, total: int, tell, every: float = 0.1):
        self._tell = tell
        super().__init__(total=total, mininterval=every, file=io.StringIO(),
                         bar_format="{n_fmt}/{total_fmt} [{elapsed}<{remaining}]")

    def display(self, msg=None, pos=None):
        """What tqdm calls where others would print."""
        self._tell(self.n / self.total, str(self))
