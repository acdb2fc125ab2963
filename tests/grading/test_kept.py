"""What is kept from an earlier call costs points and is named, and nothing else is called so."""

import pytest
import torch
from torch import nn

from grading import check
from grading.content.common import kept
from grading.exercise import Case, DrawnExercise, Exercise, Mistake, Part
from grading.proof import matrix


def waves(x, places):
    angles = places * 0.5
    return x + angles.sin()


def wave_cases(generator):
    def drawn(*shape):
        return torch.randn(*shape, generator=generator), torch.rand(*shape, generator=generator)

    def case(title, *shape, **options):
        return Case(
            title, "core", tuple(zip(("x", "places"), drawn(*shape), strict=True)), **options
        )

    return [
        case("three", 3),
        case("two rows", 2, 4),
        case("called again", 5, again=(drawn(5),)),
        Case("a whole number", "rest", (("x", torch.ones(1)), ("places", torch.zeros(1)))),
    ]


ANGLES = "places * 0.5"
BY_SIZE = [
    ("places):", "places, kept={}):"),
    (ANGLES, f"kept.setdefault(places.shape, {ANGLES})"),
]
WAVES = Exercise(
    id="waves",
    title="Waves",
    signature="waves(x, places)",
    reference=waves,
    cases=wave_cases,
    parts=(Part("core", "waves", 2), Part("rest", "rest", 1)),
    mistakes=(
        kept(BY_SIZE),
        Mistake("cosine", "These are cosines.", [("angles.sin()", "angles.cos()")]),
    ),
    alternatives={},
    minutes=1,
    difficulty=1,
    section="here",
)


def verdict_on(function, exercise=WAVES, seed=0):
    drawn = DrawnExercise(exercise, seed)
    return drawn.grade(drawn.outcomes(function))


def test_the_matrix_sees_it_in_every_draw():
    assert [row.problem for row in matrix.rows(WAVES, matrix.drawn(WAVES))] == ["", "", ""]
    assert [row.problem for row in matrix.rows(SHIFT, matrix.drawn(SHIFT))] == ["", ""]


def kept_in_a_global():
    seen = {}

    def waves(x, places):
        seen.setdefault(x.size(-1), torch.sin(places / 2))
        return (
            x + seen[x.size(-1)] if seen[x.size(-1)].shape == x.shape else x + torch.sin(places / 2)
        )

    return waves


def counted():
    calls = []

    def waves(x, places):
        calls.append(x)
        return x * (1 if len(calls) < 4 else 0.9) + torch.sin(places / 2)

    return waves


def one_buffer():
    buffers = {}

    def waves(x, places):
        buffer = buffers.setdefault(x.shape, torch.empty(x.shape))
        return torch.add(x, torch.sin(places / 2), out=buffer)

    return waves


@pytest.mark.parametrize("function", [kept_in_a_global(), counted(), one_buffer()])
def test_what_no_prediction_has_is_named_all_the_same(function):
    verdict = verdict_on(function)
    assert (verdict.points, verdict.mistakes) == (0, ["kept"])
    assert verdict.explanations[0].startswith("Likely mistake: What a call returns depends on")


def test_the_case_says_which_call_was_wrong():
    case = next(case for case in verdict_on(kept_in_a_global()).cases if case.problem)
    assert case.problem.startswith("The first call is right, and a later one is not: 5 of 5")
    assert case.expected == "float32 [5]"
    assert case.inputs.endswith("then with others of the same shapes, then with these again")


def test_it_is_named_beside_another_mistake():
    def counting():
        calls = []

        def waves(x, places):
            calls.append(x)
            return x + torch.cos(places / 2) + (len(calls) > 4)

        return waves

    verdict = verdict_on(counting())
    assert verdict.mistakes == ["kept", "cosine"]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, places: x + torch.sin(places / 3),  # wrong each time
        lambda x, places: x + torch.sin(places / 2) * (places < 0.9),  # wrong with some numbers
        lambda x, places: x + nn.functional.dropout(torch.sin(places / 2)),  # left to chance
        lambda x, places: x.add_(torch.sin(places / 2)),  # changes what it is given
        lambda x, places: [],
        lambda x, places: None,
    ],
)
def test_nothing_else_is_called_so(function):
    verdict = verdict_on(function)
    assert "kept" not in verdict.mistakes
    assert verdict.status != "correct"


def masked_cases(generator):
    def drawn(mask):
        return torch.randn(3, generator=generator), torch.tensor(mask)

    first, later = drawn([1, 0, 1]), drawn([0, 0, 0])
    again = Case("again", "core", tuple(zip(("x", "mask"), first, strict=True)), again=(later,))
    return [again, Case("alone", "rest", (("x", first[0]), ("mask", first[1])))]


MASKED = Exercise(
    id="masked",
    title="Masked",
    signature="masked(x, mask)",
    reference=lambda x, mask: x * mask,
    cases=masked_cases,
    parts=WAVES.parts,
    mistakes=(kept(lambda x, mask, kept={}: x * kept.setdefault(x.shape, mask)),),
    alternatives={},
    minutes=1,
    difficulty=1,
    section="here",
)


def test_a_later_call_of_another_kind_may_be_wrong_by_itself():
    verdict = verdict_on(lambda x, mask: x * mask if mask.any() else x, MASKED)
    assert (verdict.points, verdict.mistakes) == (0, [])


def test_a_function_that_returns_nothing_is_told_so():
    assert verdict_on(lambda x, places: None).explanations == [
        "The function returns nothing: end it with `return`."
    ]


class Shift(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        return x + self.shift


def shift_cases(generator):
    def drawn(*shape):
        return torch.randn(*shape, generator=generator)

    state, other_state = {"shift": drawn(3)}, {"shift": drawn(3)}
    plain = (("init", [3]), ("state", state), ("inputs", [drawn(2, 3)]))
    more = (("others", [drawn(2, 3)]), ("other_state", other_state))
    return [
        Case("plain", "core", plain, harness=check.run_module),
        Case("again", "core", (*plain, *more), harness=check.run_modules, repeats=True),
    ]


SHIFT = Exercise(
    id="Shift",
    title="Shift",
    signature="class Shift(size)",
    reference=Shift,
    cases=shift_cases,
    parts=(Part("core", "shift", 1),),
    mistakes=(
        kept(
            [
                ("return x + self.shift", "return self.kept.setdefault(len(x), x) + self.shift"),
                ("    def __init__", "    kept = {}\n\n    def __init__"),
            ]
        ),
    ),
    alternatives={},
    minutes=1,
    difficulty=1,
    section="here",
)


def test_modules_beside_each_other_show_it_too():
    class Shared(Shift):
        shifts = None

        def forward(self, x):
            if type(self).shifts is None or type(self).shifts.shape != x.shape[-1:]:
                type(self).shifts = self.shift
            return x + type(self).shifts

    class InPlace(Shift):
        def forward(self, x):
            x += self.shift
            return x

    # the module of the plain case comes first, so its shift is in the way of the other's
    assert verdict_on(Shared, SHIFT).points == 0
    assert verdict_on(Shift, SHIFT).status == "correct"
    changed = next(case for case in verdict_on(InPlace, SHIFT).cases if case.problem)
    assert "changed its argument" in changed.problem
    assert verdict_on(InPlace, SHIFT).mistakes == ["changes an argument"]
