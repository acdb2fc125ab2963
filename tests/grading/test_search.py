"""The search for small edits that no case sees."""

import dataclasses

import pytest

from grading.content import exercises_of
from grading.exercise import Case, DrawnExercise, Exercise, Part
from grading.proof import search


def absolute(x):
    """The absolute value."""
    if x < 0:
        x = -x
    return x


def with_cases(*numbers):
    return Exercise(
        id="absolute",
        title="Absolute",
        signature="absolute(x)",
        reference=absolute,
        cases=lambda generator: [Case(str(n), "core", (("x", n),)) for n in numbers],
        parts=(Part("core", "the number without its sign", 1),),
        mistakes=(),
        alternatives={},
        minutes=1,
        difficulty=1,
        section="here",
    )


def test_edits_are_small_and_none_comes_twice():
    edits = list(search.edits_of(with_cases(1.0).source))
    assert len(set(edits)) == len(edits)
    bodies = [edit.replace(" ", "") for edit in edits]
    assert any("ifx<=0" in body for body in bodies)
    assert any("ifx<1" in body for body in bodies)
    assert any("\nx=x\n" in body for body in bodies)
    assert all("Theabsolutevalue." in body for body in bodies)


def test_what_the_cases_do_not_try_survives():
    weak = search.search(with_cases(1.0, 2.0), seeds=[0])
    strong = search.search(with_cases(-0.5, 0.5), seeds=[0])
    assert weak.tried == strong.tried
    assert any("- x = -x  + pass" in edit for edit in weak.survived)
    assert not any("pass" in edit for edit in strong.survived)
    # nothing tells these from the reference: -0 is 0
    assert [edit for edit in strong.survived if "<=" in edit] == ["- if x < 0:  + if x <= 0:"]


def test_what_only_some_draws_see_is_said_to_be_luck():
    drawn = with_cases()
    drawn = dataclasses.replace(
        drawn,
        cases=lambda generator: [
            Case("drawn", "core", (("x", (-1.0, 1.0)[generator.initial_seed()]),))
        ],
    )
    found = search.search(drawn, seeds=[0, 1])
    assert any(
        "pass" in edit and "0 points in 1, 1 points in 1 draws" in edit for edit in found.by_luck
    )
    assert found.tried == found.caught + len(found.by_luck) + len(found.survived)


def test_an_edit_that_goes_on_for_ever_is_caught(monkeypatch):
    monkeypatch.setattr(search.PatienceLimits, "edit_seconds", 0.05)
    exercise = with_cases(1.0, 2.0)
    endless = "def absolute(x):\n    kept = [x]\n    for one in kept:\n        kept.append(one)\n"
    drawn = DrawnExercise(exercise, 0)
    assert search._points(exercise, endless, drawn) == 0
    assert search._points(exercise, exercise.source, drawn) == 1


@pytest.mark.filterwarnings("ignore:Converting a tensor")
def test_the_reference_of_an_exercise_can_be_searched():
    (exercise,) = [e for e in exercises_of("simple_attention") if e.id == "weights_time_first"]
    found = search.search(exercise, seeds=[0])
    assert found.tried > 40
    assert found.caught > found.tried / 2
