"""Where an answer stopped: the student's own lines, and a case to try by hand."""

import linecache
import re
import sys
import types

import pytest
import torch

from grading import check
from grading.check import notebook
from grading.content import exercises_of
from grading.content.release import released_paths
from grading.running import redaction

FAILS = """\
def helper(x):
    return x.view(7)

def double(x):
    y = 2 * x
    return helper(y)
"""
STOPPED = [[6, "double", "return helper(y)"], [2, "helper", "return x.view(7)"]]


def cell(source: str, name: str = "/tmp/ipykernel_1/1.py") -> dict:
    """What a notebook holds after a cell was run, whose lines are known as IPython's are."""
    namespace = {"torch": torch, "__name__": "__main__"}
    exec(compile(source, name, "exec"), namespace)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    return namespace


def call(name: str = "double") -> dict:
    return {"name": name, "arguments": [["x", torch.ones(3)]]}


def test_an_error_has_the_lines_of_the_notebook_that_it_came_through():
    outcome = check.run_call(cell(FAILS), call())
    assert (outcome["type"], outcome["where"]) == ("RuntimeError", STOPPED)
    outcome = check.run_call(cell("def double(x):\n    return double(x)\n"), call())
    assert outcome["where"] == [[2, "double", "return double(x)"]] * 5


def test_an_error_of_ours_has_no_lines():
    outcome = check.run_call({"double": torch.linalg.inv}, call())
    assert outcome["status"] == "error"
    assert "where" not in outcome


def test_the_report_shows_the_lines_once_for_the_first_case_that_failed():
    case = {"part": "core", "call": call(), "expected": {"status": "value", "value": 1}}
    exercise = {
        "id": "double", "parts": [{"id": "core", "title": "core", "points": 1}], "section": "s",
        "mistakes": {}, "tolerance": 1e-5,
        "cases": [{**case, "title": "one"}, {**case, "title": "two"}],
    }  # fmt: skip
    outcome = check.run_call(cell(FAILS), call())
    report = check.Report(check.grade_outcomes(exercise, [outcome] * 2, dict), public=True)
    text = str(report)
    assert "“one” stopped in your code:\n    line 6, in double:  return helper(y)\n" in text
    assert text.count("stopped in your code") == 1
    assert text.count("invalid for input of size") == 1  # said once, then pointed to
    assert "The same as for “one”." in text
    assert '`check.case("double", 1)` gives you its arguments.' in text
    page = report._repr_html_()
    assert "line 2, in helper:  return x.view(7)</pre>" in page
    assert "check.case" not in check.Report(report.verdict)._repr_html_()  # hidden cases stay so


def test_of_a_hidden_case_only_lines_that_stand_in_the_notebook_are_told():
    exercise = exercises_of("01_simple_attention")[0]
    case = {"title": "one", "part": "core", "call": call()}
    outcome = {"status": "error", "type": "ValueError", "text": "", "where": [
        *STOPPED, [7, "double", "return helper(y)"], [1, "double", "0.123"],
        [2, "x0_123", "return x.view(7)"],
    ]}  # fmt: skip
    told = redaction.shown(exercise, ["", f"\n\n{FAILS}"])(case, outcome)
    assert told["where"] == [*STOPPED, [2, "", "return x.view(7)"]]
    assert redaction.shown(exercise)(case, outcome)["where"] == []


def test_after_an_interrupt_the_students_loop_is_shown(monkeypatch):
    loops = "def double(x):\n    while True:\n        raise KeyboardInterrupt\n"
    main = types.ModuleType("__main__")
    vars(main).update(cell(loops))
    main.double = types.FunctionType(main.double.__code__, vars(main))
    monkeypatch.setitem(sys.modules, "__main__", main)
    with pytest.raises(notebook.Interrupted) as stopped:
        notebook._called([{"title": "one", "call": call()}], [0], silent=False)
    (shown,) = stopped.value._render_traceback_()
    assert shown == (
        "KeyboardInterrupt: “one” was stopped at\n  line 3, in double:  raise KeyboardInterrupt"
    )


def test_a_case_can_be_tried_by_hand(monkeypatch):
    check_file, cases = released_paths("01_simple_attention")
    monkeypatch.setattr(notebook, "__file__", str(check_file))
    monkeypatch.setattr(notebook, "load_cases", lambda path: check.unpack(_unzipped(cases)))
    given = notebook.check.case("weights_time_first", 2)
    assert list(given) == ["query", "key"]
    given["query"].zero_()
    assert notebook.check.case("weights_time_first", 2)["query"].any()
    with pytest.raises(IndexError, match="weights_time_first has the cases 1 to "):
        notebook.check.case("weights_time_first", 0)
    with pytest.raises(KeyError, match="No exercise 'x'"):
        notebook.check.case("x", 1)


def _unzipped(path):
    import gzip

    return gzip.decompress(path.read_bytes())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (torch.zeros(2, 3), "float32 [2, 3]"),
        ([torch.zeros(2), None], "[float32 [2], None]"),
        ([3, 5, 8], "3 numbers"),
        ({"a": {"b": torch.zeros(1)}}, "{`a` {`b` float32 [1]}}"),
        ([torch.zeros(1)] * 8, "[" + "float32 [1], " * 6 + "and 2 more]"),
        ("one = 1\n" * 20, "20 lines of code"),
        ("a\nb", r"'a\nb'"),
        ("a" * 70, f"'{'a' * 60}'…"),
        ({"a" * 70: 1, "it's\n": 2}, f"{{`{'a' * 60}…` 1, `it's\\n` 2}}"),
        ([], "[]"),
    ],
)
def test_what_was_given_is_described_down_to_its_shapes(value, text):
    from grading.check.values import given

    assert given(value) == text


def test_every_exercise_says_a_shape_a_number_or_a_text_of_what_it_was_called_with():
    """What a student is told must be enough to see which case it was."""
    from grading.check.problems import _given
    from grading.content import assignments
    from grading.exercise import PUBLIC_SEED, DrawnExercise

    for exercises in assignments().values():
        for exercise in exercises:
            for case in DrawnExercise(exercise, PUBLIC_SEED).cases:
                told = ", ".join(_given(*argument) for argument in case["call"]["arguments"])
                assert not told or re.search(r"\d|'.", told), told
                assert "a list of" not in told
                assert "a dictionary with" not in told
