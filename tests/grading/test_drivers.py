"""Exercises that are more than one call: modules, students' tests, pairs of mistakes."""

import dataclasses
import textwrap

import pytest
import torch
from torch import nn

from grading import check
from grading.content import exercises_of
from grading.exercise import Case, DrawnExercise, Exercise, Mistake, Part
from grading.kernel import SubmissionKernel

SCALE = """
    class Scale(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.gain = nn.Parameter(torch.ones(size))

        def forward(self, x):
            return x * self.gain
"""


def made(code: str, name: str):
    namespace = {"torch": torch, "nn": nn}
    exec(textwrap.dedent(code), namespace)
    return namespace[name]


def scale(mistakes=frozenset()):
    """The module above, with mistakes to order."""

    class Scale(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.gain = nn.Parameter(torch.ones(size))

        def forward(self, x):
            gain = self.gain.detach() if "no_gradient" in mistakes else self.gain
            y = x + gain if "added" in mistakes else x * gain
            return -y if "sign" in mistakes else y

    return Scale


def scale_cases(generator):
    gain, x = torch.randn(3, generator=generator), torch.randn(2, 3, generator=generator)
    arguments = (("init", [3]), ("state", {"gain": gain}), ("inputs", [x]))
    return [
        Case("the output", "core", arguments, driver=check.run_module),
        Case("the gradients", "trained", arguments, driver=check.train_module),
    ]


SCALES = Exercise(
    id="Scale",
    title="A gain for each number",
    signature="class Scale(size)",
    reference=scale(),
    cases=scale_cases,
    parts=(Part("core", "the output", 2), Part("trained", "the gradients", 1)),
    mistakes=(
        Mistake("added", "The gain is added."),
        Mistake("sign", "The sign is wrong."),
        Mistake("no_gradient", "The gain is cut off from the gradient.", points=2),
    ),
    variant=scale,
    alternatives={},
    minutes=5,
    difficulty=1,
    section="“Masks: who may look at whom” in chapter 1",
)


@pytest.fixture
def drawn():
    return DrawnExercise(SCALES, seed=7)


def verdict_on(drawn, code):
    return drawn.judge(drawn.outcomes(made(code, "Scale")))


def test_a_module_is_built_loaded_and_run(drawn):
    verdict = verdict_on(drawn, SCALE)
    assert (verdict.status, verdict.points) == ("correct", 3)


@pytest.mark.parametrize("mistake", SCALES.mistakes, ids=lambda mistake: mistake.id)
def test_a_mistake_is_made_by_the_variant_and_recognised(drawn, mistake):
    verdict = drawn.judge(drawn.outcomes(SCALES.wrong(mistake)))
    assert verdict.mistakes == [mistake.id]
    assert verdict.points == mistake.points


def test_two_mistakes_at_once_are_both_named(drawn):
    verdict = drawn.judge(drawn.outcomes(scale({"added", "sign"})))
    assert verdict.mistakes == ["added + sign"]
    assert verdict.explanations == [
        "Two known mistakes together would give these results:",
        "The gain is added.",
        "The sign is wrong.",
    ]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("nn.Parameter(torch.ones(size))", "torch.ones(size)", "Its `state_dict()` lacks `gain`."),
        ("self.gain", "self.weight", "Its `state_dict()` lacks `gain`."),
        ("torch.ones(size)", "torch.ones(1, size)", "`gain` has the shape [1, 3]; expected [3]."),
        (
            "super().__init__()",
            "super().__init__(); self.more = nn.Linear(1, 1)",
            "parameters `more.w",
        ),
        ("nn.Module", "object", "expected an `nn.Module`"),
    ],
)
def test_what_keeps_a_module_from_being_loaded_is_said_in_a_sentence(drawn, old, new, sentence):
    code = SCALE.replace(old, new)
    if new == "object":
        code = code.replace("super().__init__()", "pass")
    verdict = verdict_on(drawn, code)
    assert sentence in verdict.cases[0].problem
    assert verdict.points == 0


def test_a_parameter_that_no_gradient_reaches_is_named(drawn):
    verdict = verdict_on(drawn, SCALE.replace("x * self.gain", "x * self.gain.detach() + 0 * x"))
    assert verdict.points == 2
    assert verdict.cases[1].problem == "No gradient reaches `gain`."


