"""Five students at once, so that the full run with thirty is known to work; its figures are in result.json."""

import json

from load import BARS, HERE, Result, run

LOADED = "attention_lib.server | extension was successfully loaded"


def test_five_students_work_at_once_within_the_bars(room):
    room.stop_servers()  # what other tests have left running
    loaded = room.log().count(LOADED)
    result = run(room, students=5, together=2, seconds=10)
    print(result.table())
    assert result.missed() == []
    assert result.moves >= 12
    assert room.log().count(LOADED) - loaded == 5
    assert "TCP_NODELAY was not set" not in room.log()


def test_the_stored_run_was_a_full_one_and_kept_the_bars():
    stored = Result(**json.loads((HERE / "result.json").read_text(encoding="utf-8")))
    assert (stored.students, stored.moving_at_once, stored.cores) == (30, 10, 2)
    assert stored.moving_s >= 60
    assert stored.missed() == []
    assert set(BARS) <= set(vars(stored))
    assert stored.table() in (HERE.parent.parent / "README.md").read_text(encoding="utf-8")
