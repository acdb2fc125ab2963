"""Variants of an exercise: other bugs to find, other names, another convention; equally hard.

A variant says only in what it differs from the description, and everything else is made from that:
the known mistakes with their sentences, the cases, and the cells of the notebook. So the matrix can
put it through the same as the exercise itself. Which student gets which variant hangs on the
course's secret: nobody can choose.
"""

from __future__ import annotations

import ast
import hmac
import importlib
import importlib.abc
import importlib.util
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.machinery import ModuleSpec
from io import StringIO
from itertools import combinations
from pathlib import Path
from types import ModuleType

from grading.exercise.description import Exercise, Mistake, still_there
from grading.exercise.edits import EditError, Edits, edited

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Variant:
    """In what a variant differs.

    Attributes:
        bugs: in a bug hunt, the known mistakes that the released code has instead, and why each is
            one, as the sentence about what is left says it.
        points: in a bug hunt, what a bug of the exercise earns that is none of the variant; 0 if
            nothing is said.
        by_half: in a bug hunt, what it is to repair one of the bugs in one of two places.
        edits: what stands instead, at every place, in the folder of the description and in the
            cells of the exercise.
        text: edits of the cells alone, each of one place.
        without: known mistakes that the variant does not have.
        told: other sentences of known mistakes.
    """

    bugs: Mapping[str, str] = field(default_factory=dict)
    points: Mapping[str, int] = field(default_factory=dict)
    by_half: tuple[str, ...] = ()
    edits: Edits = ()
    text: Edits = ()
    without: tuple[str, ...] = ()
    told: Mapping[str, str] = field(default_factory=dict)


def letter(number: int) -> str:
    """What a variant is called; the exercises as they are described are A."""
    return LETTERS[number]


def number_of(student: str, assignment: str, count: int, secret: bytes) -> int:
    """Say which of ``count`` variants a student gets to whom none was given; always the same."""
    return _drawn(student, assignment, secret) % count


def dealt(
    students: Iterable[str], given: Mapping[str, int], assignment: str, count: int, secret: bytes
) -> dict[str, int]:
    """Deal the variants to a class: as many of each, in an order that only the secret knows.

    ``given``: those who have one already, and keep it.
    """
    found = dict(given)
    uses = Counter(given.values())
    new = set(students) - set(given)
    for student in sorted(new, key=lambda student: _drawn(student, assignment, secret)):
        first = number_of(student, assignment, count, secret)
        turns = [(first + turn) % count for turn in range(count)]
        found[student] = min(turns, key=uses.__getitem__)
        uses[found[student]] += 1
    return found


def _drawn(student: str, assignment: str, secret: bytes) -> int:
    text = f"variant\0{assignment}\0{student}".encode("utf-8", "replace")
    return int.from_bytes(hmac.digest(secret, text, "sha256"), "big")


def varied(exercise: Exercise, variant: Variant, number: int) -> Exercise:
    """Make an exercise's variant.

    Raises:
        EditError: if an edit finds nothing to replace.
    """
    if variant.edits:
        exercise = _described_anew(exercise, variant.edits, number)
    if variant.bugs:
        exercise = _with_bugs(exercise, variant)
    kept = tuple(
        replace(mistake, message=variant.told.get(mistake.id, mistake.message))
        for mistake in exercise.mistakes
        if mistake.id not in variant.without
    )
    usual = tuple(name for name in exercise.combined if name not in variant.without)
    return replace(exercise, mistakes=kept, combined=usual)


# ---- Another description -------------------------------------------------------------------------


def replaced(text: str, edits: Edits) -> str:
    """Replace all that edits name, at every place and at once: two names can be exchanged."""
    new = dict(edits)
    names = sorted(new, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, names)), lambda found: new[found[0]], text)


class _Edited(importlib.abc.ExecutionLoader):
    """Loads a module from a text that stands in no file, and can tell the text."""

    def __init__(self, path: str, text: str, is_folder: bool):
        self._path, self._text, self._is_folder = path, text, is_folder

    def get_filename(self, fullname: str) -> str:
        return self._path

    def get_source(self, fullname: str) -> str:
        return self._text

    def is_package(self, fullname: str) -> bool:
        return self._is_folder


class _EditedFolder(importlib.abc.MetaPathFinder):
    """Finds the modules of an exercise's folder under another name, with other texts.

    So within the folder imports are relative: then they lead from one such module to another.
    """

    def __init__(self, original: str, name: str, edits: Edits):
        self._original, self._name, self._edits = original, name, edits

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if f"{fullname}.".startswith(f"{self._name}."):
            original = self._original + fullname.removeprefix(self._name)
            found = importlib.util.find_spec(original)
            if found is not None and found.origin is not None:
                text = replaced(Path(found.origin).read_text("utf-8"), self._edits)
                is_folder = found.submodule_search_locations is not None
                loader = _Edited(f"{found.origin} as {fullname}", text, is_folder)
                return importlib.util.spec_from_loader(fullname, loader)
        return None


def _described_anew(exercise: Exercise, edits: Edits, number: int) -> Exercise:
    original = sys.modules[exercise.reference.__module__].__package__ or ""
    folder = Path(sys.modules[original].__file__ or "").parent
    texts = [path.read_text("utf-8") for path in folder.glob("*.py")]
    if not any(old in text for text in texts for old, _ in edits):
        raise EditError(f"The edits of {exercise.id} are none of its description.")
    name = f"{original}_{letter(number)}"
    finder = _EditedFolder(original, name, edits)
    sys.meta_path.insert(0, finder)
    try:
        made: Exercise = importlib.import_module(name).EXERCISE
    finally:
        sys.meta_path.remove(finder)
    return made


