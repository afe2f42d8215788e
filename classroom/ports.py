"""Ports for students' servers, no two alike. Standard library only.

JupyterHub asks the system for any free port. A server binds it only seconds later; when thirty start at once, two may
have been told the same one by then, or a connection of the machine has taken it. These are below those the system gives
away by itself, and no port is given twice. They stay hard to guess: who sat on a port beforehand would be taken for the
server that is to come.
"""

import secrets
import socket
from collections import deque

LOWEST, HIGHEST = 20_000, 32_000  # Linux itself gives away 32768 and up
_given = deque(maxlen=5_000)


def free_port(address: str = "127.0.0.1") -> int:
    """A port that is free now and was not among the last given."""
    while True:
        port = LOWEST + secrets.randbelow(HIGHEST - LOWEST)
        if port in _given:
            continue
        with socket.socket() as probe:
            try:
                probe.bind((address, port))
            except OSError:
                continue
        _given.append(port)
        return port
