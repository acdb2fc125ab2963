"""What a verdict says beside its points: the causes, as far as they are known."""

from __future__ import annotations

import re

from grading.check.call import CallResult
from grading.check.recognition import skeleton
from grading.check.record import AND, CaseVerdict, Exercise, Verdict


def explain_trivial(verdict: Verdict, failed: list[CallResult], all_failed: bool) -> None:
    """Say what no list of mistakes is needed for: nothing was written, or nothing comes back."""
    if not all_failed:
        return
    if all(outcome.get("type") == "NotImplementedError" for outcome in failed):
        verdict.status, verdict.summary = "not attempted", "Not written yet."
    elif all(outcome["status"] == "missing" for outcome in failed):
        verdict.status = "not attempted"
        verdict.summary = f"{verdict.cases[0].problem} Run (or restore) the cell that defines it."
    elif all(outcome["status"] == "value" for outcome in failed):
        values = [outcome["value"] for outcome in failed]
        # A harness that calls the function several times makes a tuple of what it returns.
        items = [v for value in values for v in (value if isinstance(value, tuple) else [value])]
        if any(value is None for value in values) and all(item is None for item in items):
            verdict.explanations.append("The function returns nothing: end it with `return`.")


_OVERWRITTEN = "modified by an inplace operation"


_LEAF = "a leaf Variable that requires grad"


_TRUTH = "Boolean value of Tensor with"


_FACTS = (  # what can be wrong in any exercise: its name, how a case says it, what to ask
    (
        "changes an argument",
        r"The result is right, but the function changed its argument (.*)\.",
        "The results are right, but {} was changed, and the caller still needs it as it was. Which "
        "line writes into it: an operator such as `+=`, an assignment to a slice or a key, `pop`, "
        "or a method whose name ends in `_`?",
    ),
    (
        "no gradient",
        r"(?:The values are right, but no|No) gradient reaches (.*)\.",
        "The numbers are right, but no gradient reaches {}. Where on the way from there to the "
        "result is something cut off from autograd: `detach`, `.data`, `no_grad`, `item`, a new "
        "tensor built from numbers?",
    ),
    (
        "NaN in the gradient",
        r"The values are right, but not the gradient for (`.*?`): .* NaN\b.*",
        "The numbers are right, but the gradient for {} is NaN: what is mended after a NaN has "
        "come up (`nan_to_num`, `where`) is right forwards, not backwards, where 0 times NaN is "
        "NaN. Where does it come up, and what would have to be put there *before*?",
    ),
    (
        "another gradient",
        r"The values are right, but (?:not the gradient for|no gradient reaches) (`.*?`)[:.]",
        "The numbers are right, but the gradient for {} is that of something else. Which step "
        "depends on it and is hidden from autograd: `detach`, `.data`, `no_grad`, `item`, a "
        "constant that was computed from it?",
    ),
    (
        "weights do not fit",
        r"(Its `state_dict\(\)` lacks `|It has the parameters `|`.*` has the shape \[)",
        "The weights of the exercise cannot be loaded into your class. Which of its layers has "
        "another name or other sizes, or a bias where there is none, or none where there is one "
        "(`bias=False`)?",
    ),
    (
        "another dtype",
        r".*The dtype is (\w+; expected \w+)\. Apart from that the numbers are right\.",
        "The numbers are right, but the dtype is {}. Which step converts them, or makes a tensor "
        "whose dtype is its own?",
    ),
    (
        "rounded",
        r".*They are the right numbers, rounded to (\d decimal places)\.",
        "The numbers are right, but rounded to {}. Which line does that? Return them as they are.",
    ),
    (
        "axes of length 1",
        r".*The numbers are right; only axes of length 1 are (missing or too many)\.",
        "The numbers are right, but axes of length 1 are {}. Which step drops or adds one: "
        "`squeeze`, `unsqueeze`, `keepdim`, an index?",
    ),
    (
        "returns what it should raise",
        r"(?:Your test|It) returned (a bool|a value)(?: and raised nothing)?\. .*",
        "Your test returns {}, and nobody looks at what a test returns: it says that something is "
        "wrong by raising an error. Where would an `assert` stand in place of a `return`?",
    ),
    (
        "returns something else",
        r"It returned (.*); expected (?:a tensor|an? .*list.*|\d+ values|a dictionary.*)\.",
        "It returns {}. What does the exercise ask for, and what stands behind `return`?",
    ),
)


