"""``check("name")`` as a student calls it in a notebook, on the public cases."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import sys
from pathlib import Path
from typing import Any

from grading.check.harness import copied, packed_call
from grading.check.judging import steady
from grading.check.report import Report
from grading.check.values import unpack
from grading.check.verdict import grade_outcomes

CASES = "cases.safetensors.gz"


class CheckFailed(AssertionError):  # noqa: N818 - its name is what a student reads
    """Raised after the report, so that "Run all" and ``nbgrader validate`` stop here."""

    def _render_traceback_(self) -> list[str]:
        return [f"CheckFailed: {self}"]


class Interrupted(KeyboardInterrupt):
    """Raised where a student stopped a check; shows where in the student's code that was."""

    def _render_traceback_(self) -> list[str]:
        return [f"KeyboardInterrupt: {self}"]


class Check:
    """``check("name")`` runs the public cases of an exercise; ``check.case`` gives one of them."""

    def __call__(self, name: str) -> None:
        """Run the public cases of the exercise ``name`` on what the notebook defines, and report.

        Raises:
            CheckFailed: if a case is wrong.
        """
        exercise = self._exercise(name)
        first, *others = exercise["orders"]
        outcomes = _called(exercise["cases"], first, silent=False)
        for order in others:
            outcomes = steady(outcomes, _called(exercise["cases"], order, silent=True))
        verdict = grade_outcomes(
            exercise, outcomes, lambda: exercise["predictions"], lambda: exercise["combined"]
        )
        report = Report(verdict, public=True)
        if os.environ.get("NBGRADER_EXECUTION") == "validate" and verdict.status != "correct":
            raise CheckFailed(str(report))  # all that is shown there
        _show(report)
        if verdict.status != "correct":
            raise CheckFailed(f"{name}: {verdict.summary} The report above says what to do.")

    def case(self, name: str, number: int) -> dict[str, Any]:
        """Return the arguments of a public case, by their names, to try by hand.

        Args:
            name: of the exercise.
            number: of the case: 1 is the first row of the table.

        Raises:
            KeyError: if there is no such exercise.
            IndexError: if it has no such case.
        """
        cases = self._exercise(name)["cases"]
        if not 1 <= number <= len(cases):
            raise IndexError(f"{name} has the cases 1 to {len(cases)}.")
        arguments = cases[number - 1]["call"]["arguments"]
        return {argument: copied(value) for argument, value in arguments}

    def _exercise(self, name: str) -> Any:
        exercises = load_cases(Path(__file__).parent / CASES)
        if name not in exercises:
            known = ", ".join(sorted(exercises))
            raise KeyError(f"No exercise {name!r} in this assignment; its exercises are {known}.")
        return exercises[name]


check = Check()


def _called(cases: list[Any], order: list[int], silent: bool) -> list[Any]:
    """Call the cases in an order; what the function prints is shown once, not for each case."""
    namespace = vars(sys.modules["__main__"])
    outcomes: list[Any] = [None] * len(cases)
    for place in order:
        with contextlib.redirect_stdout(io.StringIO()) if silent else contextlib.nullcontext():
            outcomes[place] = unpack(packed_call(namespace, cases[place]["call"]))
        if outcomes[place].get("type") == "KeyboardInterrupt":
            where = outcomes[place].get("where", [])
            lines = [f"line {number}, in {of}:  {text}" for number, of, text in where]
            raise Interrupted("\n  ".join([f"“{cases[place]['title']}” was stopped at", *lines]))
        silent = True
    return outcomes


def load_cases(path: Path) -> dict[str, Any]:
    """Read a released case file: exercise identifier to what :func:`check` needs."""
    exercises: dict[str, Any] = unpack(gzip.decompress(path.read_bytes()), own=True)
    for exercise in exercises.values():
        for kind in ("predictions", "combined"):
            for name, numbers in exercise[kind].items():
                exercise[kind][name] = [exercise["outcomes"][n] for n in numbers.tolist()]
        for case in exercise["cases"]:
            for role in {"validator", "judge"} & set(case):
                case[role] = globals()[case[role]]  # released in this very file
    return exercises


def _show(report: Report) -> None:
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        print(report)
        return
    if get_ipython() is None:
        print(report)
    else:
        display(report)
