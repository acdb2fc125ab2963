"""The released half of the grader: values, calls, differences, verdicts and reports."""

import json
import math
import struct

import pytest
import torch

from grading import check
from grading.check import values
from grading.check.differences import equal, same


def outcome(value, changed=(), gradients=None):
    return {"status": "value", "value": value, "changed": list(changed), "gradients": gradients}


# ---- plain values ----


@pytest.mark.parametrize(
    "value",
    [
        torch.randn(2, 3),
        torch.randn(2, 3).bfloat16(),
        torch.tensor([True, False]),
        torch.tensor(3),
        torch.empty(0, 4),
        (torch.randn(2), [1, 2.5, "three", None, True]),
        {"a": {"b": torch.arange(3)}},
        float("inf"),
        -(2**40),
    ],
)
def test_plain_values_survive_packing_exactly(value):
    packed = check.pack(value)
    assert check.difference(value, check.unpack(packed), tolerance=0) is None
    assert check.pack(check.as_sent(value)) == packed


def test_a_value_that_is_no_plain_data_becomes_its_type_name():
    packed = check.unpack(check.pack([torch.nn.Linear(2, 2), open, object()]))
    assert [check.describe(value) for value in packed] == [
        "a value of type Linear",
        "a value of type builtin_function_or_method",
        "a value of type object",
    ]


def test_a_tensor_subclass_is_packed_as_its_numbers_whatever_it_overrides():
    class Liar(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return True

    packed = check.unpack(check.pack(torch.zeros(3).as_subclass(Liar)))
    assert type(packed) is torch.Tensor
    assert packed.tolist() == [0, 0, 0]


def test_all_tensors_of_a_value_together_must_not_be_too_large_and_equal_ones_count_once(
    monkeypatch,
):
    monkeypatch.setattr(values, "MAX_BYTES", 100)
    one, other, third = torch.zeros(10), torch.ones(10), torch.full((10,), 2.0)  # 40 bytes each
    sent = check.as_sent([one, one, other, {"third": third}])
    assert [check.describe(value) for value in sent[:3]] == ["float32 [10]"] * 3
    assert check.describe(sent[3]["third"]) == "a tensor too large to be sent, 10 numbers"


def header(**metadata):
    text = json.dumps({"__metadata__": metadata}).encode()
    return struct.pack("<Q", len(text)) + text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x80\x04\x95",  # the beginning of a pickle
        b"\xff" * 64,
        header(),
        header(tree="{"),
        header(tree="{}"),
        header(tree="[1, 2]"),
        header(tree='{"tensor": "missing"}'),
        header(tree='{"unheard of": 1}'),
        header(tree='{"tuple": ' * 5000 + "1" + "}" * 5000),
        header(tree='{"plain": ' + "9" * 10000 + "}"),
    ],
)
def test_bytes_that_are_no_packed_value_are_refused(data):
    with pytest.raises(check.UnpackError):
        check.unpack(data)


# ---- one call ----


def call(function, *arguments, **options):
    record = {"name": "f", "arguments": [[f"x{i}", a] for i, a in enumerate(arguments)], **options}
    return check.unpack(check.packed_call({"f": function}, record))


def test_a_call_reports_the_value_and_which_arguments_it_changed():
    def double_first(x, y):
        x *= 2
        return x + y

    given = torch.ones(2), torch.ones(2)
    found = call(double_first, *given)
    assert found["value"].tolist() == [3, 3]
    arguments = [[f"x{i}", a] for i, a in enumerate(given)]
    case = {"title": "", "part": "", "call": {"name": "f", "arguments": arguments}}
    assert check.judged(case, found)["changed"] == ["x0"]
    assert check.judged(case, {**found, "after": []})["changed"] == ["x0", "x1"]


def test_a_call_reports_gradients_and_their_absence():
    x = torch.tensor([1.0, 2.0])
    assert call(torch.square, x, cotangents=[torch.ones(2)])["gradients"]["x0"].tolist() == [2, 4]
    cut = call(lambda x: x.detach() ** 2, x, cotangents=[torch.ones(2)])
    assert cut["gradients"] == {"x0": None}


def test_gradients_are_taken_for_tensors_inside_dictionaries_and_lists_too():
    state = {"weight": torch.ones(2), "steps": torch.tensor([1])}
    found = call(
        lambda state, pair: state["weight"] * pair[0] + pair[1].detach(),
        state,
        [torch.full((2,), 3.0), torch.ones(2)],
        cotangents=[torch.ones(2)],
    )
    gradients = found["gradients"]
    assert list(gradients) == ['x0["weight"]', "x1[0]", "x1[1]"]
    assert gradients['x0["weight"]'].tolist() == [3, 3]
    assert gradients["x1[1]"] is None


