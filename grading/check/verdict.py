"""The verdict on an exercise: its points, what is wrong with each case, which mistake it was."""

from __future__ import annotations

from collections.abc import Callable

from grading.check.call import CallResult
from grading.check.explanations import explain, explain_student_test, explain_trivial, plain_fact
from grading.check.judging import judged
from grading.check.problems import WRONG, case_verdict, is_right, problem_of
from grading.check.recognition import recognise
from grading.check.record import AND, OTHER_FORM, CaseVerdict, Exercise, Predictions, Shown, Verdict


def grade_outcomes(
    exercise: Exercise,
    outcomes: list[CallResult],
    predictions: Callable[[], Predictions],
    combined: Callable[[], Predictions] = dict,
    shown: Shown | None = None,
    in_words: bool = True,
) -> Verdict:
    """Compare the outcomes of an exercise's cases with what is expected.

    Args:
        exercise: its parts, cases and known mistakes. Without the first part, the core, the others
            earn nothing.
        outcomes: for each case what :func:`run_call` returned, judged or not, or a status such as
            ``"timeout"``.
        predictions: gives, for each known mistake and ``mistake~1`` (another way to make it), the
            outcomes that it would have had; asked only if something is wrong.
        combined: the same for two mistakes at once, named ``one + other``; asked only if no mistake
            alone explains everything.
        shown: what may be said of an outcome, where that is not all; it decides nothing.
        in_words: False if nobody reads what is wrong with each case: points are given and mistakes
            named that explain everything; what else there is to say takes longer to find.
    """
    if any("validator" in case for case in exercise["cases"]):
        outcomes = outcomes[:1] * len(outcomes)  # all validators look at one and the same value
    came = outcomes
    outcomes = [judged(*pair) for pair in zip(exercise["cases"], came, strict=True)]
    brief = not in_words or shown is not None  # then other words are found
    cases, named = [], []
    for case, raw, outcome in zip(exercise["cases"], came, outcomes, strict=True):
        problem, mistake = None, None
        if brief and "validator" not in case and outcome["status"] == "value":
            problem = None if is_right(exercise, case, outcome) else WRONG
        else:
            problem, mistake = problem_of(exercise, case, outcome)
        if problem and shown is not None:
            outcome = judged(case, shown(case, raw))
            problem = problem_of(exercise, case, outcome)[0] or WRONG
        cases.append(
            case_verdict(case, outcome, problem)
            if in_words
            else CaseVerdict(case["title"], case["part"], "", "", "", problem)
        )
        if mistake and mistake not in named:
            named.append(mistake)
    for place in _spared(exercise, cases, outcomes):
        cases[place].problem = None
    points, max_points = _points(exercise, cases)
    verdict = Verdict(exercise["id"], points, max_points, "correct", "", cases=cases)
    failed = [place for place, case in enumerate(cases) if case.problem]
    if not failed:
        verdict.summary = f"All {len(cases)} cases are right."
        return verdict
    verdict.section = exercise["section"]
    are = "is" if len(failed) == 1 else "are"
    verdict.summary = f"{len(failed)} of {len(cases)} cases {are} wrong."
    verdict.status = "partly" if points else "wrong"
    explain_trivial(verdict, [outcomes[place] for place in failed], len(failed) == len(cases))
    if verdict.status != "not attempted":
        if named:  # by validators, whose sentences stand at the cases
            verdict.mistakes = named
        else:
            found, explained = recognise(exercise, outcomes, failed, predictions(), combined)
            if explained != "all" and not in_words:
                return verdict
            verdict.mistakes = list(dict.fromkeys(name.partition(OTHER_FORM)[0] for name in found))
            told = explained == "all" or verdict.explanations
            fact = None if told else plain_fact(cases, outcomes, failed)
            if fact is not None:
                verdict.mistakes, sentence = [fact[0]], fact[1]
                verdict.explanations.append(sentence)
                return verdict
            if explained == "all":
                _count_repairs(exercise, verdict)
            verdict.explanations += explain(exercise, verdict.mistakes, explained)
            if explained != "all":
                verdict.explanations += explain_student_test(exercise, outcomes, failed)
            for mistake in verdict.mistakes[:1]:
                verdict.section = exercise["mistakes"][mistake.split(AND)[0]]["section"]
    return verdict


def _spared(exercise: Exercise, cases: list[CaseVerdict], outcomes: list[CallResult]) -> list[int]:
    """The places of what could not be judged because of something else that is wrong already."""
    judged_wrong = {
        case.part
        for case, outcome in zip(cases, outcomes, strict=True)
        if case.problem and not outcome.get("unjudged")
    }
    return [
        place
        for place, (case, outcome) in enumerate(zip(exercise["cases"], outcomes, strict=True))
        if outcome.get("unjudged") and getattr(case["judge"], "unless", "") in judged_wrong
    ]


def _points(exercise: Exercise, cases: list[CaseVerdict]) -> tuple[float, float]:
    """Add the points of the parts whose cases are all right; without the core, none count."""
    earned = 0.0
    for place, part in enumerate(exercise["parts"]):
        right = all(not case.problem for case in cases if case.part == part["id"])
        if right:
            earned += part["points"]
        elif place == 0:
            break
    return earned, float(sum(part["points"] for part in exercise["parts"]))


def _count_repairs(exercise: Exercise, verdict: Verdict) -> None:
    """In a bug hunt in which nothing else is wrong, each bug that is gone counts by itself."""
    known = exercise["mistakes"]
    earned = [known[name].get("points") if name in known else None for name in verdict.mistakes]
    if len(earned) == 1 and earned[0] is not None:
        verdict.points = float(earned[0])
        verdict.status = "partly" if verdict.points else "wrong"
