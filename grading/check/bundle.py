"""Several modules as the text of one: what a student receives, and what enters a kernel."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from functools import cache
from types import ModuleType

from grading.check import (
    call,
    differences,
    explanations,
    harness,
    judging,
    notebook,
    problems,
    recognition,
    record,
    report,
    values,
    verdict,
)

RUNS_BESIDE = (values, call, harness)  # a student's code
COMPARES = (differences, record, judging, problems, recognition, explanations, verdict)
SHOWS = (report, notebook)

_OURS = "grading."
_Import = ast.Import | ast.ImportFrom


def one_file(introduction: str, modules: Iterable[ModuleType]) -> str:
    """Join modules that import from each other only into the text of one, with one head of imports.

    Raises:
        ValueError: if two of them define the same name.
    """
    imports: set[str] = set()
    sections, defined = [], dict[str, str]()
    for module in modules:
        imports |= {ast.unparse(node) for node in _imports(module) if not _is_ours(node)}
        for name in _defined(module):
            if name in defined:
                raise ValueError(f"Both {defined[name]} and {module.__name__} define {name}.")
            defined[name] = module.__name__
        title = module.__name__.rpartition(".")[2]
        sections.append(f"# ---- {title} ".ljust(99, "-") + f"\n\n{alone(module)}")
    future = "from __future__ import annotations"
    head = "\n".join([future, *sorted(imports - {future})])
    return f'"""{introduction}"""\n\n{head}\n\n' + "\n\n".join(sections)


@cache
def alone(module: ModuleType, imports: bool = False) -> str:
    """Return the text of a module without its docstring and without what it imports of ours.

    Args:
        module: with its source at hand.
        imports: keep the imports of other packages.
    """
    lines = inspect.getsource(module).splitlines()
    tree = ast.parse("\n".join(lines))
    left_out: list[ast.stmt] = [
        node for node in tree.body if isinstance(node, _Import) and (_is_ours(node) or not imports)
    ]
    if ast.get_docstring(tree) is not None:
        left_out.append(tree.body[0])
    for node in left_out:
        end = node.end_lineno or node.lineno
        lines[node.lineno - 1 : end] = [""] * (end - node.lineno + 1)
    return "\n".join(lines).strip("\n") + "\n"


def _imports(module: ModuleType) -> list[_Import]:
    tree = ast.parse(inspect.getsource(module))
    return [node for node in tree.body if isinstance(node, _Import)]


def _is_ours(node: _Import) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_OURS)


def _defined(module: ModuleType) -> Iterable[str]:
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