def test_a_gradient_is_asked_for_even_if_the_function_takes_its_tensor_away():
    state = {"weight": torch.ones(2)}
    found = call(lambda state: state.pop("weight").square(), state, cotangents=[torch.ones(2)])
    assert found["gradients"]['x0["weight"]'].tolist() == [2, 2]
    case = {"title": "", "part": "", "call": {"name": "f", "arguments": [["x0", state]]}}
    assert check.judged(case, found)["changed"] == ["x0"]


def test_a_call_can_pass_tensors_that_view_refuses():
    found = call(lambda x: x.view(-1), torch.randn(2, 3), strided=True)
    assert (found["status"], found["type"]) == ("error", "RuntimeError")


class Oddity(BaseException):
    def __str__(self):
        raise RuntimeError("not even a text")


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(1), Oddity(), GeneratorExit()])
def test_whatever_a_function_raises_becomes_an_outcome(error):
    def function():
        raise error

    assert call(function)["type"] == type(error).__name__


@pytest.mark.parametrize(("value", "found"), [(None, None), (3, "int")])
def test_a_name_that_is_no_function_is_missing(value, found):
    assert call(value) == {"status": "missing", "found": found}


# ---- differences ----

RIGHT = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (None, "It returned None; expected a tensor. Is the `return` missing?"),
        ([1.0], "It returned a list of 1; expected a tensor."),
        (check.Opaque("Linear"), "It returned a value of type Linear; expected a tensor."),
        (RIGHT.double(), "The dtype is float64; expected float32."),
        (RIGHT[0], "The shape is [2]; expected [2, 2]. It has 1 dimensions instead of 2."),
        (RIGHT * 3, "4 of 4 numbers differ, by up to 8. Each is 3 times what is expected."),
        (RIGHT.T, "2 of 4 numbers differ, by up to 1. These are the right numbers with the"),
        (
            torch.tensor([[1.0, 2.0], [3.0, torch.nan]]),
            "1 of 4 numbers are NaN.",
        ),
        (
            torch.tensor([[1.0, 2.0], [3.0, 4.1]]),
            "1 of 4 numbers differ, by up to 0.1. All of them lie at index 1 of axis 0.",
        ),
        (torch.tensor([[1.0, 2.0], [3.0, torch.inf]]), "1 of 4 numbers differ, infinitely."),
    ],
)
def test_a_difference_is_one_true_sentence(found, sentence):
    assert check.difference(RIGHT, found, 1e-5).startswith(sentence)


@pytest.mark.parametrize(
    ("right", "found", "sentence"),
    [
        (1.0, math.nan, "It returned nan; expected 1."),
        (math.nan, math.nan, None),  # what a known mistake gives, and a student who made it
        ([3.0, 4.0], [3.0, 5.0], "Value 2: It returned 5; expected 4."),
        ([[1.0, 2.0], 3.0], [[1.0, 4.0], 3.0], "Value 1, value 2: It returned 4; expected 2."),
    ],
)
def test_numbers_are_compared_one_by_one(right, found, sentence):
    assert check.difference(right, found, 1e-5) == sentence


NUMBERS = torch.tensor([[[0.1, 2.0, 0.7], [1.0, 0.3, 3.1]], [[0.9, 0.2, 1.7], [2.2, 1.4, 0.6]]])


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda x: x.transpose(0, 1), "with the axes 0 and 1 exchanged."),
        (lambda x: x.permute(2, 0, 1), "with the axes in the order [2, 0, 1]."),
        (lambda x: x.flip(2), "in reverse order along axis 2."),
        (lambda x: x.roll(1, 1), "in reverse order along axis 1."),  # with two places it is both
        (lambda x: x.roll(-1, 2), "one place earlier along axis 2."),
        (lambda x: 3 * x, "Each is 3 times what is expected."),
        (lambda x: x + 2, "Each is 2 too large."),
        (lambda x: x - 0.5, "Each is 0.5 too small."),
        (lambda x: 1 - x, "Each is 1 minus what is expected."),
        (lambda x: x[:1], "These are the first 1 of 2 along axis 0."),
        (lambda x: x[:, 1:], "These are the last 1 of 2 along axis 1."),
        (lambda x: torch.cat([x, x], dim=1), "The first 2 along axis 1 are right; the others are"),
        (lambda x: x.mean(0), "It is the mean of the right result over axis 0."),
        (lambda x: x.sum(1, keepdim=True), "It is the sum of the right result over axis 1."),
        (lambda x: x.amax(2), "It is the maximum of the right result over axis 2."),
        (lambda x: x.flatten(), "The numbers are right and in order; only the axes are not."),
        (lambda x: x[None], "The numbers are right; only axes of length 1 are missing or too many"),
        (lambda x: x + x**2 / 3000, "They are nearly right"),
        (lambda x: torch.stack([x[0], -3 * x[1]]), "All of them lie at index 1 of axis 0."),
        (lambda x: torch.cat([x[..., :1], x[..., 1:] ** 2], 2), "Only index 0 of axis 2 is right."),
        (lambda x: x.unsqueeze(0).repeat(3, 1, 1, 1), "It has 4 dimensions instead of 3."),
    ],
)
def test_what_wrong_numbers_have_to_do_with_the_right_ones_is_said(wrong, sentence):
    assert sentence in check.difference(NUMBERS, wrong(NUMBERS), 1e-5)


