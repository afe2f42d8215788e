"""A Jupyter Server extension that does one thing: the kernel's answers leave at once.

A slider's next value waits in the page for the kernel's word "idle". Jupyter Server leaves Nagle's algorithm on for the
kernel websocket, so that small message is held until the page acknowledges the one before it: about 40 ms. With
TCP_NODELAY the websocket sends it at once.

Installing the package enables it, by ``etc/jupyter/jupyter_server_config.d/attention_lib.json``. To switch it off:
``ATTENTION_NODELAY=0`` in the server's environment, or ``jupyter server extension disable attention_lib.server``.
"""

import os

_SETTING = "kernel_websocket_connection_class"


def _jupyter_server_extension_points():
    return [{"module": "attention_lib.server"}]


def _load_jupyter_server_extension(serverapp):
    """Wrap the server's own connection class, whichever that is, so that each websocket starts with TCP_NODELAY."""
    if os.environ.get("ATTENTION_NODELAY") == "0":
        return
    try:
        settings = serverapp.web_app.settings
        settings[_SETTING] = without_delay(settings[_SETTING], serverapp.log)
    except Exception as error:
        serverapp.log.warning("attention_lib.server: this Jupyter Server is not known; nothing changed (%r)", error)


def without_delay(connection_class, log):
    """The same connection class, save that ``connect`` first sets TCP_NODELAY on the websocket.

    The first websocket that cannot be set is noted in ``log``; it works all the same, as do those after it.
    """
    noted = []

    class WithoutDelay(connection_class):
        def connect(self):
            try:
                self.websocket_handler.set_nodelay(True)
            except Exception as error:
                if not noted:
                    log.warning("attention_lib.server: TCP_NODELAY was not set (%r)", error)
                    noted.append(error)
            return super().connect()

    return WithoutDelay
