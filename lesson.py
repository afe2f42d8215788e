# -*- coding: utf-8 -*-
"""One command for the lesson: ``python3 lesson.py`` opens it, ``python3 lesson.py test`` tests it."""

import sys

if sys.version_info < (3, 11):
    words = "This lesson needs Python 3.11 or newer; this is Python {0}.{1}.\nInstall a newer one, then start again.\n"
    if sys.version_info >= (3, 7):
        sys.stderr.reconfigure(errors="replace")
        words += "这门课需要 Python 3.11 或更新的版本，现在用的是 Python {0}.{1}。\n"
        words += "请先安装较新的 Python，再重新运行。\n"
    sys.stderr.write(words.format(*sys.version_info))
    sys.exit(1)

from attention_lib.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