def plain_fact(
    cases: list[CaseVerdict], outcomes: list[CallResult], failed: list[int]
) -> tuple[str, str] | None:
    """Name what is plain to see, if it is all that is wrong: no guess, but what the cases say."""
    errors = [
        (outcomes[place].get("type"), skeleton(outcomes[place]))
        for place in failed
        if outcomes[place]["status"] == "error"
    ]
    if errors and all(_TRUTH in outcomes[place].get("text", "") for place in failed):
        return "the truth of a tensor", (
            "A tensor of several numbers is asked whether it is true, which is an error: by `if`, "
            "`and`, `or`, `not`, `in`, or a chain such as `0 <= x < 5`. Which line does it? To see "
            "whether an argument was left out, ask whether it `is None`."
        )
    unanswered = outcomes[0].get("type") == "NotImplementedError"
    if len(errors) == len(cases) and len(set(errors)) == 1 and not unanswered:
        return "the same error everywhere", (
            "Every case ends with the same error. Which line raises it, and what did you expect to "
            "find there?"
        )
    texts = [cases[place].problem or "" for place in failed]
    if all(_OVERWRITTEN in text for text in texts):
        return "overwrites what autograd needs", (
            "The values can be computed, but not the gradient: a tensor that autograd still needs "
            "was overwritten. Which line writes into a tensor in place of making a new one?"
        )
    for name, pattern, sentence in _FACTS:
        told = texts
        if name == "changes an argument":  # where it requires a gradient, that is an error
            told = [text for text in texts if _LEAF not in text and _OVERWRITTEN not in text]
            told = _most_without("gradient", told)  # or costs this gradient
        if name == "returns what it should raise":  # and some versions it sees nothing wrong with
            told = _most_without("'accepted'", told)
        found = [re.match(pattern, text) for text in told]
        if found and all(found):
            whats = dict.fromkeys(w for match in found if match for w in match[1].split(" and "))
            return name, sentence.format(" and ".join(whats))
    return None


def _most_without(word: str, texts: list[str]) -> list[str]:
    """The texts without a word if they are more than half, else all."""
    others = [text for text in texts if word not in text]
    return others if 2 * len(others) > len(texts) else texts


EXPLAINED = {
    "all": "More than one mistake would give these results:",
    "together": "Known mistakes that together would give these results:",
    "some": "Some of the results, not all, are those of a known mistake:",
    "there": "The results that are wrong are those of a known mistake, made only there:",
}


def explain(exercise: Exercise, named: list[str], explained: str) -> list[str]:
    """Return the sentences of the mistakes that were recognised, and how much they explain."""
    if not named:
        return []
    if AND in named[0]:
        both = [exercise["mistakes"][mistake]["message"] for mistake in named[0].split(AND)]
        return ["Two known mistakes together would give these results:", *both]
    sentences = [exercise["mistakes"][mistake]["message"] for mistake in named]
    if explained != "all" or len(sentences) > 1:
        return [EXPLAINED[explained], *sentences]
    return [f"Likely mistake: {sentences[0]}"]


def explain_student_test(
    exercise: Exercise, outcomes: list[CallResult], failed: list[int]
) -> list[str]:
    """Say which versions a student's test judges wrongly, where the exercise is to write one."""

    def named(places: list[int]) -> str:
        names = [exercise["cases"][place]["title"].partition(": ")[2] for place in places]
        more = f"; and {len(names) - 6} more" if len(names) > 6 else ""
        return "; ".join(names[:6]) + more

    through = [place for place in failed if outcomes[place].get("value") == "accepted"]
    refused = [place for place in failed if outcomes[place].get("value") == "rejected"]
    right = [
        case for case in exercise["cases"] if case.get("expected", {}).get("value") == "accepted"
    ]
    core = {
        place
        for place, case in enumerate(exercise["cases"])
        if case["part"] == exercise["parts"][0]["id"]
        and case.get("expected", {}).get("value") == "rejected"
    }
    found = []
    if through:
        found.append(f"Your test lets wrong versions through: {named(through)}.")
    shown = dict.fromkeys(exercise["cases"][place].get("shown_by", "") for place in through)
    if through and "" not in shown and len(shown) < 5:
        found.append(f"What shows them: {'; '.join(shown)}.")
    if core and core.issubset(through):
        found.append(
            "It sees nothing that is plainly wrong: are numbers compared with numbers that are "
            "certainly right, and is the comparison an `assert`?"
        )
    if refused and len(refused) == len(right):
        found.append(
            "Your test rejects every right version: is what it expects itself right, number by "
            "number?"
        )
    elif refused:
        found.append(
            f"Your test rejects right versions: {named(refused)}. What does it ask for that is not "
            "promised? Two right ways to compute a number differ in the last digits."
        )
    return found
