"""Which answers of a class are alike, in what few others wrote.

An answer is cut into its expressions, in which the names that a student chose are all the same; so
new names, comments, another order of lines and intermediate results change little. What the
reference, our other right answers and the released code hold is left out, and the rest counts the
more the fewer wrote it, in bits: something that 2 of 32 share counts 4. Two answers are alike if
most of their bits are shared, and enough of them. That is a reason to read both, and no proof.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import math
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import nbformat
from nbgrader.coursedir import CourseDirectory

from grading.content import chosen, exercises_of
from grading.course import submissions
from grading.course.assigned_variants import folder_of, given
from grading.errors import ExplainedError
from grading.exercise import Exercise
from grading.exercise.variants import as_described
from grading.limits import SubmissionLimits

ALIKE = 0.7  # of their bits
LEAST_BITS = 10.0  # shared; less is what two find by themselves
RARE = 20  # that wrote the same, where pairs are looked for
MOST_FRAGMENTS = 2_000  # of one answer
_EXPRESSIONS = (
    ast.BinOp, ast.Call, ast.Subscript, ast.Compare, ast.BoolOp, ast.IfExp, ast.Tuple, ast.UnaryOp,
    ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.Lambda,
)  # fmt: skip
_HEADS = (ast.For, ast.While, ast.If, ast.Assert, ast.Raise, ast.AugAssign, ast.With)


@dataclass
class Pair:
    """Two answers that are alike: how much of their bits they share, how many, and what it is."""

    students: tuple[str, str]
    share: float
    bits: float
    shared: list[str]


@dataclass
class Alike:
    """An exercise: how many answers were compared, the pairs, and who hangs together by them."""

    exercise: str
    answers: int
    pairs: list[Pair] = field(default_factory=list)

    @property
    def groups(self) -> list[list[str]]:
        """The students who are alike, directly or through others."""
        groups: list[set[str]] = []
        for pair in self.pairs:
            touched = [group for group in groups if group & set(pair.students)]
            groups = [group for group in groups if group not in touched]
            groups.append(set(pair.students).union(*touched))
        return sorted(map(sorted, groups))


class _WithoutNames(ast.NodeTransformer):
    def __init__(self, chosen: set[str]):
        self._chosen = chosen

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name("_" if node.id in self._chosen else node.id, node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg("_")


def fragments(source: str) -> set[str]:
    """Cut code into its expressions and the heads of its statements, without chosen names.

    Code that does not parse, or is longer than a parser bears, has none.
    """
    try:
        if len(source) > SubmissionLimits.parsed_characters:
            return set()
        tree = ast.parse(source)
        tree = _WithoutNames(_chosen(tree)).visit(tree)
        return set(_pieces(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()


def _chosen(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
    return found


def _pieces(tree: ast.AST) -> Iterator[str]:
    for number, node in enumerate(ast.walk(tree)):
        if number > MOST_FRAGMENTS:
            return
        if isinstance(node, _EXPRESSIONS):
            text = ast.unparse(node)
            if len(re.findall(r"\w+", text)) >= 3:
                yield text
        elif isinstance(node, _HEADS):
            yield ast.unparse(node).partition("\n")[0]


def alike(answers: dict[str, str], known: Iterable[str] = ()) -> list[Pair]:
    """Find the pairs of answers that are alike, most bits first.

    Args:
        answers: students to what they wrote.
        known: code that everybody was given, or that is the usual way.
    """
    given = set().union(*map(fragments, known))
    found = {student: fragments(text) - given for student, text in answers.items()}
    counts = Counter(piece for pieces in found.values() for piece in pieces)
    bits = {piece: math.log2(len(found) / count) for piece, count in counts.items()}
    whole = {student: sum(map(bits.__getitem__, pieces)) for student, pieces in found.items()}
    holders: dict[str, list[str]] = {}
    for student, pieces in found.items():
        for piece in pieces:
            if 1 < counts[piece] <= RARE:
                holders.setdefault(piece, []).append(student)
    pairs = []
    for one, other in sorted({p for held in holders.values() for p in combinations(held, 2)}):
        shared = found[one] & found[other]
        total = sum(map(bits.__getitem__, shared))
        share = 2 * total / (whole[one] + whole[other]) if total else 0.0
        if share >= ALIKE and total >= LEAST_BITS:
            largest = [p for p in shared if not any(p != q and p in q for q in shared)]
            largest.sort(key=lambda piece: (-bits[piece], -len(piece), piece))
            pairs.append(Pair((one, other), round(share, 2), round(total, 1), largest))
    return sorted(pairs, key=lambda pair: -pair.bits)


def known_code(exercise: Exercise, *notebooks: nbformat.NotebookNode) -> list[str]:
    """What does not tell whether two worked together: our answers, and the notebooks' code."""
    cells = (c.source for n in notebooks for c in n.cells if c.cell_type == "code")
    texts = [exercise.source, *cells]
    for program in exercise.alternatives.values():
        with contextlib.suppress(OSError, TypeError):  # of one that was made, there is no text
            texts.append(textwrap.dedent(inspect.getsource(program)))
    return texts


def of_class(
    assignment: str,
    source: Path,
    graded: dict[str, Path],
    variants: dict[str, int] | None = None,
    released: Iterable[Path] = (),
) -> list[Alike]:
    """Compare the answers to each exercise of an assignment.

    Args:
        assignment: which.
        source: the course's own notebook.
        graded: students to their graded notebooks.
        variants: students to the variants that they were given; an answer is compared with the
            names of the description, so that one that was carried over to another variant is found.
        released: the notebooks of the variants.
    """
    own = [nbformat.read(path, as_version=4) for path in (source, *released)]
    notebooks = {s: nbformat.read(path, as_version=4) for s, path in graded.items()}
    found = []
    for exercise in exercises_of(assignment):
        answers = {
            student: _as_described(cell.source, assignment, exercise, (variants or {}).get(student))
            for student, notebook in notebooks.items()
            for cell in notebook.cells
            if cell.metadata.get("nbgrader", {}).get("grade_id") == exercise.answer_cell
        }
        pairs = alike(answers, known_code(exercise, *own))
        found.append(Alike(exercise.id, len(answers), pairs))
    return found


def in_course(coursedir: CourseDirectory, assignment: str) -> list[Alike]:
    """Compare what was graded of an assignment in a course.

    Raises:
        ExplainedError: if there are not two submissions to compare.
    """
    name = f"{assignment.partition('_')[2]}.ipynb"
    graded = {}
    for student in submissions.find(coursedir, assignment):
        path = Path(
            coursedir.format_path(coursedir.autograded_directory, student, assignment), name
        )
        if path.is_file():
            graded[student] = path
    if len(graded) < 2:
        raise ExplainedError(
            f"There are not two graded submissions of {assignment} to compare: run "
            f"`python -m grading autograde {assignment}` first."
        )
    source = Path(coursedir.format_path(coursedir.source_directory, ".", assignment), name)
    root = Path(coursedir.root)
    released = sorted(folder_of(root, assignment).glob(f"?/{name}"))
    return of_class(assignment, source, graded, given(root, assignment), released)


def _as_described(answer: str, assignment: str, exercise: Exercise, variant: int | None) -> str:
    differs = chosen(assignment, exercise.id, variant or 0)
    return as_described(answer, differs) if differs else answer