def test_rounded_numbers_are_called_so():
    right = NUMBERS / 7
    said = check.difference(right, right.round(decimals=3), 1e-5)
    assert said.endswith("They are the right numbers, rounded to 3 decimal places.")
    assert "rounded" not in check.difference(right, right + 3e-4, 1e-5)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [(lambda x: x + 1, "Each is 1 too large."), (lambda x: x.flip(0), "in reverse order")],
)
def test_whole_numbers_are_looked_at_in_the_same_way(wrong, sentence):
    right = torch.tensor([4, 2, 7, 1])
    assert sentence in check.difference(right, wrong(right), 1e-5)


def test_an_inverted_mask_is_called_so():
    mask = torch.tensor([True, False, False])
    assert "1 minus" in check.difference(mask, ~mask, 1e-5)


NEAR = torch.tensor([1.0, 2.0, float("nan")])
VALUES = [
    NEAR, NEAR + 1e-6, NEAR + 1e-3, NEAR.double(), NEAR[:2], NEAR[None], NEAR.nan_to_num(),
    torch.tensor([1, 2, 3]), torch.tensor(1.0), torch.tensor(1), torch.empty(0), None, True, False,
    1, 1.0, 1.0 + 1e-6, 1.1, float("inf"), -float("inf"), "a", "b", "", [], (), ["a"], ("a",),
    [("a", "b")], [["a", "b"]], ["a", "b"], [1.0], [1.0, 2.0], (NEAR, "a"), [NEAR + 1e-6, "a"],
    [NEAR, "b"], {}, {"a": NEAR}, {"a": NEAR + 1e-6}, {"a": NEAR + 1}, {"b": NEAR}, {"a": {"b": 1}},
    check.Opaque("float64"), [check.Opaque("float64")],
]  # fmt: skip


@pytest.mark.parametrize("expected", VALUES, ids=lambda value: str(value)[:30])
def test_whether_values_are_the_same_is_told_without_a_sentence(expected):
    for found in VALUES:
        said = check.difference(expected, found, 1e-5)
        assert same(expected, found, 1e-5) == (said is None), found


def test_a_result_that_is_no_plain_number_is_not_that_of_a_mistake():
    """A float of NumPy, say, where the mistake gives one of Python."""
    opaque, number = outcome(check.Opaque("float64")), outcome(1.0)
    assert not check.agree(opaque, number, 1e-5)
    assert not check.agree(number, opaque, 1e-5)


def test_numbers_within_the_tolerance_are_no_difference():
    assert check.difference(RIGHT, RIGHT + 5e-6, 1e-5) is None
    assert check.difference(RIGHT, RIGHT + 5e-5, 1e-5) is not None


@pytest.mark.parametrize("found", [True, "1.0", None, torch.ones(2)])
def test_a_number_must_be_a_number(found):
    assert check.difference(1.0, found, 1e-5) is not None


def test_a_number_may_be_a_tensor_without_dimensions():
    assert check.difference(1.0, torch.tensor(1.0), 1e-5) is None


# ---- verdicts ----


def exercise(**changes):
    def case(part, argument):
        arguments = [["x", torch.full((2,), float(argument))]]
        expected = outcome(torch.full((2,), argument + 1.0))
        return {
            "title": f"{part} {argument}",
            "part": part,
            "call": {"name": "increment", "arguments": arguments},
            "expected": expected,
        }

    return {
        "id": "increment",
        "parts": [
            {"id": "core", "title": "core", "points": 2},
            {"id": "extra", "title": "extra", "points": 1},
        ],
        "cases": [case("core", 1), case("core", 2), case("extra", 100)],
        "mistakes": {
            "decrement": {"message": "It counts down.", "section": "“Counting down”"},
            "stuck": {"message": "It stops at 50.", "section": "“Large numbers”"},
        },
        "tolerance": 1e-5,
        "section": "“Counting”",
        **changes,
    }


