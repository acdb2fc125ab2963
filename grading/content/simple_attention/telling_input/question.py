"""Exercise 5: a small input on which five wrong versions of attention show."""

from __future__ import annotations

import torch

from grading.content.simple_attention import harnesses, validators
from grading.exercise import Case, Part, Question


def telling_input():
    """Return a small query, key and value on which wrong versions of attention show."""
    query = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    key = torch.tensor([[2.0, 1.0], [0.0, 3.0]])
    value = torch.tensor([[1.0], [0.0]])
    return query, key, value


def _telling_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, validator):
        return Case(title, part, validator=validator, wanted="results at least 0.01 apart")

    return [
        Case(
            "a valid input",
            "core",
            harness=harnesses.called_twice,
            validator=validators.is_a_small_input,
            wanted="three matrices",
        ),
        case("tells a missing scale", "core", validators.tells_no_scale),
        case("tells ÷ d_k from ÷ √d_k", "core", validators.tells_d_k),
        case("tells √d_v from √d_k", "sizes", validators.tells_d_v),
        case("tells the softmax over the wrong axis", "axes", validators.tells_softmax_axis),
        case("tells query and key exchanged", "axes", validators.tells_swapped),
    ]


QUESTION = Question(
    id="telling_input",
    title="The smallest input that tells",
    signature="telling_input()",
    reference=telling_input,
    cases=_telling_cases,
    parts=(
        Part("core", "tells a missing or wrong scale", 1),
        Part("sizes", "tells d_v from d_k", 1),
        Part("axes", "tells a wrong axis", 1),
    ),
    minutes=15,
    difficulty=2,
    section="“Common mistakes” in chapter 1",
    alternatives={
        "one query": lambda: (torch.tensor([[3.0, 0.0]]), torch.eye(2), torch.eye(2)[:, :1]),
        "random": lambda: (torch.arange(6.0).view(2, 3), torch.eye(3) * 2, torch.eye(3)[:, :2]),
        "a list, in float64": lambda: [
            torch.tensor(rows, dtype=torch.float64)
            for rows in ([[1.0, 0.0], [0.0, 2.0]], [[2.0, 1.0], [0.0, 3.0]], [[1.0], [0.0]])
        ],
    },
)