# ---- Other bugs ----------------------------------------------------------------------------------


def _with_bugs(exercise: Exercise, variant: Variant) -> Exercise:
    """The same hunt with other bugs; those that were to be found are mistakes like any other."""
    known = {mistake.id: mistake for mistake in exercise.mistakes}
    left = [
        _left(exercise, [known[name] for name in names], variant.bugs)
        for count in range(1, len(variant.bugs) + 1)
        for names in combinations(variant.bugs, count)
    ]
    one_left = exercise.points - 1
    single = [m for m in exercise.mistakes if m.by_bug and m.points == one_left]
    others = [
        m if m.id in variant.by_half else _ordinary(m, variant)
        for m in single
        if m.id not in variant.bugs
    ]
    rest = [m for m in exercise.mistakes if not m.by_bug and m.id not in variant.bugs]
    usual = [name for name in exercise.combined if name not in variant.bugs]
    return replace(
        exercise,
        mistakes=(*left, *others, *rest),
        broken=tuple(variant.bugs),
        combined=(*variant.bugs, *usual) if usual else (),
    )


def _left(exercise: Exercise, bugs: Sequence[Mistake], reasons: Mapping[str, str]) -> Mistake:
    """The mistake that some bugs are still there."""
    left = {bug.id: (reasons[bug.id], bug.mutation) for bug in bugs if not callable(bug.mutation)}
    alone = bugs[0] if len(bugs) == 1 else None
    return still_there(
        left,
        exercise.points,
        len(reasons),
        section=alone.section if alone else "",
        other_forms=alone.other_forms if alone else (),
        any_error=any(bug.any_error for bug in bugs),
    )


def _ordinary(bug: Mistake, variant: Variant) -> Mistake:
    message = bug.message.removeprefix("One bug is still there: ")
    return replace(
        bug,
        message=message[0].upper() + message[1:],
        points=variant.points.get(bug.id, 0),
        by_bug=False,
    )


def broken_code(exercise: Exercise) -> str:
    """The code of a bug hunt as it is released: the reference with its bugs, without a comment."""
    bugs = [mistake.mutation for mistake in exercise.mistakes if mistake.id in exercise.broken]
    edits = [edit for mutation in bugs if not callable(mutation) for edit in mutation]
    source = edited(exercise.source, edits)
    tree = ast.parse(source)
    lines = source.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            text = node.body[0]
            for number in range(text.lineno - 1, text.end_lineno or 0):
                lines[number] = "\0"
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            number, column = token.start
            lines[number - 1] = lines[number - 1][:column].rstrip() or "\0"
    code = "\n".join(line for line in lines if line != "\0")
    code = re.sub(r":\n\n+(?= )", ":\n", code)  # where a docstring stood
    code = re.sub(r"return \(([^(),\n]*)\)$", r"return \1", code, flags=re.MULTILINE)
    return code.replace("Repaired", "Broken").replace("repaired", "broken").strip()


# ---- The cells of a notebook ---------------------------------------------------------------------


def cells_of(exercise: Exercise, names: Sequence[str]) -> list[str]:
    """The names of an exercise's cells among those of a notebook, in their order."""
    first, last = f"{exercise.id}-text", exercise.check_cell
    return list(names[names.index(first) : names.index(last) + 1])


def rewritten(sources: dict[str, str], variant: Variant, exercise: Exercise) -> dict[str, str]:
    """Make of an exercise's cells those of a variant.

    Args:
        sources: what stands in the cells, by their names, in their order.
        variant: which.
        exercise: the variant's.

    Raises:
        EditError: if an edit finds nothing to replace, or a text stands in two places.
    """
    found = dict(sources)
    if variant.edits:
        found = {name: replaced(source, variant.edits) for name, source in found.items()}
    if variant.bugs:
        names = list(found)
        given = names[names.index(f"{exercise.id}-hints") - 1]
        found[given] = _with_definitions(found[given], broken_code(exercise))
    for old, new in variant.text:
        holders = [name for name, source in found.items() if old in source]
        if len(holders) != 1 or found[holders[0]].count(old) != 1:
            raise EditError(f"The cells of {exercise.id} have not once: {old!r}.")
        found[holders[0]] = found[holders[0]].replace(old, new)
    return found


def _with_definitions(given: str, code: str) -> str:
    """Put other definitions in the place of those with which a cell begins."""
    nodes = [
        node for node in ast.parse(given).body if isinstance(node, ast.ClassDef | ast.FunctionDef)
    ]
    rest = given.splitlines()[nodes[-1].end_lineno :]
    return "\n".join([code, *rest])


def as_described(answer: str, variant: Variant) -> str:
    """An answer with the names of the description, so that it can be compared with others."""
    plain = re.compile(r"[\"`]?([\w.]+)[\"`]?")
    pairs = [(plain.fullmatch(new), plain.fullmatch(old)) for old, new in variant.edits]
    names = {new[1]: old[1] for new, old in pairs if new and old}
    if not names:
        return answer
    pattern = "|".join(map(re.escape, names))
    return re.sub(rf"(?<!\w)({pattern})(?!\w)", lambda found: names[found[0]], answer)
