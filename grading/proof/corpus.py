"""The corpus: answers that the content modules do not know, each with the points that it deserves.

An answer is a file ``ASSIGNMENT/EXERCISE/wrong/NAME.py`` (or ``right``) of a folder, whose first
two lines say what is special about it and which points it deserves. An assignment's
``prologue.py`` stands for what its notebook gives the student. Answers run in this process, so a
corpus holds none that is hostile.
"""

from __future__ import annotations

import contextlib
import io
import math
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
from grading.exercise import DrawnExercise, Exercise
from grading.running.forks import forked_pool

CORPUS = Path(__file__).parents[2] / "tests" / "grading" / "corpus"
NAMED_ON = 2  # draws; to look for a mistake's name takes longer than to give points


@dataclass(frozen=True)
class Answer:
    """An answer, ready to be run; ``right`` as its folder says."""

    name: str
    right: bool
    deserved: float
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
    """Read the answers to an exercise, in the order of their names."""
    prologue = folder / assignment / "prologue.py"
    given = compile(prologue.read_text() if prologue.exists() else "", prologue, "exec")
    found = []
    for path in sorted((folder / assignment / exercise).glob("*/*.py")):
        text = path.read_text()
        _title, points = text.splitlines()[:2]
        deserved = float(points.removeprefix("# points: "))
        cells = (given, compile(text, path, "exec"))
        found.append(Answer(path.stem, path.parent.name == "right", deserved, cells))
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
