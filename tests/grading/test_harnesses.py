"""Exercises that are more than one call: modules, students' tests, two mistakes at once."""

import dataclasses
import textwrap

import pytest
import torch
from torch import nn

from grading import check
from grading.exercise import Case, DrawnExercise, Exercise, Mistake, Part
from grading.running.kernel import SubmissionKernel

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


class Scale(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(size))

    def forward(self, x):
        gain = self.gain
        y = x * gain
        return y


def scale_cases(generator):
    gain, x = torch.randn(3, generator=generator), torch.randn(2, 3, generator=generator)
    arguments = (("init", [3]), ("state", {"gain": gain}), ("inputs", [x]))
    return [
        Case("the output", "core", arguments, harness=check.run_module),
        Case("the gradients", "trained", arguments, harness=check.train_module),
    ]


SCALES = Exercise(
    id="Scale",
    title="A gain for each number",
    signature="class Scale(size)",
    reference=Scale,
    cases=scale_cases,
    parts=(Part("core", "the output", 2), Part("trained", "the gradients", 1)),
    mistakes=(
        Mistake("added", "The gain is added.", [("x * gain", "x + gain")]),
        Mistake("sign", "The sign is wrong.", [("return y", "return -y")]),
        Mistake(
            "no_gradient",
            "The gain is cut off from the gradient.",
            [("gain = self.gain", "gain = self.gain.detach()")],
            points=2,
        ),
    ),
    combined=("added", "sign", "no_gradient"),
    alternatives={},
    minutes=5,
    difficulty=1,
    section="“Masks: who may look at whom” in chapter 1",
)


def mutant(*names):
    return SCALES.mutant(*(m.mutation for m in SCALES.mistakes if m.id in names))


@pytest.fixture
def drawn():
    return DrawnExercise(SCALES, seed=7)


def verdict_on(drawn, code):
    return drawn.grade(drawn.outcomes(made(code, "Scale")))


def test_a_module_is_built_loaded_and_run(drawn):
    verdict = verdict_on(drawn, SCALE)
    assert (verdict.status, verdict.points) == ("correct", 3)


@pytest.mark.parametrize("mistake", SCALES.mistakes, ids=lambda mistake: mistake.id)
def test_a_mistake_is_made_by_its_edits_and_recognised(drawn, mistake):
    verdict = drawn.grade(drawn.outcomes(SCALES.mutant(mistake.mutation)))
    assert verdict.mistakes == [mistake.id]
    assert verdict.points == mistake.points


def test_two_mistakes_at_once_are_both_named(drawn):
    verdict = drawn.grade(drawn.outcomes(mutant("added", "sign")))
    assert verdict.mistakes == ["added + sign"]
    assert verdict.explanations == [
        "Two known mistakes together would give these results:",
        "The gain is added.",
        "The sign is wrong.",
    ]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "nn.Parameter(torch.ones(size))",
            "torch.ones(size)",
            "Its `state_dict()` is empty: no weight is seen.",
        ),
        ("self.gain", "self.weight", "Its `state_dict()` lacks `gain`; it has `weight`."),
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
    assert drawn.grade(outcomes).status == "correct"


RIGHT = "def double(x):\n    return 2 * x\n"
CASES = {"doubles": RIGHT, "triples": RIGHT.replace("2", "3"), "squares": "double = torch.square"}


def test_a_students_test_is_run_on_right_and_wrong_implementations(usual):
    calls = [
        {"name": "test_double", "arguments": [["name", "double"], ["source", source]]}
        for source in CASES.values()
    ]
    with SubmissionKernel(bounds=usual) as kernel:
        kernel.run_cell("import torch\ndef test_double(f): assert f(torch.tensor(2.0)) == 4")
        found = [kernel.call({**call, "harness": check.run_test})["value"] for call in calls]
    assert found == ["accepted", "rejected", "accepted"]  # 2² = 2 · 2: this test misses one


def test_a_students_test_that_is_not_written_or_returns_its_finding_is_told_so():
    with pytest.raises(NotImplementedError):
        check.run_test(made("def f(g): raise NotImplementedError", "f"), "double", RIGHT)
    with pytest.raises(check.Finding, match="use `assert`"):
        check.run_test(lambda double: double(1) == 2, "double", RIGHT)


def test_a_harness_of_an_assignment_travels_with_its_call(usual, tmp_path, monkeypatch):
    (tmp_path / "some_harnesses.py").write_text(
        '"""It may use what every assignment may use."""\n'
        "import math\n"
        "from grading.check import Finding, quoted\n"
        "def twice(function, x):\n"
        "    if function(x) is x: raise Finding(quoted(['f']) + ' gives back its argument.')\n"
        "    return math.floor(function(function(x)))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import some_harnesses

    call = {"arguments": [["x", 3]], "harness": some_harnesses.twice}
    with SubmissionKernel(bounds=usual) as kernel:
        kernel.run_cell("def double(x): return 2 * x\ndef same(x): return x")
        assert kernel.call({**call, "name": "double"})["value"] == 12
        outcome = kernel.call({**call, "name": "same"})
    assert outcome == {"status": "finding", "text": "`f` gives back its argument."}


def test_tensors_inside_arguments_are_copied_and_changes_to_them_noticed():
    call = {"name": "f", "arguments": [["state", {"w": torch.ones(2)}]]}
    outcome = check.run_call({"f": lambda state: state["w"].mul_(2)}, call)
    assert check.judged({"title": "", "part": "", "call": call}, outcome)["changed"] == ["state"]
    assert call["arguments"][0][1]["w"].tolist() == [1, 1]


def test_two_at_once_are_asked_for_only_when_no_mistake_explains_everything(drawn):
    def refuse():
        raise AssertionError("the combinations were computed")

    outcomes = drawn.outcomes(mutant("sign"))
    verdict = check.grade_outcomes(drawn.record, outcomes, lambda: drawn.predictions, refuse)
    assert verdict.mistakes == ["sign"]


def with_mistakes(*mistakes, combined=("added", "sign", "more", "nothing")):
    return DrawnExercise(dataclasses.replace(SCALES, mistakes=mistakes, combined=combined), seed=7)


def test_a_mistake_that_is_not_usual_is_in_no_combination():
    added, sign, no_gradient = SCALES.mistakes
    alone = with_mistakes(added, sign, no_gradient, combined=("added", "no_gradient"))
    assert set(alone.combined) == {"added + no_gradient"}
    assert alone.grade(alone.outcomes(mutant("sign"))).mistakes == ["sign"]


def test_a_combination_with_the_results_of_one_mistake_is_left_out():
    added, sign, _ = SCALES.mistakes
    nothing = Mistake("nothing", "A mistake that changes nothing.", [("y = x", "y = 1 * x")])
    assert set(with_mistakes(added, sign, nothing).combined) == {"added + sign"}


def test_mistakes_in_the_same_place_exclude_each_other():
    added, sign, _ = SCALES.mistakes
    more = Mistake("more", "The gain is too large.", [("* gain", "* (1 + gain)")])
    assert set(with_mistakes(added, sign, more).combined) == {"added + sign", "sign + more"}
