"""Lesson 12 in the page: parts switched by keyboard, boxes that change places, sliders that move all of it."""

from lab import fresh_page
from playwright.sync_api import expect

from attention_lib import WholeBlock
from attention_lib.digits import fixed

SETUP = """from attention_lib import WholeBlock, block_flow, block_stack, edit, projector_button, rows, start
start("{language}")
b = WholeBlock.from_example()"""
PANELS = 'rows(block_flow(b), edit(b, "W_Q"))', "block_stack(b)"


def numbers(page, box):
    return page.locator(f'[data-box="{box}"] td.al-number')


def rounded(values):
    return [fixed(x) for x in values.flat]


def test_parts_and_sliders(lab, server):
    lab.open(server.notebook("block.ipynb", SETUP.format(language="en"), *PANELS)).run_all()
    page, b = lab.page, WholeBlock.from_example()
    expect(numbers(page, "norm_2")).to_have_text(rounded(b["output"]))
    page.get_by_role("checkbox", name="Residual 1: on").press("Space")
    b.residual_1 = False
    expect(numbers(page, "norm_2")).to_have_text(rounded(b["output"]))
    expect(page.locator('[data-box="residual_1"]')).to_have_class("al-box al-box-crossed")
    expect(page.get_by_role("checkbox", name="Residual 1: on")).to_be_focused()
    expect(numbers(page, "output")).to_have_text(rounded(b.stacked(6)[-1]))
    page.get_by_role("combobox", name="Layer norms").select_option(index=1)
    b.norm_first = True
    expect(numbers(page, "residual_2")).to_have_text(rounded(b["output"]))
    order = "() => [...document.querySelectorAll('.al-flow .al-box')].map((box) => box.dataset.box)"
    page.wait_for_function(f"() => String(({order})().slice(1, 4)) === 'norm_1,attention,residual_1'")
    field = lab.field("W_Q, row alive, column q₄, type a number")
    field.fill("-2")
    field.press("Enter")
    b.set_entry("W_Q", 2, 3, -2.0)
    expect(numbers(page, "residual_2")).to_have_text(rounded(b["output"]))
    page.get_by_role("button", name="All on").press("Enter")
    b.residual_1 = True
    expect(numbers(page, "residual_2")).to_have_text(rounded(b["output"]))
    lab.theme("dark")
    page.get_by_role("checkbox", name="Attention: on").press("Space")
    expect(page.locator('[data-box="attention"]')).to_have_class("al-box al-box-crossed")
    assert lab.axe() == []
    seen = """() => {
        const cell = document.querySelector('[data-box="attention"] td.al-number');
        return getComputedStyle(cell).color === getComputedStyle(cell.closest('.al-box')).color;
    }"""
    page.wait_for_function(seen)  # and not the dark letters of a coloured cell on the dark page


def test_a_narrow_page_and_a_wall_of_large_type(browser, server):
    with fresh_page(browser, server, viewport={"width": 1024, "height": 1200}) as lab:
        lab.open(server.notebook("narrow-block.ipynb", SETUP.format(language="zh"), *PANELS, "projector_button()"))
        lab.run_all().page.get_by_role("checkbox", name="残差 2：开").press("Space")
        expect(lab.page.locator('[data-box="residual_2"]')).to_have_class("al-box al-box-crossed")
        wide = """() => [...document.querySelectorAll('.jp-OutputArea-output')]
            .filter((o) => o.querySelector('.al-knobbed') && o.scrollWidth > o.clientWidth + 1)
            .map((o) => [o.scrollWidth, o.clientWidth])"""
        assert (lab.page.evaluate(wide), lab.axe()) == ([], [])
        lab.page.get_by_role("button", name="大屏模式", exact=True).press("Enter")
        lab.page.wait_for_timeout(500)
        assert (lab.page.evaluate(wide), lab.axe()) == ([], [])
