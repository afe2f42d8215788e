import pytest
from room import Room, impossible


@pytest.fixture(scope="session")
def room():
    if reason := impossible():
        pytest.skip(reason)
    with Room(students=5) as room:
        yield room
