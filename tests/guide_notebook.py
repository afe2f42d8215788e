"""A lesson as it is after Run All with nothing moved: its experiments, its panels by section, its exercises."""

import ast
import re

from files import NOTEBOOKS, read

from attention_lib import Experiment
from attention_lib.live import Live
from attention_lib.whole_block import SWITCHES

_RUN = ast.Import | ast.ImportFrom | ast.Assign | ast.FunctionDef | ast.For


class Notebook:
    """space: what the code cells define. calls: for each section "1", "2", … the calls its cells make."""

    def __init__(self, number: str, language: str):
        found, = (NOTEBOOKS / language).glob(f"{number}_*.ipynb")
        self.language, self.cells, self.space, self.calls = language, read(found)["cells"], {}, {}
        section = []
        for cell in self.cells:
            if cell["cell_type"] == "code":
                tree = ast.parse(cell["source"])
                run(ast.Module([node for node in tree.body if isinstance(node, _RUN)], []), self.space)
                section += [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
            elif heading := re.match(r"## (\d+) · ", cell["source"]):
                section = self.calls[heading[1]] = []
        self._first = {name: _state(e) for name, e in self.space.items() if isinstance(e, Live)}

    @property
    def minutes(self) -> int:
        return int(re.search(r"(\d+) (?:minutes|分钟)", self.cells[0]["source"])[1])

    def fresh(self, name: str) -> Experiment:
        """An experiment as it was before anything moved."""
        self.space[name].set(**self._first[name])
        return self.space[name]

    def panels(self, section: str, kind: str) -> list[tuple[str, tuple, dict]]:
        """(name of the experiment, further arguments, keywords) of each call of ``kind`` in a section."""
        return [(self._named(call.args[0]) if call.args else "", *_arguments(call)) for call in self.calls[section]
                if ast.unparse(call.func) == kind]

    def _named(self, argument: ast.expr) -> str:
        """What is given to a panel, by its name; an experiment made there and then is named by how it was made."""
        name = ast.unparse(argument)
        if isinstance(argument, ast.Call) and name not in self.space and isinstance(e := eval(name, self.space), Live):
            self.space[name], self._first[name] = e, _state(e)
        return name

    def verdict(self, check: str, code: str):
        """What a check says where ``code`` stands in place of its stub, with nothing moved."""
        for name in self._first:
            self.fresh(name)
        cell, = (cell["source"] for cell in self.cells
                 if cell["cell_type"] == "code" and f'check("{check}"' in cell["source"])
        *body, asked = ast.parse(cell).body
        stub, = (i for i, node in enumerate(body) if _is_stub(node))
        space = dict(self.space)
        run(ast.Module([*body[:stub], *ast.parse(code).body, *body[stub + 1:]], []), space)
        return eval(ast.unparse(asked), space)


def run(tree: ast.Module, space: dict):
    exec(compile(tree, "<notebook>", "exec"), space)


def _arguments(call):
    return (tuple(ast.literal_eval(argument) for argument in call.args[1:]),
            {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords})


def _is_stub(node):
    last = node.body[-1] if isinstance(node, ast.FunctionDef) else node
    return isinstance(last, ast.Assign | ast.Expr) and ast.unparse(last.value) == "..."


def _state(e):
    return {name: e[name] for name in e.inputs} | {
        name: getattr(e, name) for name in ("mask", "scale", "fault", "keep", *SWITCHES) if e.has_trait(name)}
