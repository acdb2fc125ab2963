"""Mistakes as edits of the reference: what an edit must be, and what is shown of it."""

import pytest

from grading.exercise.edits import EditError, defined_by, difference, edited, source_of


def double(x):
    y = x + x
    return y


SOURCE = source_of(double)


def test_an_edit_makes_another_program():
    tripled = edited(SOURCE, [("x + x", "x + x + x")])
    assert defined_by(tripled, double, "tripled")(2) == 6
    assert double(2) == 4


def test_a_mutant_sees_the_names_of_its_module():
    assert defined_by(edited(SOURCE, [("x + x", "SOURCE")]), double, "text")(2) == SOURCE


def test_a_mutant_sees_what_a_notebook_imports_and_names_that_are_given():
    edits = [("x + x", "F.relu(torch.ones(())) + three")]
    made = defined_by(edited(SOURCE, edits), double, "four", {"three": 3, "SOURCE": 5})
    assert made(2) == 4


def test_edits_speak_of_the_original_text():
    swapped = edited(SOURCE, [("y = x", "y = x * x"), ("return y", "return y = x")])
    assert "y = x * x + x" in swapped
    assert "return y = x" in swapped


@pytest.mark.parametrize(
    ("edits", "problem"),
    [
        ([("z", "y")], "found 0 times: 'z'"),
        ([("x", "y")], "found 3 times: 'x'"),
        ([("x + x", "x"), ("= x", "= 2")], "change the same text, 'x'"),
    ],
)
def test_an_edit_that_does_not_apply_exactly_once_is_refused(edits, problem):
    with pytest.raises(EditError, match=problem):
        edited(SOURCE, edits)


def test_what_is_shown_are_the_lines_that_change():
    shown = difference(SOURCE, [("x + x", "2 * x")])
    assert shown == "-    y = x + x\n+    y = 2 * x"
