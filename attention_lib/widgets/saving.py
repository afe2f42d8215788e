"""Pictures to keep: a small button on each panel, and all the rest of it only when that button is pressed."""

import re

from traitlets import HasTraits, Unicode, default

from ..language import say
from .base import joined

_WORDS = ("this", "all", "this_as", "all_as", "saved")


def stem(*names: str) -> str:
    """A file name without its ending that any machine can keep: HeadMaps becomes attention-head-maps."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", "-", "-".join(("attention", *names)))
    return re.sub(r"[^A-Za-z0-9_]+", "-", spaced)


class Savable(HasTraits):
    """Mixin for a guarded anywidget: its ``saving`` is the name of the button; empty where there is none.

    The page draws the picture (drawing.js, sent when first asked for), for it knows how the panel looks.
    """

    saving = Unicode().tag(sync=True)

    @default("saving")
    def _name_of_the_button(self):
        return say("saving.button")

    def file_stem(self) -> str:
        """The name of a saved picture, without its ending."""
        return stem(type(self).__name__).lower()

    def drawn(self, kind: str) -> bytes:
        """The picture as an "svg" or "png" file, of a panel that has one made by Python."""
        raise NotImplementedError

    def _handle_custom_msg(self, content, buffers):
        if "picture" not in content:
            super()._handle_custom_msg(content, buffers)
            return
        answer, files = {"failed": True}, None
        with self.guard():
            answer, files = self._answer(**content)
        self.send({"answers": content["picture"], **answer}, files)

    def _answer(self, picture, error=None):
        if error:
            raise ValueError(say("saving.failed", error=error))
        if picture == "report":  # without an error: the one before is over
            return {}, None
        if picture != "code":
            return {}, [self.drawn(picture)]
        words = {word: say(f"saving.{word}") for word in _WORDS}
        return {"code": joined("drawing.js", "saving.js"), "stem": self.file_stem(), "words": words}, None
