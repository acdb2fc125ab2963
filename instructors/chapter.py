"""What an exercise builds on is taken from its page, not copied.

A student writes a solution below the page's own cells and can use all that they define. Here
`take` runs just those statements of a page that some names depend on.
"""

from __future__ import annotations

import ast
import functools
import symtable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

CHAPTERS = Path(__file__).parents[1] / "chapters"


@dataclass(frozen=True)
class Statement:
    """A statement of a page, the names that it binds, and those of the page that it reads."""

    source: str
    binds: frozenset[str]
    reads: frozenset[str]


def _reads_inside(table: symtable.SymbolTable) -> set[str]:
    found = {each.get_name() for each in table.get_symbols() if each.is_global()}
    return found.union(*map(_reads_inside, table.get_children()))


def _statement(source: str, node: ast.stmt) -> Statement:
    table = symtable.symtable(source, "page", "exec")
    symbols = table.get_symbols()
    binds = {each.get_name() for each in symbols if each.is_assigned() or each.is_imported()}
    reads = {each.get_name() for each in symbols if each.is_referenced()}
    reads = reads.union(*map(_reads_inside, table.get_children()))
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        reads.add(node.target.id)
    return Statement(source, frozenset(binds), frozenset(reads))


@functools.cache
def statements(page: str) -> list[Statement]:
    """Return the statements of a page's code cells in order."""
    notebook = nbformat.read(CHAPTERS / f"{page}.ipynb", as_version=4)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    found = []
    for cell in cells:
        lines = cell.splitlines()
        for node in ast.parse(cell).body:
            decorators = getattr(node, "decorator_list", ())
            first = min([node.lineno, *(each.lineno for each in decorators)])
            source = "\n".join(lines[first - 1 : node.end_lineno])
            found.append(_statement(source, node))
    return found


def take(page: str, *names: str) -> dict[str, Any]:
    """Run what these names of a page depend on, and return all that this defines.

    Args:
        page: the name of a chapter's notebook, without suffix.
        names: functions, classes or values, each as the page defines it last.

    Raises:
        KeyError: if the page defines no such name.
    """
    every = statements(page)
    chosen: set[int] = set()

    def need(name: str, at: int) -> None:
        where = [i for i, each in enumerate(every) if name in each.binds]
        before = [i for i in where if i < at]
        if not where:
            return  # of Python's own
        i = before[-1] if before else where[0]
        if i not in chosen:
            chosen.add(i)
            for read in every[i].reads:
                if not (read in every[i].binds and read == name and _is_definition(every[i])):
                    need(read, i)

    for name in names:
        if not any(name in each.binds for each in every):
            raise KeyError(f"{page} defines no {name}.")
        need(name, len(every))
    namespace: dict[str, Any] = {"__name__": page}
    for i in sorted(chosen):
        exec(compile(every[i].source, f"chapters/{page}.ipynb", "exec"), namespace)
    return {name: value for name, value in namespace.items() if not name.startswith("__")}


def _is_definition(statement: Statement) -> bool:
    return statement.source.lstrip().startswith(("def ", "class ", "@"))
