"""The corpus: answers that the content modules do not know, each with the points that it deserves.

An exercise has two files of answers in a folder, ``ASSIGNMENT/EXERCISE/wrong.py`` and ``right.py``,
in the percent format that Jupyter and editors know: an answer is a cell, which begins with the line
``# %% NAME | points 2 | what is special about it``. An assignment's ``prologue.py`` stands for what
its notebook gives the student. Answers run in this process, so a corpus holds none that is hostile.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import math
import re
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import CodeType

import torch

from grading import check
from grading.content import exercises_of
from grading.content.release import released_paths
from grading.errors import ExplainedError
from grading.exercise import DrawnExercise, Exercise
from grading.running.forks import forked_pool

TITLE = re.compile(r"# %% (\S+) \| points (\d+) \| \S.*")
CORPUS = Path(__file__).parents[2] / "tests" / "grading" / "corpus"
NAMED_ON = 2  # draws; to look for a mistake's name takes longer than to give points


@dataclass(frozen=True)
class Answer:
    """An answer, ready to be run; ``right`` as its file says."""

    name: str
    right: bool
    deserved: float
    text: str
    cells: tuple[CodeType, ...]

    def outcomes(self, drawn: DrawnExercise) -> list[check.CallResult]:
        """Define what the answer defines, and call it on every case."""
        names = {
            "__name__": "__main__",
            "math": math,
            "torch": torch,
            "nn": torch.nn,
            "F": torch.nn.functional,
            "Tensor": torch.Tensor,
        }
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for cell in self.cells:
                exec(cell, names)
            calls = [case["call"] for case in drawn.cases]
            return [check.as_sent(check.run_call(names, call)) for call in calls]

    def points(self, drawn: DrawnExercise) -> float:
        """What it earns, without a look for the name of a mistake that gives no points."""
        return drawn.earned(self.outcomes(drawn))


def answers(assignment: str, exercise: str, folder: Path = CORPUS) -> list[Answer]:
    """Read the answers to an exercise, the right ones first, in the order of their files.

    Raises:
        ExplainedError: if the first line of an answer is not as it must be.
    """
    prologue = folder / assignment / "prologue.py"
    given = compile(prologue.read_text() if prologue.exists() else "", prologue, "exec")
    found = []
    for kind in ("right", "wrong"):
        path = folder / assignment / exercise / f"{kind}.py"
        lines = path.read_text().split("\n") if path.exists() else []
        begins = [n for n, line in enumerate(lines) if n == 0 or re.match("# ?%%", line)]
        for begin, end in itertools.pairwise([*begins, len(lines)]):
            title = TITLE.fullmatch(lines[begin])
            if title is None:
                where = f"{path}, line {begin + 1}"
                raise ExplainedError(f"{where}: expected `# %% NAME | points 2 | what is special`.")
            text = "\n".join(lines[begin + 1 : end])
            above = "\n" * (begin + 1)  # so that an error tells the line of the file
            cells = given, compile(above + text, path, "exec")
            found.append(Answer(title[1], kind == "right", float(title[2]), text, cells))
    return found


@contextlib.contextmanager
def notebook_folder(assignment: str) -> Iterator[None]:
    """Work where a notebook does: in a folder with what is released beside it.

    Raises:
        ExplainedError: if that has not been made.
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for path in released_paths(assignment):
            (Path(folder) / path.name).symlink_to(path)
        sys.path.insert(0, folder)
        try:
            yield
        finally:
            sys.path.remove(folder)
            sys.modules.pop("check", None)  # the next assignment has another


@dataclass
class Row:
    """What became of the answers to one exercise; the lists hold names."""

    exercise: str
    wrong: int = 0
    right: int = 0
    accepted: list[str] = field(default_factory=list)  # wrong ones, in full
    too_many: list[str] = field(default_factory=list)  # points, though not all
    too_few: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)  # right ones that lose points
    unsteady: list[str] = field(default_factory=list)  # points that depend on the draw
    unnamed: list[str] = field(default_factory=list)


def row(exercise: Exercise, found: Sequence[Answer], draws: Sequence[DrawnExercise]) -> Row:
    """Put the answers to an exercise through several draws of its cases."""
    result = Row(exercise.id)
    for answer in found:
        earned = [answer.points(drawn) for drawn in draws]
        if len(set(earned)) > 1:
            result.unsteady.append(answer.name)
        if answer.right:
            result.right += 1
            if min(earned) < answer.deserved:
                result.rejected.append(answer.name)
            continue
        result.wrong += 1
        if max(earned) == exercise.points:
            result.accepted.append(answer.name)
        elif max(earned) > answer.deserved:
            result.too_many.append(answer.name)
        elif min(earned) < answer.deserved:
            result.too_few.append(answer.name)
        if not all(_named(answer, drawn) for drawn in draws[:NAMED_ON]):
            result.unnamed.append(answer.name)
    return result


def _named(answer: Answer, drawn: DrawnExercise) -> bool:
    verdict = drawn.grade(answer.outcomes(drawn))
    return verdict.status == "correct" or bool(verdict.mistakes)


def report(
    exercises: Iterable[tuple[str, str]], draws: int, folder: Path = CORPUS
) -> Iterator[Row]:
    """Put all answers to exercises through so many draws, on all cores.

    Args:
        exercises: each with the name of its assignment before its own.
        draws: of the cases of each exercise.
        folder: where the answers lie.
    """
    with forked_pool() as pool:
        yield from pool.map(
            partial(_row, draws=draws, folder=folder), *zip(*exercises, strict=True)
        )


def _row(assignment: str, exercise_id: str, draws: int, folder: Path) -> Row:
    (exercise,) = (e for e in exercises_of(assignment) if e.id == exercise_id)
    found = answers(assignment, exercise_id, folder.absolute())
    with notebook_folder(assignment):
        return row(exercise, found, [DrawnExercise(exercise, seed) for seed in range(draws)])
