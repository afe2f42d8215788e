"""How many notebooks a student may have running: each keeps about 100 MB, and a class goes through many lessons."""

import os

from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado.web import HTTPError
from traitlets import Int

from .. import language
from ..language import say


class ClassKernels(AsyncMappingKernelManager):
    """Jupyter Server's own, save that it starts at most ``most`` kernels and says so."""

    most = Int(5, config=True, help="kernels one student may have running")

    async def start_kernel(self, *, kernel_id=None, **kwargs):
        if len(self) >= self.most and kernel_id not in self:
            if (chosen := os.environ.get("ATTENTION_LANGUAGE")) in language.LANGUAGES:
                language.choose(chosen)
            raise HTTPError(409, say("hub.too_many_kernels", most=self.most), reason="Too many kernels")
        return await super().start_kernel(kernel_id=kernel_id, **kwargs)