def judge(*values, given=None):
    def prediction(function):
        return [outcome(torch.full((2,), float(function(x)))) for x in (1, 2, 100)]

    given = given or exercise()
    outcomes = [outcome(torch.full((2,), float(v))) if v is not None else v for v in values]
    predictions = {
        "decrement": prediction(lambda x: x - 1),
        "stuck": prediction(lambda x: min(x + 1, 50)),
    }
    verdict = check.grade_outcomes(given, outcomes, lambda: predictions)
    brief = check.grade_outcomes(given, outcomes, lambda: predictions, in_words=False)
    assert (brief.status, brief.points) == (verdict.status, verdict.points)
    return verdict


def test_everything_right_earns_all_points():
    verdict = judge(2, 3, 101)
    assert (verdict.status, verdict.points, verdict.mistakes) == ("correct", 3, [])


def test_a_wrong_corner_costs_its_part_alone():
    verdict = judge(2, 3, 50)
    assert (verdict.status, verdict.points, verdict.mistakes) == ("partly", 2, ["stuck"])


def test_a_bug_hunt_with_one_bug_left_earns_what_that_is_worth():
    given = exercise()
    given["mistakes"]["decrement"]["points"] = 2
    verdict = judge(0, 1, 99, given=given)
    assert (verdict.status, verdict.points, verdict.mistakes) == ("partly", 2, ["decrement"])


def test_a_bug_hunt_with_something_else_wrong_is_judged_by_its_parts():
    given = exercise()
    given["mistakes"]["decrement"]["points"] = 2
    assert judge(0, 17, 99, given=given).points == 0


def test_a_gradient_that_is_zero_may_be_missing():
    right = outcome(1.0, gradients={"x": torch.zeros(2), "y": torch.ones(2)})
    found = outcome(1.0, gradients={"x": None, "y": torch.ones(2)})
    case = {"title": "", "part": "core", "call": {"name": "f", "arguments": []}, "expected": right}
    given = exercise(cases=[case])
    assert check.grade_outcomes(given, [found], dict).status == "correct"
    found["gradients"]["y"] = None
    verdict = check.grade_outcomes(given, [found], dict)
    assert verdict.cases[0].problem == "The values are right, but no gradient reaches `y`."


def test_a_wrong_core_earns_nothing_even_if_the_corner_is_right():
    assert judge(2, 99, 101).points == 0


def test_a_known_mistake_is_named_with_its_sentence():
    verdict = judge(0, 1, 99)
    assert verdict.mistakes == ["decrement"]
    assert verdict.explanations == ["Likely mistake: It counts down."]


def raised(type, text):
    return {"status": "error", "type": type, "text": text}


def graded(*outcomes):
    return check.grade_outcomes(exercise(), list(outcomes), dict)


def test_a_fact_is_named_where_it_is_all_that_is_wrong():
    right = [torch.full((2,), x) for x in (2.0, 3.0, 101.0)]
    told = {"status": "finding", "text": "No gradient reaches `a.weight`, `a.bias`."}
    verdict = graded(outcome(right[0]), told, outcome(right[2]))
    assert verdict.mistakes == ["no gradient"]
    assert "reaches `a.weight`, `a.bias`. Where" in verdict.explanations[0]
    assert graded(outcome(right[0]), told, outcome(right[0])).mistakes == []


def test_a_changed_argument_is_named_wherever_nothing_else_is_wrong():
    right = [torch.full((2,), x) for x in (2.0, 3.0, 101.0)]
    verdict = graded(outcome(right[0], ["x"]), outcome(right[1], ["x"]), outcome(right[2]))
    assert verdict.mistakes == ["changes an argument"]
    assert verdict.explanations[0].startswith("The results are right, but `x` was changed")
    leaf = raised("RuntimeError", "a leaf Variable that requires grad is being used in-place")
    verdict = graded(outcome(right[0], ["x"]), leaf, outcome(right[2]))
    assert verdict.mistakes == ["changes an argument"]
    assert graded(outcome(right[0], ["x"]), outcome(right[0]), outcome(right[2])).mistakes == []
    cut = {
        "status": "finding",
        "text": "No gradient reaches `weight`.",
    }  # written into under no_grad
    verdict = graded(outcome(right[0], ["x"]), outcome(right[1], ["x"]), cut)
    assert verdict.mistakes == ["changes an argument"]
    assert graded(outcome(right[0], ["x"]), cut, cut).mistakes == []


