"""For every test run: time for nbval under load, and no silent skip of tests that the machine was to be fit for."""

import os

import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        # nbval waits five seconds for a cell's output and has no option for it; a loaded machine needs more.
        if hasattr(item, "output_timeout"):
            item.output_timeout = 120


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    return _no_skip((yield), item)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return _no_skip((yield), collector)


def _no_skip(report, node):
    """With ATTENTION_BROWSER=required a browser test that is skipped has failed; ATTENTION_CLASSROOM is alike."""
    for folder in ("browser", "classroom"):
        setting = f"ATTENTION_{folder.upper()}"
        here = node.path.is_relative_to(node.config.rootpath / "tests" / folder)
        if report.skipped and not hasattr(report, "wasxfail") and here and os.environ.get(setting) == "required":
            report.outcome = "failed"
            report.longrepr = f"skipped, though {setting}=required: {report.longrepr}"
    return report
