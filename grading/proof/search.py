"""Look for small edits of a reference that no case sees: what the cases do not try.

The known mistakes are those that a person thought of. Here a program makes edits without thinking,
as mutation testing does: an operator is exchanged, a number is one larger, a call is left out, one
variable stands for another. An edit that earns all points is a program of the same meaning, or a
mistake that a student could make unseen; a person says which, and the second becomes a case. One
whose points change with the draw says that a case is missing in some draws.
"""

from __future__ import annotations

import ast
import copy
import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from grading.exercise import DrawnExercise, Exercise
from grading.exercise.edits import defined_by
from grading.limits import PatienceLimits
from grading.running.time_limit import processor_seconds

_Path = tuple[tuple[str, int | None], ...]  # from the root: a field, and a place if it is a list

_EXCHANGED: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div,),
    ast.Pow: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.MatMult: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Eq: (ast.NotEq, ast.GtE),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_LEFT_ALONE = {"annotation", "returns", "decorator_list", "bases", "ctx"}


@dataclass
class Found:
    """What a search found in one exercise; an edit is shown as the lines that it changes."""

    exercise: str
    tried: int = 0
    caught: int = 0  # it loses points in every draw
    by_luck: list[str] = field(default_factory=list)  # its points depend on the draw
    survived: list[str] = field(default_factory=list)


def search(exercise: Exercise, seeds: Sequence[int]) -> Found:
    """Put every small edit of an exercise's reference through its cases."""
    found = Found(exercise.id)
    draws = [DrawnExercise(exercise, seed) for seed in seeds]
    before = ast.unparse(ast.parse(exercise.source))
    for after in edits_of(exercise.source):
        found.tried += 1
        points = Counter(_points(exercise, after, drawn) for drawn in draws)
        if set(points) == {float(exercise.points)}:
            found.survived.append(_shown(before, after))
        elif len(points) == 1:
            found.caught += 1
        else:
            earned = ", ".join(f"{p:g} points in {n}" for p, n in sorted(points.items()))
            found.by_luck.append(f"{_shown(before, after)}   ({earned} draws)")
    return found


def _points(exercise: Exercise, source: str, drawn: DrawnExercise) -> float:
    try:  # made anew for each draw: it may keep something from call to call
        mutant: Callable[..., Any] = defined_by(source, exercise.reference, "edit")
        with processor_seconds(PatienceLimits.edit_seconds):
            outcomes = drawn.outcomes(mutant)
    except Exception:
        return 0.0
    return drawn.earned(outcomes)


def _shown(before: str, after: str) -> str:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    changed = [f"{line[0]} {line[1:].strip()}" for line in lines if line[0] in "+-"]
    return "  ".join(changed)


def edits_of(source: str) -> Iterator[str]:
    """Make every small edit of a program, each as the text of the whole; no text comes twice."""
    tree = ast.parse(source)
    seen = {ast.unparse(tree)}
    for path, node, names in list(_nodes(tree)):
        for other in _others(node, names):
            text = ast.unparse(_with(tree, path, other))
            if text not in seen:
                seen.add(text)
                yield text


def _nodes(
    node: ast.AST, path: _Path = (), names: tuple[str, ...] = ()
) -> Iterator[tuple[_Path, ast.AST, tuple[str, ...]]]:
    """Every node that may be changed, with the way to it and the variables of its function."""
    if isinstance(node, ast.FunctionDef):
        bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _is_stored(n)}
        arguments = {a.arg for a in (*node.args.args, *node.args.kwonlyargs)} - {"self"}
        names = tuple(sorted(bound | arguments))
    for name, value in ast.iter_fields(node):
        if name in _LEFT_ALONE:
            continue
        children = enumerate(value) if isinstance(value, list) else [(None, value)]
        for place, child in children:
            if isinstance(child, ast.AST) and not _is_left_alone(child):
                there = (*path, (name, place))
                yield there, child, names
                yield from _nodes(child, there, names)


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is_left_alone(node: ast.AST) -> bool:
    """What no case should look at: a docstring, the words of an error."""
    return isinstance(node, ast.Raise) or (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _others(node: ast.AST, names: tuple[str, ...]) -> Iterator[ast.AST]:
    """What may stand in a node's place."""
    for kind in _EXCHANGED.get(type(node), ()):
        yield kind()
    if isinstance(node, ast.Constant):
        yield from map(ast.Constant, _other_values(node.value))
    elif isinstance(node, ast.Name) and not _is_stored(node) and node.id in names:
        for name in names:
            yield ast.Name(name, ast.Load())
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.BinOp):
        yield node.left
        yield node.right
        if not isinstance(node.op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr):
            yield ast.BinOp(node.right, node.op, node.left)
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    elif isinstance(node, ast.If):
        yield ast.If(ast.Constant(True), node.body, node.orelse)
        yield ast.If(ast.Constant(False), node.body, node.orelse)
    elif isinstance(node, ast.Tuple) and len(node.elts) > 1:
        yield ast.Tuple([node.elts[1], node.elts[0], *node.elts[2:]], node.ctx)
    elif isinstance(node, ast.Call):
        yield from _other_calls(node)
    elif isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
        yield ast.Pass()


def _other_values(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, -value)
    elif isinstance(value, float):
        yield from (value * 2, value / 2, value + 1, 0.0)


def _other_calls(node: ast.Call) -> Iterator[ast.AST]:
    """A call without itself, and without one of its arguments."""
    if isinstance(node.func, ast.Attribute):
        yield node.func.value  # the object of the method as it is
    if node.args and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
        yield node.args[0]
    for place in range(len(node.args)):
        args = [a for number, a in enumerate(node.args) if number != place]
        yield ast.Call(node.func, args, node.keywords)
    for place in range(len(node.keywords)):
        keywords = [k for number, k in enumerate(node.keywords) if number != place]
        yield ast.Call(node.func, node.args, keywords)


def _with(tree: ast.Module, path: _Path, new: ast.AST) -> ast.Module:
    """A copy of the tree in which ``new`` stands at ``path``."""
    changed = copy.deepcopy(tree)
    node: Any = changed
    for name, place in path[:-1]:
        node = getattr(node, name) if place is None else getattr(node, name)[place]
    name, place = path[-1]
    new = copy.deepcopy(new)
    if place is None:
        setattr(node, name, new)
    else:
        getattr(node, name)[place] = new
    return ast.fix_missing_locations(changed)
