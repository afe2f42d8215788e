"""Run by test_server.py in a process of its own: a real server, kernel and websocket; prints what it saw as JSON."""

import asyncio
import gc
import json
import socket

from jupyter_server.serverapp import ServerApp
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

TOKEN = "probe"


async def probe(app):
    kernel_id = await app.kernel_manager.start_kernel()
    url = f"ws://127.0.0.1:{app.port}/api/kernels/{kernel_id}/channels?session_id=probe"
    client = await websocket_connect(HTTPRequest(url, headers={"Authorization": f"token {TOKEN}"}, connect_timeout=60))
    try:
        await client.write_message(json.dumps(request("kernel_info_request")))
        reply = await asyncio.wait_for(answer(client), 60)
        handler = next(o for o in gc.get_objects() if isinstance(o, KernelWebsocketHandler))
        accepted = handler.ws_connection.stream.socket
        return {"nodelay": bool(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)), "reply": reply}
    finally:
        client.close()
        await app.kernel_manager.shutdown_all()


def request(kind):
    header = {"msg_id": "1", "msg_type": kind, "session": "probe", "username": "", "version": "5.3", "date": ""}
    return {"header": header, "parent_header": {}, "metadata": {}, "content": {}, "channel": "shell"}


async def answer(client):
    while True:
        message = json.loads(await client.read_message())
        if message["channel"] == "shell":
            return message["header"]["msg_type"]


async def main():
    app = ServerApp.instance()
    app.init_signal = lambda: None
    app.initialize(["--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0", f"--IdentityProvider.token={TOKEN}"])
    while not app.http_server._sockets:  # bound by a callback of the loop
        await asyncio.sleep(0.01)
    print(json.dumps(await probe(app) | {"extensions": sorted(app.extension_manager.extensions)}))


if __name__ == "__main__":
    asyncio.run(main())
