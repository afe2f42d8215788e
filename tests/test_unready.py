"""Cells out of order, and one cell many times, in a real kernel."""

import queue

import pytest
from jupyter_client.manager import start_new_kernel

SETUP = """from attention_lib import Experiment, columns, edit, heatmap, show, start
start("zh")
e = Experiment.from_example("我爱你")"""
COUNT = """import gc
from ipywidgets.widgets.widget import _instances
from matplotlib import _pylab_helpers
import comm
gc.collect()
print(len(_instances), len(comm.get_comm_manager().comms), len(_pylab_helpers.Gcf.figs))"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "zh").mkdir()
    manager, client = start_new_kernel(cwd=str(tmp_path / "zh"))

    def execute(code, cell=None):
        """What the cell printed, and the name of its error."""
        message = client.session.msg("execute_request", {
            "code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False,
            "stop_on_error": True})
        message["metadata"] = {"cellId": cell}
        client.shell_channel.send(message)
        said, error = "", None
        while True:
            try:
                answer = client.get_iopub_msg(timeout=60)
            except queue.Empty:
                pytest.fail("the kernel did not answer")
            if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            if answer["msg_type"] == "stream":
                said += answer["content"]["text"]
            elif answer["msg_type"] == "error":
                error = answer["content"]["ename"]
            elif answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle":
                return said, error

    yield execute
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_a_cell_before_the_set_up_cell_says_what_to_run(run):
    said, error = run("columns(edit(e), show(e))")
    assert error == "NameError"
    assert said == ("还没有 “columns”。请先运行本页的第一个代码单元格，再运行这一个。"
                    "菜单 Run → Run All Cells 会按顺序运行全部单元格。\n")
    assert run(SETUP) == ("", None)
    assert run("columns(edit(e), show(e))") == ("", None)
    said, error = run("show(broken)")
    assert error == "NameError"
    assert "还没有 “broken”" in said
    assert run("1 / 0") == ("", "ZeroDivisionError")


def test_a_cell_run_twenty_times_leaves_nothing_behind(run):
    assert run(SETUP) == ("", None)
    cell = "columns(edit(e), show(e), heatmap(e))"
    for _ in range(2):
        assert run(cell, "panel") == ("", None)
    once = run(COUNT)
    for _ in range(20):
        assert run(cell, "panel") == ("", None)
    assert run(COUNT) == once
