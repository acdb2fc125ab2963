"""The kill matrix: the grader graded.

Every known wrong implementation is put through its exercise and must lose the right points with
its own message; every correct alternative must earn them all. Run over several seeds, because
hidden cases are drawn anew for each submission.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grading import content
from grading.check import CallResult, Verdict
from grading.exercise import PUBLIC_SEED, DrawnExercise, Exercise
from grading.exercise.variants import LETTERS

SEEDS = (PUBLIC_SEED, *range(1, 6))


@dataclass
class Row:
    """One implementation's result: ``kind`` is ``mistake`` or ``correct``."""

    exercise: str
    kind: str
    name: str
    points: float
    expected_points: float
    named: list[str]
    problem: str = ""

    @property
    def right(self) -> bool:
        """True if the grader did what it should."""
        return not self.problem


def chosen(
    assignment: str | None = None, exercise: str | None = None, variant: str = "A"
) -> list[tuple[str, Exercise]]:
    """The exercises of an assignment, or of all, or the one of that name; each with its assignment.

    Raises:
        LookupError: if there is none, or none that has the variant; the sentence says so.
    """
    number = LETTERS.find(variant) if len(variant) == 1 else -1
    found = [
        (name, each)
        for name in ([content.full_name(assignment)] if assignment else content.assignments())
        for each in content.exercises_of(name, max(number, 0))
        if exercise in (None, each.id) and (number == 0 or content.chosen(name, each.id, number))
    ]
    if not found and number:
        raise LookupError(f"No exercise has a variant {variant!r}.")
    if not found:
        raise LookupError(f"No exercise {exercise!r}.")
    return found


def drawn(exercise: Exercise) -> list[DrawnExercise]:
    """Draw the cases of an exercise, the public ones first."""
    return [DrawnExercise(exercise, seed) for seed in SEEDS[: exercise.draws]]


def rows(exercise: Exercise, draws: Sequence[DrawnExercise]) -> Iterator[Row]:
    """Put every implementation of an exercise through the grader; report its worst draw."""
    correct = {"the reference": exercise.reference, **exercise.alternatives}
    for name, right in correct.items():
        found = (_row("correct", name, exercise.points, d, d.outcomes(right)) for d in draws)
        yield _worst(found)
    for mistake in exercise.mistakes:
        name, points = mistake.id, mistake.points
        for form in range(1 + len(mistake.other_forms)):
            found = (_row("mistake", name, points, d, d.outcomes_of(mistake)[form]) for d in draws)
            yield _worst(found)
        for mutation in mistake.equivalent:
            found = (  # made anew for each draw: it may keep something from call to call
                _row("mistake", name, points, d, d.outcomes(exercise.mutant(mutation)))
                for d in draws
            )
            yield _worst(found)


def _row(
    kind: str, name: str, points: float, drawn: DrawnExercise, outcomes: list[CallResult]
) -> Row:
    verdict = drawn.grade(outcomes, in_words=False)
    if kind == "mistake" and verdict.mistakes != [name]:
        verdict = drawn.grade(outcomes)
    row = Row(drawn.exercise.id, kind, name, verdict.points, points, verdict.mistakes)
    row.problem = _problem(row, verdict, judged=any("validator" in case for case in drawn.cases))
    return row


def _worst(found: Iterable[Row]) -> Row:
    found = list(found)
    return next((row for row in found if not row.right), found[0])


def _problem(row: Row, verdict: Verdict, judged: bool) -> str:
    if row.kind == "correct":
        failed = [case.title for case in verdict.cases if case.problem]
        return f"loses points at {', '.join(failed)}" if failed else ""
    if verdict.status == "correct":
        return "not caught"
    if row.points != row.expected_points:
        return f"earns {row.points:g} points, should earn {row.expected_points:g}"
    # A validator's sentences are facts about one returned value, of which several can be true.
    if row.name not in row.named if judged else row.named != [row.name]:
        return f"explained as {', '.join(row.named) or 'nothing known'}"
    return ""