def test_a_returned_bool_is_named_where_other_versions_get_through():
    asked = exercise()
    for case in asked["cases"]:
        case["expected"] = outcome("rejected")
    told = {"status": "finding", "text": "Your test returned a bool. It must raise an error."}
    missed = outcome("accepted")
    for outcomes, mistakes in (
        ([told, told, missed], ["returns what it should raise"]),
        ([told, missed, missed], []),
    ):
        assert check.grade_outcomes(asked, outcomes, dict).mistakes == mistakes


def test_a_wrong_dtype_is_named_if_the_numbers_are_right():
    verdict = graded(*(outcome(torch.full((2,), x).double()) for x in (2.0, 3.0, 101.0)))
    assert verdict.mistakes == ["another dtype"]
    assert "the dtype is float64; expected float32" in verdict.explanations[0]
    assert graded(*(outcome(torch.full((2,), 7).double()) for _ in range(3))).mistakes == []


@pytest.mark.parametrize(
    ("gradient", "named"),
    [
        (torch.tensor([torch.nan, 1.0]), "NaN in the gradient"),
        (torch.tensor([1.0, 3.0]), "another gradient"),
        (None, "no gradient"),
    ],
)
def test_a_gradient_that_is_wrong_is_named_if_the_numbers_are_right(gradient, named):
    right = outcome(1.0, gradients={"x": torch.ones(2), "y": torch.ones(2)})
    found = outcome(1.0, gradients={"x": torch.ones(2), "y": gradient})
    case = {"title": "", "part": "core", "call": {"name": "f", "arguments": []}, "expected": right}
    given = exercise(cases=[case, case])
    verdict = check.grade_outcomes(given, [found, right], dict)
    assert verdict.mistakes == [named]
    assert "`y`" in verdict.explanations[0]
    assert check.grade_outcomes(given, [found, outcome(2.0)], dict).mistakes == []


def test_gradients_that_are_missing_here_and_wrong_there_are_named_together():
    right = outcome(1.0, gradients={"x": torch.ones(2)})
    case = {"title": "", "part": "core", "call": {"name": "f", "arguments": []}, "expected": right}
    found = [outcome(1.0, gradients={"x": gradient}) for gradient in (None, torch.zeros(2))]
    verdict = check.grade_outcomes(exercise(cases=[case, case]), found, dict)
    assert verdict.mistakes == ["another gradient"]


def test_weights_that_cannot_be_loaded_are_named():
    lacking = "Its `state_dict()` lacks `key.bias`; it has `key.weight`. Weights are loaded under …"
    added = "It has the parameters `scale`, which should not be there."
    shape = "`key.weight` has the shape [2, 3]; expected [3, 2]."
    for text in (lacking, added, shape):
        finding = {"status": "finding", "text": text}
        assert graded(*[finding] * 3).mistakes == ["weights do not fit"]
    assert graded(*[{"status": "finding", "text": "Some dropout is alive."}] * 3).mistakes == []


def test_one_error_in_all_cases_is_told_once():
    verdict = graded(*(raised("KeyError", "'weight'") for _ in range(3)))
    assert verdict.mistakes == ["the same error everywhere"]
    # the text itself stands at the cases, where it is cut to what a report may repeat
    assert verdict.explanations[0].startswith("Every case ends with the same error.")
    two = raised("KeyError", "'weight'"), raised("TypeError", "no")
    assert graded(*two, two[0]).mistakes == []


def test_a_tensor_that_is_asked_for_its_truth_is_named():
    text = "Boolean value of Tensor with more than one value is ambiguous"
    verdict = graded(*(raised("RuntimeError", text) for _ in range(3)))
    assert verdict.mistakes == ["the truth of a tensor"]
    truth, other = raised("RuntimeError", text), raised("TypeError", "no")
    assert graded(truth, other, truth).mistakes == []


def test_what_is_no_tensor_is_named():
    verdict = graded(*(outcome([1.0, 2.0]) for _ in range(3)))
    assert verdict.mistakes == ["returns something else"]
    assert "It returns a list of 2." in verdict.explanations[0]


def test_an_unknown_mistake_is_not_guessed_at():
    verdict = judge(7, 8, 9)
    assert verdict.mistakes == []
    assert verdict.explanations == []
    assert verdict.cases[0].problem.startswith("2 of 2 numbers differ, by up to 5.")


