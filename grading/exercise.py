"""What an exercise is: a reference, cases drawn from a seed, parts with points, known mistakes.

The content modules describe exercises with these classes; the functions below turn a description
and a seed into the plain record that :func:`grading.check.judge` compares outcomes with. Public and
hidden cases come from the same generator with different seeds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import torch

from grading import check

PUBLIC_SEED = 0


@dataclass(frozen=True)
class Part:
    """A share of an exercise's points; the first part is the core, the others build on it."""

    id: str
    title: str
    points: int


@dataclass(frozen=True)
class Case:
    """One call of the student's function.

    Attributes:
        title: what is special about this case, for the student.
        part: the part whose points it decides.
        arguments: ``(name, value)`` in the order of the signature; trailing ones may be left out.
        strided: pass tensors that are transposed views, on which ``view`` fails.
        gradient: compare the gradients for the floating point arguments too.
        driver: called in the student's kernel with the student's object and the arguments, where
            that object is no function to be called once: a class, a test, a cache. One of
            :mod:`grading.check` or of the assignment's ``_drivers`` module, which is released.
        judge: instead of the reference: takes the returned value and gives None, or the identifier
            of a mistake and a sentence. ``wanted`` then says what is asked for.
    """

    title: str
    part: str
    arguments: tuple[tuple[str, Any], ...] = ()
    strided: bool = False
    gradient: bool = False
    driver: Callable[..., Any] | None = None
    judge: Callable[[Any], tuple[str, str] | None] | None = None
    wanted: str = ""


@dataclass(frozen=True)
class Mistake:
    """A wrong implementation that students hand in, and the sentence that tells them.

    Attributes:
        id: a name for reports, such as ``no_scale``.
        message: one or two sentences: what was done, and what it should be.
        implementation: the wrong function, with the exercise's signature. Without it the exercise's
            ``variant`` makes it from ``id``, and makes pairs with other such mistakes too.
        same_results: other wrong functions that no output can tell from it; ``message`` is true of
            them, too.
        points: what it earns; 0 unless it is right about the core and wrong about another part.
        section: what to read again, if it is not the exercise's section.
        any_error: where it raises, any error is a sign of it, not only the one raised here.
        alone: the exercise's ``variant`` makes it, but no pairs with other mistakes: they are rare,
            and each costs room in the case file.
    """

    id: str
    message: str
    implementation: Callable | None = None
    points: int = 0
    section: str = ""
    same_results: tuple[Callable, ...] = ()
    any_error: bool = False
    alone: bool = False


@dataclass(frozen=True)
class Exercise:
    """An exercise of an assignment; see the class attributes' names for what a student reads.

    ``variant`` is the reference written so that it can be made wrong: it takes the identifiers of
    some mistakes, none to all, and gives the implementation that makes them.
    """

    id: str
    title: str
    signature: str
    reference: Callable
    cases: Callable[[torch.Generator], list[Case]]
    parts: tuple[Part, ...]
    mistakes: tuple[Mistake, ...]
    alternatives: dict[str, Callable]
    minutes: int
    difficulty: int
    section: str
    tolerance: float = 1e-5
    variant: Callable[[frozenset[str]], Callable] | None = None

    def wrong(self, *mistakes: Mistake) -> Callable:
        """Return the implementation that makes one mistake, or several at once."""
        if mistakes[0].implementation is not None:
            return mistakes[0].implementation
        return self.variant(frozenset(mistake.id for mistake in mistakes))

    @property
    def points(self) -> int:
        """All points of the exercise."""
        return sum(part.points for part in self.parts)

    @property
    def answer_cell(self) -> str:
        """The ``grade_id`` of the notebook cell that the student fills in."""
        return f"{self.id}-answer"

    @property
    def check_cell(self) -> str:
        """The ``grade_id`` of the notebook cell that carries the points."""
        return f"{self.id}-check"


