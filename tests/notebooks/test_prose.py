"""The checks on Markdown, each on text that is right and text that is not."""

from collections import Counter

import pytest
from prose import formulas, headings, pipes_in_tables, stray_asterisks, words


@pytest.mark.parametrize("text", [
    "**注意力：**权重",
    "这是**“注意力”**机制",
    "**softmax(QKᵀ)**的行",
    "**$QK^T$**的行",
    "**`scores`**的行",
    "看**这里",
    "| a | **b：**c |",
    "- **一。**二",
    "**a\n\nb**",
    "3*4 是 12",
])
def test_asterisks_that_would_be_shown(text):
    assert stray_asterisks(text)


@pytest.mark.parametrize("text", [
    "**注意力**：权重",
    "**注意力：** 权重",
    "这是“**注意力**”机制",
    "**softmax 的行**",
    "***很*重要**",
    "**bold** and *italic* and ***both***",
    "* one\n* two **three**",
    "2 * 3",
    "`a ** b` and $a^*b^*$",
    r"3\*4",
    "```\na ** b\n```",
    "***",
    "**这里\n换行**",
    "| **a** | *b* |\n|---|---|",
])
def test_asterisks_that_are_emphasis_or_no_emphasis(text):
    assert stray_asterisks(text) == []


def test_formulas_and_code_are_counted_whatever_their_order():
    zh = "由 $QK^T$ 得到 `scores`，再除以 $\\sqrt{d_k}$。运行 `start(\"zh\")`。\n\n$$a\n= b$$\n```\nx = 1\n```"
    en = "Divide `scores`, which is $QK^T$, by $\\sqrt{d_k}$. Run `start(\"en\")`.\n\n```\nx = 1\n```\n$$a = b$$"
    assert formulas(zh) == formulas(en)
    assert formulas(zh) == Counter({"$QK^T$": 1, "`scores`": 1, "$\\sqrt{d_k}$": 1, '`start("LANGUAGE")`': 1,
                                    "$$a = b$$": 1, "``` x = 1 ```": 1})
    assert formulas("$Q$ `a`") != formulas("$K$ `a`")
    assert formulas("$Q$ $Q$") != formulas("$Q$")
    assert formulas(r"costs \$5 and \$6") == Counter()
    assert formulas("`$Q$`") == Counter({"`$Q$`": 1})


def test_heading_levels():
    assert headings("# One\n\ntext # no\n\n### Two\n```\n# a comment\n```\n#no") == [1, 3]


def test_a_bar_in_a_formula_of_a_table_row():
    assert pipes_in_tables("| length | $|q|$ |") == ["$|q|$"]
    assert pipes_in_tables(r"| length | $\lvert q \rvert$ |") == []
    assert pipes_in_tables("The length $|q|$") == []
    assert pipes_in_tables("| `a|b` | c |") == ["`a|b`"]


def test_words_are_prose_only():
    assert words("看 **`scores`** 和 $Q$：[这里](../en/a.ipynb)").split() == ["看", "和", "：[这里]"]