def test_a_mistake_that_some_cases_show_is_named_for_those_cases_only():
    verdict = judge(0, 17, 99)
    assert verdict.mistakes == ["decrement"]
    assert verdict.explanations[0].startswith("Some of the results, not all,")


def test_a_mistake_is_not_named_for_one_agreement_that_may_be_chance():
    assert judge(0, 17, 18).mistakes == []


def test_a_mistake_that_explains_all_that_is_wrong_is_named_although_the_rest_is_right():
    verdict = judge(0, 1, 101)
    assert verdict.mistakes == ["decrement"]
    assert verdict.explanations[0].startswith("The results that are wrong are those of")


def test_a_right_case_clears_a_mistake_that_would_have_shown_there():
    assert judge(0, 17, 101).mistakes == []


def judged_versions(wrongly, core=9, **mistakes):
    """A student's test on nine versions: those that it, and each known mistake, judge wrongly.

    The first few are the core.
    """

    def said(places):
        right = ["accepted"] * 3 + ["rejected"] * 6
        other = {"accepted": "rejected", "rejected": "accepted"}
        return [outcome(other[v] if place in places else v) for place, v in enumerate(right)]

    cases = [
        {
            "title": f"version {place}", "part": "core" if place < core else "corner",
            "expected": expected,
            "call": {"name": "increment", "arguments": []},
        }
        for place, expected in enumerate(said([]))
    ]  # fmt: skip
    explanations = {name: {"message": f"{name}.", "section": "here"} for name in mistakes}
    given = exercise(cases=cases, mistakes=explanations)
    predicted = {name: said(places) for name, places in mistakes.items()}
    return check.grade_outcomes(given, said(wrongly), lambda: predicted)


def test_a_students_test_has_a_reason_for_each_kind_of_version_that_it_lets_through():
    verdict = judged_versions([3, 4, 5], loose=[4, 5], small=[3], other=[3, 6], part=[5])
    assert verdict.mistakes == ["loose", "small"]
    assert verdict.explanations[0].startswith("Known mistakes that together")
    verdict = judged_versions([3, 4, 5], loose=[4], other=[5, 6])
    assert verdict.mistakes == ["loose"]
    assert verdict.explanations[0].startswith("Some of the results")
    assert judged_versions([0, 1], other=[0, 1, 2]).mistakes == []
    assert judged_versions([0, 1, 2], exact=[2]).mistakes == []
    assert judged_versions([0, 1, 2], exact=[1, 2]).mistakes == ["exact"]
    assert judged_versions([0, 1, 3], exact=[1], small=[3]).mistakes == ["small"]
    many = [3, 4, 5, 6]
    assert judged_versions(many, loose=[4, 5], small=[3, 6]).mistakes == []
    assert judged_versions(many, core=3, loose=[4, 5], small=[3, 6]).mistakes == ["loose", "small"]


def test_a_yes_or_no_speaks_for_no_mistake_in_particular():
    def answers(*values):
        return [outcome(value) for value in values]

    cases = [
        {"title": title, "part": "core", "call": {"name": "f", "arguments": []}, "expected": answer}
        for title, answer in zip(
            ("right: plain", "right: fused", "wrong: no bias", "wrong: no scale", "wrong: no mask"),
            answers("accepted", "accepted", "rejected", "rejected", "rejected"),
            strict=True,
        )
    ]
    cases[2]["shown_by"] = "biases that are not zero"
    known = {"blind": {"message": "It looks at nothing.", "section": "here"}}
    mine = {**exercise(), "cases": cases, "mistakes": known}
    predictions = {"blind": answers("accepted", "accepted", "accepted", "accepted", "rejected")}

    found = answers("accepted", "accepted", "accepted", "rejected", "rejected")
    verdict = check.grade_outcomes(mine, found, lambda: predictions)
    assert verdict.mistakes == []
    assert verdict.explanations == [
        "Your test lets wrong versions through: no bias.",
        "What shows them: biases that are not zero.",
    ]

    found = answers("rejected", "rejected", "rejected", "rejected", "rejected")
    (refused,) = check.grade_outcomes(mine, found, lambda: predictions).explanations
    assert refused.startswith("Your test rejects every right version")

    found = answers("rejected", "accepted", "accepted", "accepted", "accepted")
    verdict = check.grade_outcomes(mine, found, lambda: predictions)
    through, asserted, refused = verdict.explanations
    assert through.endswith("no bias; no scale; no mask.")
    assert asserted.startswith("It sees nothing that is plainly wrong")
    assert refused.startswith("Your test rejects right versions: plain.")