class DrawnExercise:
    """An exercise with its cases drawn and the expected outcomes computed."""

    def __init__(self, exercise: Exercise, seed: int):
        self.exercise = exercise
        generator = torch.Generator().manual_seed(seed)
        self.cases = [_record(exercise, case, generator) for case in exercise.cases(generator)]

    @cached_property
    def record(self) -> dict[str, Any]:
        """What :func:`grading.check.judge` asks for."""
        exercise = self.exercise
        return {
            "id": exercise.id,
            "parts": [vars(part) for part in exercise.parts],
            "cases": self.cases,
            "mistakes": {
                mistake.id: {
                    "message": mistake.message,
                    "section": mistake.section or exercise.section,
                }
                for mistake in exercise.mistakes
            },
            "tolerance": exercise.tolerance,
            "section": exercise.section,
        }

    @cached_property
    def predictions(self) -> check.Predictions:
        """For each known mistake the outcomes of its implementation, in the order of the cases."""
        if any("judge" in case for case in self.cases):
            return {}
        return {m.id: self._predict(m) for m in self.exercise.mistakes}

    @cached_property
    def pairs(self) -> check.Predictions:
        """The same for two mistakes at once, where the exercise can say what they give together.

        A pair is left out if its results are those of one mistake or of a pair before it: it would
        never be named.
        """
        named = [m for m in self.exercise.mistakes if m.implementation is None and not m.alone]
        found = dict(self.predictions)
        for one, other in combinations(named, 2):
            predicted = self._predict(one, other)
            if not any(self._alike(predicted, known) for known in found.values()):
                found[f"{one.id}{check.AND}{other.id}"] = predicted
        return {name: p for name, p in found.items() if name not in self.predictions}

    def _alike(self, one: list[check.Outcome], other: list[check.Outcome]) -> bool:
        tolerance = self.exercise.tolerance
        return all(check.agree(a, b, tolerance) for a, b in zip(one, other, strict=True))

    def _predict(self, *mistakes: Mistake) -> list[check.Outcome]:
        outcomes = self.outcomes(self.exercise.wrong(*mistakes))
        if any(mistake.any_error for mistake in mistakes):
            for outcome in outcomes:
                if outcome["status"] == "error":
                    outcome["type"] = check.ANY_ERROR
        return outcomes

    def outcomes(self, implementation: Callable) -> list[check.Outcome]:
        """Run an implementation of our own on every case, here in this process."""
        namespace = {self.exercise.id: implementation}
        return [check.unpack(check.packed_call(namespace, case["call"])) for case in self.cases]

    def judge(self, outcomes: list[check.Outcome]) -> check.Verdict:
        """Compare outcomes, of a submission or of an implementation of ours, with the reference."""
        return check.judge(self.record, outcomes, lambda: self.predictions, lambda: self.pairs)

    def public(self) -> dict[str, Any]:
        """The record as it is released: functions by name, and the mistakes' outcomes included."""
        cases = [
            {**case, "judge": case["judge"].__name__} if "judge" in case else case
            for case in self.cases
        ]
        cases = [{**case, "call": by_name(case["call"])} for case in cases]
        known = {"predictions": self.predictions, "pairs": self.pairs}
        known = {kind: self._without_right_ones(found) for kind, found in known.items()}
        return {**self.record, "cases": cases, **known}

    def _without_right_ones(self, predictions: check.Predictions) -> dict[str, list]:
        """Leave out, to save room, what a mistake gives where it gives what is expected."""

        def wrong(case: dict, outcome: check.Outcome) -> bool:
            right = case.get("expected")
            return right is None or not check.agree(outcome, right, self.exercise.tolerance)

        return {
            mistake: [
                outcome if wrong(case, outcome) else None
                for case, outcome in zip(self.cases, found, strict=True)
            ]
            for mistake, found in predictions.items()
        }


def by_name(call: dict[str, Any]) -> dict[str, Any]:
    """Return a call as plain values, with its driver's name in place of the driver."""
    return {**call, "driver": call["driver"].__name__} if "driver" in call else call


def _record(exercise: Exercise, case: Case, generator: torch.Generator) -> dict[str, Any]:
    call = {
        "name": exercise.id,
        "arguments": [list(argument) for argument in case.arguments],
        "strided": case.strided,
    }
    if case.driver is not None:
        call["driver"] = case.driver
    record = {"title": case.title, "part": case.part, "call": call}
    if case.judge is not None:
        return {**record, "judge": case.judge, "wanted": case.wanted}
    expected = check.run_call({exercise.id: exercise.reference}, call)
    if case.gradient:
        outputs = expected["value"]
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        call["cotangents"] = [torch.randn(o.shape, generator=generator) for o in outputs]
        expected = check.run_call({exercise.id: exercise.reference}, call)
    return {**record, "expected": check.unpack(check.pack(expected))}


def hidden_seed(assignment: str, exercise: str, submission: str) -> int:
    """Derive the seed of a submission's hidden cases; the same submission gets the same cases."""
    digest = hashlib.sha256(f"{assignment}\0{exercise}\0{submission}".encode()).digest()
    return int.from_bytes(digest[:7], "little") + PUBLIC_SEED + 1
