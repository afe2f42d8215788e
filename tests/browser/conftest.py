"""Browser tests need a Chromium, Chrome or Edge; without one they are skipped, or fail where they are required."""

import os
import shutil
from pathlib import Path

import pytest
from lab import Server, chromium, fresh_page

from attention_lib.machine import find_browser

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


@pytest.fixture(scope="session")
def browser():
    if find_browser() is None:
        message = "no Chromium, Chrome or Edge found; name one in ATTENTION_CHROMIUM"
        if os.environ.get("ATTENTION_BROWSER") == "required":
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=60_000)  # a loaded machine takes its time
    with sync_playwright() as playwright, chromium(playwright) as running:
        yield running


@pytest.fixture(scope="session")
def server(browser, tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("lab"))
    shutil.copytree(NOTEBOOKS, running.root / "notebooks")
    yield running
    running.close()


@pytest.fixture
def lab(browser, server):
    with fresh_page(browser, server) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_lab(browser, server):
    """One page for all tests of a module: opening JupyterLab takes far longer than a test."""
    with fresh_page(browser, server) as opened:
        yield opened