@pytest.mark.parametrize(
    ("found", "end"),
    [
        ([[1.0, 2.0, 0.0], [4.0, 5.0, 0.0]], "All of them are 0, and should be other numbers."),
        ([[1.0, 2.0, 3.0], [8.0, 10.0, 12.0]], "for a factor, from 1 to 2."),
        ([[2.0, 3.0, 4.0], [7.0, 8.0, 9.0]], "is the same all along axis 1."),
        ([[3.0, 1.0, 2.0], [6.0, 4.0, 5.0]], "one place later along axis 1."),
        ([[2.0, 1.0, 3.0], [5.0, 4.0, 6.0]], "at index 0 stands what belongs to index 1."),
        ([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], "All of them are 0, and should be other numbers."),
    ],
)
def test_what_wrong_numbers_have_in_common_is_said(found, end):
    right = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert check.difference(right, torch.tensor(found), 1e-5).endswith(end)


def test_a_single_number_is_shown_beside_the_right_one():
    sentence = check.difference(torch.tensor(2.0), torch.tensor(2.5), 1e-5)
    assert (
        sentence == "1 of 1 numbers differ, by up to 0.5. It is 2.5; expected 2, 0.8 times as much."
    )


def test_wrong_entries_that_are_all_alike_are_shown():
    right, found = torch.tensor([5, -100, -100]), torch.tensor([5, -1, -1])
    assert check.difference(right, found, 0).endswith("All of them are -1; expected -100.")


def test_names_that_a_dictionary_lacks_are_said():
    sentence = check.difference({"a": 1, "b": 2}, {"a": 1, "c": 2}, 1e-5)
    assert sentence == "The dictionary lacks `b` and has `c`, which should not be there."


def test_a_list_that_ends_too_early_is_called_so():
    sentence = check.difference([1.0, 2.0, 3.0], [1.0, 2.0], 1e-5)
    assert sentence == "It returned a list of 2; expected 3 values. These are the first 2."


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (["lo", "w"], None),
        (("lo", "w"), None),
        (["low"], "It returned `['low']`; expected `['lo', 'w']`."),
        ([("l", "o"), 3], "It returned `[('l', 'o'), 3]`; expected `['lo', 'w']`."),
        ("lo w", "It returned `'lo w'`; expected a list of 2."),
        (None, "It returned None; expected a list of 2. Is the `return` missing?"),
    ],
)
def test_short_lists_of_texts_are_shown(found, sentence):
    assert check.difference(["lo", "w"], found, 1e-5) == sentence


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ([], "It is empty; expected 20 items, beginning with `'a'`."),
        (["a", "b"], "After index 1 it ends; expected `'c'` next. It has 2 items; expected 20."),
        ([*"abcdefghijklmnopqrst", "!"], "It should end after index 19; `'!'` follows."),
        ([*"abcdefghijklmno?qrst"], "Index 15 holds `'?'`; expected `'p'`."),
        (["ab"], "Index 0 holds `'ab'`; expected `'a'`. It has 1 item; expected 20."),
    ],
)
def test_of_long_lists_of_texts_the_first_wrong_place_is_shown(found, sentence):
    right = list("abcdefghijklmnopqrst")
    assert (check.difference(right, found, 1e-5) or "").startswith(sentence)


def test_pairs_of_texts_may_be_lists():
    right = [("l", "o"), ("lo", "w")]
    assert check.difference(right, [["l", "o"], ["lo", "w"]], 1e-5) is None
    sentence = check.difference(right, [["l", "o"], ["o", "w"]], 1e-5)
    assert (
        sentence == "It returned `[('l', 'o'), ('o', 'w')]`; expected `[('l', 'o'), ('lo', 'w')]`."
    )


def test_of_long_texts_only_what_follows_the_difference_is_shown():
    right = "time flies like an arrow, " * 4
    found = right.replace(",", ";")
    assert check.difference("", "a", 0) == "It returned `'a'`; expected `''`."
    assert check.difference(right, found, 0) == (
        "From index 24 on it is `'; time flies like an arrow; ti'`…; "
        "expected `', time flies like an arrow, ti'`…."
    )


