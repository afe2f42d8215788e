"""Saving on a full disk: words in place of an error number. What was saved before stays whole."""

import errno
import os

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

from .. import language
from ..language import say

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class ClassContents(AsyncLargeFileManager):
    """Jupyter Server's own, save that it says in the class's language that there is no room left."""

    async def save(self, model, path=""):
        try:
            return await super().save(model, path)
        except (HTTPError, OSError) as error:
            if no_room(error):
                raise full(path) from error
            raise

    async def create_checkpoint(self, path):
        try:
            return await super().create_checkpoint(path)
        except (HTTPError, OSError) as error:
            if no_room(error):
                raise full(path) from error
            raise


def no_room(error: BaseException | None) -> bool:
    """Whether this error, or one it came from, says that the disk is full."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


def full(path: str) -> HTTPError:
    """507, Insufficient Storage, in words."""
    if (chosen := os.environ.get("ATTENTION_LANGUAGE")) in language.LANGUAGES:
        language.choose(chosen)
    return HTTPError(507, say("hub.disk_full", file=path.strip("/").rsplit("/", 1)[-1]), reason="Insufficient Storage")
