"""A typed sentence into words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lib.sentence import split_words

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("我爱你", "我|爱|你"), ("我爱你。", "我|爱|你"), ("我爱你，你爱我！", "我|爱|你|你|爱|我"),
        ("我爱你， 你爱我", "我|爱|你|你|爱|我"), ("我 喜欢 你", "我|喜欢|你"), ("我\u3000喜欢\u3000你", "我|喜欢|你"),
        ("人工智能 AI", "人工智能|AI"), ("我love你", "我|love|你"), ("我爱Python3。", "我|爱|Python3"),
        ("“注意力”机制", "注|意|力|机|制"), ("人人、处处々〇", "人|人|处|处|々|〇"), ("𠀀𠮷", "𠀀|𠮷"),
        ("dog bites man", "dog|bites|man"), ("  Hello,   world! ", "Hello|world"), ("don't stop", "don't|stop"),
        ("well-known - 'quoted' -- ’tis", "well-known|quoted|tis"), ("a\tb\nc", "a|b|c"), ("3.5 + 2", "3|5|2"),
        ("naïve café", "naïve|café"), ("한국어 문장", "한국어|문장"), ("いいね", "いいね"), ("я люблю", "я|люблю"),
        ("我❤️你", "我|你"), ("😀", ""), ("", ""), ("   ", ""), ("——！？…", ""), ("'-’", ""), ("\ud800x", "x"),
        ("a\x00b", "a|b"),
    ],
)
def test_split_words(text, words):
    assert "|".join(split_words(text)) == words


@given(st.text(max_size=20))
def test_every_word_has_a_letter_or_digit_and_no_space(text):
    for word in split_words(text):
        assert any(map(str.isalnum, word))
        assert word.split() == [word]
        assert all(part in text for part in word)


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=5)))
def test_words_by_spaces_come_back(words):
    assert split_words(" ".join(words)) == tuple(words)


@given(st.text("我爱你人工智能", max_size=12))
def test_chinese_without_spaces_is_its_characters(text):
    assert split_words(text) == tuple(text)