def test_a_module_runs_in_the_kernel_of_a_submission(drawn, usual):
    with SubmissionKernel(bounds=usual) as kernel:
        kernel.run_cell("import torch\nfrom torch import nn" + textwrap.dedent(SCALE))
        outcomes = [kernel.call(case["call"]) for case in drawn.cases]
    assert drawn.judge(outcomes).status == "correct"


RIGHT = "def double(x):\n    return 2 * x\n"
CASES = {"doubles": RIGHT, "triples": RIGHT.replace("2", "3"), "squares": "double = torch.square"}


def test_a_students_test_is_run_on_right_and_wrong_implementations(usual):
    calls = [
        {"name": "test_double", "arguments": [["name", "double"], ["source", source]]}
        for source in CASES.values()
    ]
    with SubmissionKernel(bounds=usual) as kernel:
        kernel.run_cell("import torch\ndef test_double(f): assert f(torch.tensor(2.0)) == 4")
        found = [kernel.call({**call, "driver": check.run_test})["value"] for call in calls]
    assert found == ["accepted", "rejected", "accepted"]  # 2² = 2 · 2: this test misses one


def test_a_students_test_that_is_not_written_or_returns_its_finding_is_told_so():
    with pytest.raises(NotImplementedError):
        check.run_test(made("def f(g): raise NotImplementedError", "f"), "double", RIGHT)
    with pytest.raises(check.Problem, match="use `assert`"):
        check.run_test(lambda double: double(1) == 2, "double", RIGHT)


def test_a_driver_of_an_assignment_travels_with_its_call(usual, tmp_path, monkeypatch):
    (tmp_path / "some_drivers.py").write_text(
        "class Problem(Exception): pass\n"
        "def twice(function, x):\n"
        "    if function(x) is x: raise Problem('It gives back what it was given.')\n"
        "    return function(function(x))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import some_drivers

    call = {"arguments": [["x", 3]], "driver": some_drivers.twice}
    with SubmissionKernel(bounds=usual) as kernel:
        kernel.run_cell("def double(x): return 2 * x\ndef same(x): return x")
        assert kernel.call({**call, "name": "double"})["value"] == 12
        outcome = kernel.call({**call, "name": "same"})
    assert outcome == {
        "status": "error",
        "type": "Problem",
        "text": "It gives back what it was given.",
    }


def test_tensors_inside_arguments_are_copied_and_changes_to_them_noticed():
    call = {"name": "f", "arguments": [["state", {"w": torch.ones(2)}]]}
    outcome = check.run_call({"f": lambda state: state["w"].mul_(2)}, call)
    assert outcome["changed"] == ["state"]
    assert call["arguments"][0][1]["w"].tolist() == [1, 1]


def test_pairs_are_asked_for_only_when_no_mistake_explains_everything(drawn):
    def refuse():
        raise AssertionError("the pairs were computed")

    outcomes = drawn.outcomes(scale({"sign"}))
    verdict = check.judge(drawn.record, outcomes, lambda: drawn.predictions, refuse)
    assert verdict.mistakes == ["sign"]


def test_an_exercise_without_a_variant_has_no_pairs():
    assert DrawnExercise(exercises_of("simple_attention")[0], seed=0).pairs == {}


def with_mistakes(*mistakes):
    return DrawnExercise(dataclasses.replace(SCALES, mistakes=mistakes), seed=7)


def test_a_mistake_that_stands_alone_is_in_no_pair():
    added, sign, no_gradient = SCALES.mistakes
    alone = with_mistakes(added, dataclasses.replace(sign, alone=True), no_gradient)
    assert set(alone.pairs) == {"added + no_gradient"}
    assert alone.judge(alone.outcomes(scale({"sign"}))).mistakes == ["sign"]


def test_a_pair_with_the_results_of_one_mistake_is_left_out():
    added, sign, _ = SCALES.mistakes
    nothing = Mistake("nothing", "A mistake that changes nothing.")
    assert set(with_mistakes(added, sign, nothing).pairs) == {"added + sign"}
