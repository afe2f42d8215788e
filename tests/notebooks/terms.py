"""One word for each thing: variants that the lesson does not use, and what it says instead (the project's glossary)."""

import re

from prose import pipes_in_tables, stray_asterisks, words

NOT_SAID = {
    "zh": {
        "注意力得分|注意力评分": "注意力分数",
        "注意力系数": "注意力权重",
        "自我注意力": "自注意力",
        "互注意力": "交叉注意力",
        "多头注意力头": "注意力头",
        "问询|询问向量": "查询",
        "键值向量": "键，值",
        "掩膜|蒙版|遮罩": "掩码",
        "滑动条|滑杆|拖动条|滑条": "滑块",
        "复位|重设": "重置",
        "预置": "预设",
        "点乘": "点积",
        "软最大|柔性最大|归一化指数": "softmax",
        "Softmax|SoftMax": "softmax",
        "放缩": "缩放",
        "位置嵌入": "位置编码",
        "单词向量|字向量": "词向量",
        "您": "你",
    },
    "en": {
        r"\b[Ss]elf attention\b": "self-attention",
        r"\b[Cc]ross attention\b": "cross-attention",
        r"\b[Mm]ulti ?head\b": "multi-head",
        r"\b[Hh]eatmaps?\b": "heat map",
        r"\bSoftMax\b|\bsoft-max\b": "softmax",
        r"\b[Pp]osition(al)? embeddings?\b": "positional encoding",
        r"\b[Aa]ttention coefficients?\b": "attention weights",
        r"\bpre-?sett?ings?\b": "preset",
    },
}
_HALF_WIDTH = re.compile(r"[\u4e00-\u9fff][,;:!?]|[\u4e00-\u9fff]\.(?=\s|$)")
_NO_SPACE = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]")


def wrong_words(text: str, language: str) -> list[str]:
    """Variants in ``text`` (prose, without code and formulas), each with the word to use."""
    return [f"{match[0]} → {right}" for pattern, right in NOT_SAID[language].items()
            for match in re.finditer(pattern, text)]


def wrong_typing(text: str) -> list[str]:
    """Half-width punctuation after a Chinese character, and Chinese set tight against Latin letters or digits."""
    return [text[max(0, match.start() - 6):match.end() + 6].strip()
            for pattern in (_HALF_WIDTH, _NO_SPACE) for match in pattern.finditer(text)]


def faults(text: str, language: str) -> list[str]:
    """All that is wrong in a page of Markdown: its terms, asterisks, tables and, in Chinese, its typing."""
    wrong = wrong_words(words(text), language) + stray_asterisks(text) + pipes_in_tables(text)
    return wrong + wrong_typing(words(text)) * (language == "zh")