def test_errors_at_other_names_and_other_keys_are_not_alike():
    def error(kind, text):
        return {"status": "error", "type": kind, "text": text}

    assert check.agree(error("KeyError", "'a.bias'"), error("KeyError", "'b.bias'"), 0)
    assert not check.agree(error("KeyError", "'a.bias'"), error("KeyError", "'a.weight'"), 0)
    one, other = ({"status": "finding", "text": f"`norm{n}` has the shape [3]."} for n in (1, 2))
    assert check.agree(one, dict(one), 0)
    assert not check.agree(one, other, 0)
    assert check.agree(error("ValueError", "3 of 5"), error("ValueError", "4 of 5"), 0)


def test_an_argument_that_was_added_or_left_out_is_named():
    x, right = torch.arange(6.0).view(2, 3) ** 2, torch.ones(2, 3)
    case = {"title": "one", "part": "core", "call": {"name": "f", "arguments": [["x", x]]}}
    mine = {**exercise(), "cases": [{**case, "expected": outcome(right)}]}
    verdict = check.grade_outcomes(mine, [outcome(right + x)], dict)
    assert verdict.cases[0].problem.endswith("What is too much is `x`: it was added.")
    verdict = check.grade_outcomes(mine, [outcome(right - x)], dict)
    assert verdict.cases[0].problem.endswith("`x`: it was not added, or subtracted.")


def test_sizes_in_an_error_are_traced_to_the_arguments():
    x = torch.zeros(2, 5)
    case = {"title": "one", "part": "core", "call": {"name": "f", "arguments": [["x", x]]}}
    mine = {**exercise(), "cases": [{**case, "expected": outcome(x)}]}
    text = "The size of tensor a (5) must match the size of tensor b (4) at dimension 2"
    wrong = {"status": "error", "type": "RuntimeError", "text": text}
    verdict = check.grade_outcomes(mine, [wrong], dict)
    assert verdict.cases[0].problem.endswith("Sizes of the arguments: 5 is axis 1 of `x`.")
    verdict = check.grade_outcomes(mine, [outcome(torch.zeros(2, 2))], dict)
    assert verdict.cases[0].problem.endswith("2 is axis 0 of `x`; 5 is axis 1 of `x`.")


def test_a_changed_argument_is_a_problem_although_the_numbers_are_right():
    outcomes = [outcome(case["expected"]["value"]) for case in exercise()["cases"]]
    outcomes[2] = outcome(outcomes[2]["value"], changed=["x"])
    verdict = check.grade_outcomes(exercise(), outcomes, dict)
    assert verdict.points == 2
    assert "changed its argument `x`" in verdict.cases[2].problem


def test_an_empty_answer_is_not_attempted():
    stub = {"status": "error", "type": "NotImplementedError", "text": ""}
    verdict = check.grade_outcomes(exercise(), [stub] * 3, dict)
    assert (verdict.status, verdict.summary) == ("not attempted", "Not written yet.")


def test_an_error_is_quoted_with_its_type():
    error = {"status": "error", "type": "IndexError", "text": "too many indices"}
    verdict = check.grade_outcomes(exercise(), [error] * 3, dict)
    assert verdict.cases[0].problem == "It raised IndexError: too many indices."


# ---- reports ----


def test_the_text_report_names_case_shapes_mistake_and_section():
    text = str(check.Report(judge(0, 1, 99)))
    for part in (
        "✗  core 1",
        "“core 1” was called with x float32 [2]",
        "It counts down.",
        "Read again: “Counting down”.",
    ):
        assert part in text


def test_the_html_report_escapes_what_the_student_wrote():
    error = {"status": "error", "type": "<b>", "text": "<script>alert(1)</script>"}
    page = check.Report(check.grade_outcomes(exercise(), [error] * 3, dict))._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "<b>" not in page


def test_a_quick_look_at_two_tensors_says_what_a_long_one_does():
    generator = torch.Generator().manual_seed(0)
    odd = torch.tensor([0.0, math.nan, math.inf, -math.inf, 1e30, 3.4e38])
    told = set()
    for size in (1, 2, 60):
        for factor in (0, 1e-6, 0.9e-5, 1.1e-5, 1.9e-5, 2.1e-5, 1e-3, 1e30):
            for _ in range(20):
                one = 10 * torch.randn(size, generator=generator)
                other = one + factor * torch.randn(size, generator=generator) * (1 + one.abs())
                for each in (one, other):
                    drawn = torch.randint(0, len(odd), (size,), generator=generator)
                    rare = torch.rand(size, generator=generator) < 0.05
                    each[rare] = odd[drawn[rare]]
                close = torch.isclose(
                    other.double(), one.double(), rtol=1e-5, atol=1e-5, equal_nan=True
                )
                assert equal(one, other, 1e-5) == bool(close.all())
                told.add(bool(close.all()))
    assert told == {True, False}
