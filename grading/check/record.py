"""The plain records that the grader compares: cases, exercises, verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypedDict

from grading.check.call import Call, CallResult


class PlainCase(TypedDict):
    """What every case has."""

    title: str
    part: str
    call: Call


class Case(PlainCase, total=False):
    """A case: what is called, and what should come back."""

    before: list[str]  # a digest of each argument
    expected: CallResult
    judge: Callable[..., Any]  # of what a harness brought; see :func:`judged`
    brought: Any  # the form of what a harness brings of the reference
    validator: Callable[[Any], tuple[str, str] | None]  # instead of ``expected``
    wanted: str  # what a validator asks for
    shown_by: str  # of a wrong version that a student's test must reject
    repeats: bool  # the value lists the results of several calls, the first made again at the end


class Part(TypedDict):
    """A share of the points."""

    id: str
    title: str
    points: int


class PlainExplanation(TypedDict):
    """What is known of a mistake: the sentence, and what to read again."""

    message: str
    section: str


class Explanation(PlainExplanation, total=False):
    """The same, with what counts where a mistake is one of several bugs."""

    points: int  # of a bug hunt in which some bugs are left: what it earns, whatever the parts say


class Exercise(TypedDict):
    """What :func:`grade_outcomes` asks for; the first part is the core of the others."""

    id: str
    parts: list[Part]
    cases: list[Case]
    orders: list[list[int]]  # in which the cases are called, once or more
    mistakes: dict[str, Explanation]
    tolerance: float
    section: str


Predictions = dict[str, list[CallResult]]  # what each known mistake would have given


Shown = Callable[[Case, CallResult], CallResult]  # an outcome, without what is not to be told


@dataclass
class CaseVerdict:
    """One case: what was called, whether the outcome is right, and if not, what is wrong.

    ``where``: the lines of the notebook that an error came through, each with its number and the
    name of the function.
    """

    title: str
    part: str
    inputs: str
    expected: str
    found: str
    problem: str | None
    where: list[list[Any]] = field(default_factory=list)


@dataclass
class Verdict:
    """What an exercise earns and why; ``status`` is one word for programs.

    ``status``: ``correct``, ``partly`` (some points), ``wrong``, ``not attempted``, ``not run``.
    ``mistakes``: identifiers of the known mistakes whose results these are.
    """

    exercise: str
    points: float
    max_points: float
    status: str
    summary: str
    mistakes: list[str] = field(default_factory=list)
    explanations: list[str] = field(default_factory=list)
    cases: list[CaseVerdict] = field(default_factory=list)
    section: str = ""
    note: str = ""


AND = " + "  # between the mistakes of a pair


KEPT = "kept"  # the mistake that shows only where a call comes after another


OTHER_FORM = "~"  # between a mistake and the number of another way to make it
