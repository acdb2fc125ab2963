"""Tell from the text of cells that one of them cannot have been disturbed by the others.

A failed answer is tried again without the rest of its notebook, which takes a new kernel. That is
for nothing where the rest has no way to it, as with nearly all honest notebooks. What looks unusual
counts as a disturbance: a wrong "no" costs a third of a second, a wrong "yes" could cost points.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator

from grading.limits import SubmissionLimits

# Imported for what they define; to import them changes nothing.
HARMLESS_MODULES = {
    "__future__", "collections", "copy", "dataclasses", "einops", "enum", "functools", "itertools",
    "math", "numpy", "operator", "random", "string", "time", "torch", "typing",
}  # fmt: skip
# With these, code reaches names that do not stand in its text.
REACHING_FAR = {
    "__builtins__", "__import__", "compile", "delattr", "eval", "exec", "get_ipython", "globals",
    "locals", "open", "setattr", "vars",
}  # fmt: skip
# Methods of modules that change how all others compute, such as `torch.set_default_dtype`.
SETTERS = ("_", "enable", "register", "reload", "set", "use")
ORDINARY = ("__call__", "__init__", "__name__")


def independent(cell: str, others: Iterable[str], given: Iterable[str] = ()) -> bool:
    """Say whether a cell surely does the same with and without the others.

    Args:
        cell: its text.
        others: the cells that may stand around it.
        given: the cells that come before all of them, with the imports that all use.

    Returns:
        True if no other cell binds, mentions or changes a name that the cell uses, or one that is
        given, except that they may use the same modules and built-in functions.
    """
    try:
        imports = set().union(*(_imports(_parsed(text)) for text in given))
        names = set().union(*_names(cell), *(_names(text)[1] for text in given))
        return all(_is_apart(other, names, imports) for other in others)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _is_apart(other: str, names: set[str], imports: set[tuple[str, str]]) -> bool:
    tree = _parsed(other)
    used, bound = _names(other)
    common = {name for name, _ in imports}.union(dir(builtins))
    imported_anew = {name for name, _ in _imports(tree) - imports}
    touched = bound | imported_anew | (used - common)
    return not touched & names and not any(_changes_a_module(tree, used))


def _parsed(text: str) -> ast.Module:
    if len(text) > SubmissionLimits.parsed_characters:
        raise ValueError("too long to be looked at")
    return ast.parse(text)


def _names(text: str) -> tuple[set[str], set[str]]:
    """Return the global names that a cell uses, at whatever depth, and those that it assigns."""
    used, bound = set(), set()
    tables = [symtable.symtable(text, "cell", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        for symbol in table.get_symbols():
            if table.get_type() == "module" or symbol.is_global():
                used.add(symbol.get_name())
                if symbol.is_assigned():
                    bound.add(symbol.get_name())
    return used, bound


def _imports(tree: ast.Module) -> set[tuple[str, str]]:
    """Return the names that are bound by imports, each with what it then stands for."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                found.add((alias.asname or root, alias.name if alias.asname else root))
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found |= {(a.asname or a.name, f"{module}.{a.name}") for a in node.names}
    return found


def _changes_a_module(tree: ast.Module, global_names: set[str]) -> Iterator[bool]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield any(a.name.partition(".")[0] not in HARMLESS_MODULES for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            root = (node.module or "").partition(".")[0]
            yield root not in HARMLESS_MODULES
            yield any(a.name == "*" or a.name.startswith(SETTERS) for a in node.names)
        elif isinstance(node, ast.Name):
            yield node.id in REACHING_FAR
        elif isinstance(node, ast.Attribute | ast.Subscript):
            of_a_global = _root(node) in global_names
            yield of_a_global and not isinstance(node.ctx, ast.Load)
            if isinstance(node, ast.Attribute) and node.attr not in ORDINARY:
                yield node.attr.startswith("__")
                yield of_a_global and node.attr.startswith(SETTERS)


def _root(node: ast.AST) -> str | None:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None
