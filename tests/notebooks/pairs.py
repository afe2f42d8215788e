"""The Chinese and the English notebooks belong together: ``python tests/notebooks/pairs.py`` says where they do not.

What must be equal is compared: file names, cell ids and types in their order, code, formulas, heading levels.
What cannot be compared, the prose, is held by a lock: the hashes of both texts of each cell. A text changed on one
side alone fails until the other was looked at and the lock accepted: ``python tests/notebooks/pairs.py --accept``.
"""

import hashlib
import io
import json
import re
import sys
import tokenize
import unicodedata
from pathlib import Path

from files import LANGUAGES, NOTEBOOKS, read
from prose import formulas, headings

LOCK = Path(__file__).with_name("pairs.lock.json")
# What a comment in code may name besides what the notebook's own code names: the glossary's symbols.
SYMBOLS = {"X", "W_Q", "W_K", "W_V", "Q", "K", "V", "n", "d", "d_k", "d_v", "d_model", "n_q", "n_k", "scores", "scaled",
           "weights", "output", "softmax", "exp", "sum", "sqrt", "max", "T", "True", "False"}


def unequal(folder: Path = NOTEBOOKS) -> list[str]:
    """Where the two languages differ in what must be equal, one line each."""
    names = {language: {path.name for path in (folder / language).glob("*.ipynb")} for language in LANGUAGES}
    found = [f"{name}: only in {language}" for language, other in (LANGUAGES, LANGUAGES[::-1])
             for name in sorted(names[language] - names[other])]
    for name in sorted(names["zh"] & names["en"]):
        found += [f"{name}, {problem}" for problem in _unequal_pair(folder, name)]
    return found


def _unequal_pair(folder: Path, name: str):
    zh, en = (read(folder / language / name) for language in LANGUAGES)
    ids = [[(cell.get("id"), cell["cell_type"]) for cell in side["cells"]] for side in (zh, en)]
    if ids[0] != ids[1]:
        at = next((i for i, (a, b) in enumerate(zip(*ids, strict=False)) if a != b), min(map(len, ids)))
        yield f"cell {at}: ids or types differ: zh {ids[0][at:at + 1]}, en {ids[1][at:at + 1]}"
        return
    if zh["metadata"] != en["metadata"]:
        yield f"metadata: zh {zh['metadata']}, en {en['metadata']}"
    names = code_names(zh)
    for a, b in zip(zh["cells"], en["cells"], strict=True):
        where = f"cell {a['id']}"
        if a["metadata"] != b["metadata"]:
            yield f"{where}: metadata: zh {a['metadata']}, en {b['metadata']}"
        if a["cell_type"] == "code":
            if a["source"].replace('start("zh")', "start") != b["source"].replace('start("en")', "start"):
                yield f"{where}: code differs"
            for comment in prose_comments(a["source"], names):
                yield f"{where}: prose in a comment: {comment}"
            continue
        zh_formulas, en_formulas = formulas(a["source"]), formulas(b["source"])
        if zh_formulas != en_formulas:
            only = [" ".join((one - other).elements()) or "nothing"
                    for one, other in ((zh_formulas, en_formulas), (en_formulas, zh_formulas))]
            yield f"{where}: formulas differ: only zh has {only[0]}; only en has {only[1]}"
        if headings(a["source"]) != headings(b["source"]):
            yield f"{where}: heading levels: zh {headings(a['source'])}, en {headings(b['source'])}"


def code_names(notebook: dict) -> set[str]:
    """Every name that the notebook's code uses."""
    return {token.string for cell in notebook["cells"] if cell["cell_type"] == "code"
            for token in _tokens(cell["source"]) if token.type == tokenize.NAME}


def prose_comments(code: str, names: set[str]) -> list[str]:
    """Comments that say more than shapes and formulas: that hold a word which is no name of the code and no symbol."""
    comments = [token.string for token in _tokens(code) if token.type == tokenize.COMMENT]
    return [comment for comment in comments if _words(comment) - names - SYMBOLS]


def _words(comment: str) -> set[str]:
    without_marks = "".join(c for c in comment if unicodedata.category(c) not in ("Lm", "No"))  # ᵀ ₖ ₁
    return {word for word in re.findall(r"[^\W\d]\w*", without_marks) if len(word) > 1}


def _tokens(code: str) -> list[tokenize.TokenInfo]:
    lines = ["pass" if line.lstrip().startswith(("%", "!")) else line for line in code.splitlines()]
    return list(tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline))


def texts(folder: Path = NOTEBOOKS) -> dict:
    """Hashes of the prose as it is now: {notebook: {cell id: {language: hash}}}."""
    found = {}
    for language in LANGUAGES:
        for path in sorted((folder / language).glob("*.ipynb")):
            for cell in read(path)["cells"]:
                if cell["cell_type"] != "code":
                    digest = hashlib.sha256(cell["source"].encode("utf-8")).hexdigest()[:16]
                    found.setdefault(path.name, {}).setdefault(cell["id"], {})[language] = digest
    return found


def changed(now: dict, lock: dict) -> list[str]:
    """Cells whose texts are not as they were when both sides were last looked at, one line each."""
    found = []
    for name in sorted(now | lock):
        cells, locked = now.get(name, {}), lock.get(name, {})
        for key in sorted(cells | locked):
            sides = [side for side in LANGUAGES if cells.get(key, {}).get(side) != locked.get(key, {}).get(side)]
            if len(sides) == 1:
                other = LANGUAGES[1 - LANGUAGES.index(sides[0])]
                found.append(f"{name}, cell {key}: {sides[0]} changed and {other} did not: look at {other}")
            elif sides:
                kind = "new" if key not in locked else "gone" if key not in cells else "changed in both languages"
                found.append(f"{name}, cell {key}: {kind}: read both side by side")
    return found


def read_lock() -> dict:
    return json.loads(LOCK.read_text(encoding="utf-8")) if LOCK.exists() else {}


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--accept"]):
        print(__doc__)
        return 2
    problems = unequal()
    if arguments and not problems:
        text = json.dumps(texts(), ensure_ascii=False, indent=1, sort_keys=True)
        LOCK.write_text(text + "\n", encoding="utf-8", newline="\n")
    else:
        problems += changed(texts(), read_lock())
    print("\n".join(problems) or "Both languages belong together.")
    return int(bool(problems))


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")
    sys.exit(main(sys.argv[1:]))
