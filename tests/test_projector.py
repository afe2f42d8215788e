"""Projector mode: what a call asks of the page, what the button says; the page itself is tested in the browser."""

import re

import pytest

from attention_lib import language, projector, projector_button
from attention_lib.widgets.base import HERE, front_end


@pytest.fixture(autouse=True, params=["zh", "en"])
def spoken(request, monkeypatch):
    monkeypatch.setattr(language, "_chosen", request.param)
    return request.param


@pytest.mark.parametrize(("made", "wanted"), [
    (projector, True), (lambda: projector(True), True), (lambda: projector(False), False), (projector_button, None),
])
def test_a_call_asks_the_page_and_the_button_alone_asks_nothing(made, wanted):
    assert made().get_state()["wanted"] is wanted


def test_what_the_page_has_done_is_asked_no_more():
    switch = projector()
    switch.set_state({"wanted": None})
    assert switch.wanted is None


@pytest.mark.parametrize("value", [1, 0, "on", None])
def test_anything_else_is_refused_in_words(value):
    with pytest.raises(ValueError, match=re.escape(f"{value!r}")) as refused:
        projector(value)
    assert "True, False" in str(refused.value)


def test_the_static_twin_says_what_the_button_does(spoken):
    data, _ = projector_button()._repr_mimebundle_()
    name = {"zh": "大屏模式", "en": "Projector mode"}[spoken]
    assert data["text/plain"].startswith(name)
    assert data["text/html"] == f"<div>{data['text/plain']}</div>"
    assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.js")
                                        if "export default" in path.read_text(encoding="utf-8")))
def test_every_panel_brings_the_page_back_into_the_mode_it_was_in(name):
    module = front_end(name)
    assert module.index("const LARGE") < module.index("function showProjected") < module.index("export default")
    assert "export default widget(" in module
