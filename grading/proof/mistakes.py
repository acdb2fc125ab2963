"""The known mistakes as data: each with its sentence, what was done, and the whole wrong program.

A program stands for itself: what it uses of the module that describes its exercise, imports
included, stands above it. It is what the matrix runs, as text.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import symtable
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import resolve_name
from typing import Any

from grading.content import exercises_of, variant_count
from grading.exercise import Exercise, Mutation
from grading.exercise.edits import difference, edited
from grading.exercise.variants import letter

_IMPORTS = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class KnownMistake:
    """A mistake of an exercise.

    Attributes:
        variant: of the exercise, the first that has the mistake; A is the one that is described.
        name: under which verdicts and reports name it.
        sentence: what a student reads who makes it.
        points: what it earns, of ``max_points``.
        edit: what it changes in the reference, or the program if it is another algorithm.
        program: the whole wrong program.
        other_forms: the same with other results, each as an edit and a program.
        equivalent: the same with the same results, likewise.
    """

    assignment: str
    exercise: str
    variant: str
    name: str
    sentence: str
    points: int
    max_points: int
    edit: str
    program: str
    other_forms: list[dict[str, str]] = field(default_factory=list)
    equivalent: list[dict[str, str]] = field(default_factory=list)


def known_mistakes(assignment: str) -> Iterator[KnownMistake]:
    """Yield the mistakes of an assignment, those that only a variant has behind the others.

    Raises:
        LookupError: if there is no such assignment.
    """
    seen = set()
    for variant in range(variant_count(assignment)):
        for exercise in exercises_of(assignment, variant):
            for mistake in exercise.mistakes:
                if (exercise.id, mistake.id) in seen:
                    continue
                seen.add((exercise.id, mistake.id))
                yield KnownMistake(
                    assignment=assignment,
                    exercise=exercise.id,
                    variant=letter(variant),
                    name=mistake.id,
                    sentence=mistake.message,
                    points=mistake.points,
                    max_points=exercise.points,
                    **_form(exercise, mistake.mutation),
                    other_forms=[_form(exercise, form) for form in mistake.other_forms],
                    equivalent=[_form(exercise, form) for form in mistake.equivalent],
                )


def _form(exercise: Exercise, mutation: Mutation) -> dict[str, str]:
    if callable(mutation):
        homes: dict[str, str] = {}
        expression = _expression(mutation, homes)
        # what has the exercise's name there gets another one: the program may call it
        above = _above(homes, taken=exercise.id)
        return {"edit": _source(mutation), "program": f"{above}{exercise.id} = {expression}\n"}
    text = edited(exercise.source, mutation).strip()
    own = {name for statement in ast.parse(text).body for name in _defined(statement)}
    homes = dict.fromkeys(_names(text) - own, exercise.reference.__module__)
    above = _above(homes, around=_globals(exercise.mutant(mutation)))
    return {"edit": difference(exercise.source, mutation), "program": f"{above}{text}\n"}


def _globals(program: Any) -> dict[str, Any]:
    """The names among which a function or a class runs."""
    functions = (each for each in (program, *vars(program).values()) if inspect.isfunction(each))
    return next((function.__globals__ for function in functions), {})


# ---- Another algorithm, as text ------------------------------------------------------------------


def _definition(program: Any) -> Any:
    """The function or class that a program is, or calls with more arguments."""
    return program.func if isinstance(program, functools.partial) else program


def _source(program: Any) -> str:
    """The text of its definition."""
    definition = _definition(program)
    if definition.__name__ != "<lambda>":
        return textwrap.dedent(inspect.getsource(definition)).strip()
    source, statements = _statements(definition.__module__)
    nodes = (node for each in statements for node in ast.walk(each) if isinstance(node, ast.Lambda))
    (here,) = (node for node in nodes if node.lineno == definition.__code__.co_firstlineno)
    return textwrap.dedent(ast.get_source_segment(source, here) or "")


def _expression(value: Any, homes: dict[str, str]) -> str:
    """What to write for a program, or for something that it is made of.

    ``homes`` is told the modules of the names in it.
    """
    if isinstance(value, functools.partial):
        homes["functools"] = __name__
        given = [_expression(each, homes) for each in (value.func, *value.args)]
        given += [f"{name}={_expression(each, homes)}" for name, each in value.keywords.items()]
        return f"functools.partial({', '.join(given)})"
    name: str = getattr(value, "__qualname__", "")
    if not name:
        return repr(value)
    if name.endswith("<lambda>"):
        homes |= dict.fromkeys(_names(_source(value)), value.__module__)
        return f"({_source(value)})"
    outer, is_made, _ = name.partition(".<locals>.")
    homes[outer] = value.__module__
    return f"{outer}({', '.join(_given(outer, value, homes))})" if is_made else name


def _given(maker: str, made: Any, homes: dict[str, str]) -> Iterator[str]:
    """With what a function was called that made a program, as far as the program knows it."""
    functions = [each for each in (made, *vars(made).values()) if inspect.isfunction(each)]
    known = {n: v for f in functions for n, v in inspect.getclosurevars(f).nonlocals.items()}
    signature = inspect.signature(vars(sys.modules[made.__module__])[maker])
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            yield from (_expression(each, homes) for each in known[name])
        elif name in known:
            yield f"{name}={_expression(known[name], homes)}"


# ---- What a program uses of its module -----------------------------------------------------------


def _above(homes: dict[str, str], around: Mapping[str, Any] | None = None, taken: str = "") -> str:
    """What gives a program the names that it uses, and what that uses in turn, as text.

    Args:
        homes: the modules in which the names stand.
        around: what has the names that stand in none of them.
        taken: a name that becomes another one.
    """
    imports: set[str] = set()
    definitions: dict[tuple[str, int], str] = {}  # by module and line
    looked_up: set[str] = set()
    while new := homes.keys() - looked_up:
        looked_up |= new
        for name in new:
            module = homes[name]
            statement = _statement(name, module)
            if isinstance(statement, _IMPORTS):
                imports.add(_import(statement, name, module, f"_{name}" if name == taken else name))
            elif statement:
                text = _as_it_stands(statement, module)
                definitions[module, statement.lineno] = text
                homes = dict.fromkeys(_names(text), module) | homes
            elif around and name in around:
                imports.add(_imported(name, around[name]))
    texts = [text for _, text in sorted(definitions.items())]
    if taken:
        texts = [re.sub(rf"\b{taken}\b", f"_{taken}", text) for text in texts]
    blocks = ["\n".join(sorted(imports)), *texts]
    return "".join(f"{block}\n\n\n" for block in blocks if block)


def _names(text: str) -> set[str]:
    """The names that a text takes from the module around it."""
    tables = [symtable.symtable(text, "<program>", "exec")]
    found = set()
    for table in tables:
        tables += table.get_children()
        outermost = table.get_type() == "module"
        symbols = (each for each in table.get_symbols() if each.is_referenced())
        found |= {each.get_name() for each in symbols if outermost or each.is_global()}
    return found


@functools.cache
def _statements(module: str) -> tuple[str, list[ast.stmt]]:
    source = inspect.getsource(sys.modules[module])
    return source, ast.parse(source).body


def _statement(name: str, module: str) -> ast.stmt | None:
    """The statement of a module that gives it a name."""
    _, statements = _statements(module)
    return next((each for each in statements if name in _defined(each)), None)


def _defined(statement: ast.stmt) -> set[str]:
    """The names that a statement of a module gives it."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, _IMPORTS):
        return {each.asname or each.name.partition(".")[0] for each in statement.names}
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", statement)]
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def _import(statement: ast.Import | ast.ImportFrom, name: str, module: str, wanted: str) -> str:
    """The import of one name under another, as any file may say it."""
    (alias,) = (a for a in statement.names if name == (a.asname or a.name.partition(".")[0]))
    if wanted != name:
        alias = ast.alias(alias.name, wanted)
    if isinstance(statement, ast.Import):
        return ast.unparse(ast.Import([alias]))
    origin = "." * statement.level + (statement.module or "")
    return ast.unparse(ast.ImportFrom(resolve_name(origin, module.rpartition(".")[0]), [alias], 0))


def _imported(name: str, value: Any) -> str:
    """The import of something that a program has without its module saying so."""
    if inspect.ismodule(value):
        return f"import {value.__name__} as {name}"
    return f"from {value.__module__} import {value.__qualname__} as {name}"


def _as_it_stands(statement: ast.stmt, module: str) -> str:
    source, _ = _statements(module)
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(each.lineno for each in decorators)])
    return "\n".join(source.splitlines()[first - 1 : statement.end_lineno])
