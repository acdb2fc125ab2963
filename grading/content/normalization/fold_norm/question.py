"""Move these weights: a LayerNorm that disappears into the layers before and after it."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from grading.content.drawing import draw_sizes, redrawn
from grading.content.normalization import harnesses
from grading.content.normalization.sections import GAIN
from grading.content.normalization.shared import draw_affine, draw_linear, normal
from grading.exercise import Case, Part, Question


def fold_norm(before, norm, after):
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    gain, shift = norm["weight"], norm["bias"]
    folded = after["weight"] * gain  # [out, hidden]
    constant = after["weight"] @ shift
    if "bias" in after:
        constant = after["bias"] + constant
    new_before = {name: tensor - tensor.mean(0) for name, tensor in before.items()}
    new_after = {"weight": folded, "bias": constant}
    return new_before, new_after


def _fold_cases(generator: torch.Generator) -> list[Case]:
    # Most matrices are square: a gain on the wrong axis then gives numbers instead of an error.
    def states(square=True, biases=(True, True), hidden=None, single=False, into=None):
        drawn_into, drawn, out = draw_sizes(generator, 3, low=3)
        into, hidden = into or drawn_into, hidden or drawn
        out = 1 if single else hidden if square else out
        return (
            ("before", draw_linear(generator, hidden, into, biases[0])),
            ("norm", draw_affine(generator, hidden)),
            ("after", draw_linear(generator, out, hidden, biases[1])),
        )

    def alone(title, part, harness, **options):
        return Case(title, part, states(**options), harness=harness)

    known = states(square=True, hidden=8)
    others = tuple(redrawn(generator, value) for _, value in known)
    given = states(hidden=6, into=6)
    single = states(single=True)
    single[1][1]["weight"][0] = 0.0  # no division by the gain
    bare = states(square=False, biases=(False, False))
    bare[1][1]["bias"].zero_()  # the new bias is there all the same
    zeros = states(into=1)
    zeros[0][1]["bias"].zero_()  # there all the same
    x = normal(generator, 2, 5, given[0][1]["weight"].size(1))
    whole = (*given, ("x", x), ("eps", 0.1))
    next_whole = tuple(redrawn(generator, value) for _, value in whole)
    oblong = tuple(value for _, value in states(hidden=6, into=4))
    oblong = (*oblong, normal(generator, 2, 5, 4), 0.1)  # the mean is that of 6 numbers, not of 4
    return [
        alone("new weights after the norm, rows less their means", "core", harnesses.second_state),
        Case(
            "after: a single output, a gain of zero",
            "core",
            single,
            harness=harnesses.second_state,
        ),
        Case(
            "called again with other weights",
            "core",
            known,
            harness=harnesses.second_state,
            again=(others,),
        ),
        Case(
            "new weights before the norm, a single input, a bias of zeros",
            "before",
            zeros,
            harness=harnesses.first_state,
        ),
        Case(
            "the folded model at work, then another one",
            "before",
            whole,
            harness=harnesses.folded_output,
            again=(next_whole, oblong),
        ),
        alone(
            "after has no bias and a single output",
            "no_bias",
            harnesses.second_state,
            biases=(True, False),
            single=True,
        ),
        Case(
            "neither has a bias, that of the norm is zeros, after is not square",
            "no_bias",
            bare,
            harness=harnesses.second_state,
        ),
        alone(
            "before has no bias",
            "no_bias",
            harnesses.without_a_bias,
            biases=(False, True),
            hidden=7,
        ),
    ]


def _fold_by_probing(before, norm, after):
    """Ask the layers what they do with unit vectors."""
    into = before["weight"].size(1)
    old = F.linear(torch.eye(into), before["weight"])  # [into, hidden]
    new_before = {"weight": (old - old.mean(1, keepdim=True)).T}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    constant = F.linear(norm["bias"], after["weight"], after.get("bias"))
    columns = F.linear(torch.diag(norm["weight"]), after["weight"])  # [hidden, out]
    return new_before, {"weight": columns.T, "bias": constant}


def _fold_by_matrices(before, norm, after):
    hidden = norm["weight"].numel()
    centring = torch.eye(hidden) - torch.full((hidden, hidden), 1 / hidden)
    return (
        {name: centring @ tensor for name, tensor in before.items()},
        {
            "bias": after.get("bias", torch.zeros(())) + torch.mv(after["weight"], norm["bias"]),
            "weight": after["weight"] @ norm["weight"].diag(),
        },
    )


def _fold_by_loops(before, norm, after):
    hidden, into = before["weight"].shape
    weight = before["weight"].clone()
    for column in range(into):
        weight[:, column] -= sum(before["weight"][row, column] for row in range(hidden)) / hidden
    new_before = {"weight": weight}
    if "bias" in before:
        new_before["bias"] = before["bias"] - sum(before["bias"]) / hidden
    rows, biases = [], []
    for place, row in enumerate(after["weight"]):
        rows.append(torch.stack([w * g for w, g in zip(row, norm["weight"], strict=True)]))
        own = after["bias"][place] if "bias" in after else 0.0
        biases.append(own + torch.dot(row, norm["bias"]))
    return [new_before, {"weight": torch.stack(rows), "bias": torch.stack(biases)}]


def _fold_modules(before, norm, after):
    """Real modules, whose state dictionaries are returned."""
    first = nn.Linear(*reversed(before["weight"].shape), bias="bias" in before)
    second = nn.Linear(*reversed(after["weight"].shape))
    with torch.no_grad():
        first.weight.copy_(before["weight"] - before["weight"].mean(dim=0, keepdim=True))
        if first.bias is not None:
            first.bias.copy_(before["bias"] - before["bias"].mean())
        second.weight.copy_(torch.einsum("oh,h->oh", after["weight"], norm["weight"]))
        second.bias.copy_(after["weight"] @ norm["bias"])
        if "bias" in after:
            second.bias.add_(after["bias"])
    return first.state_dict(), second.state_dict()


def _fold_centred_twice(before, norm, after):
    """The rows of the matrix after the norm have mean 0, too; what they meet has it already."""
    new_before, new_after = _fold_by_matrices(before, norm, after)
    weight = new_after["weight"]
    return new_before, new_after | {"weight": weight - weight.mean(1, keepdim=True)}


def _fold_in_float64(before, norm, after):
    wide = ({name: t.double() for name, t in state.items()} for state in (before, norm, after))
    return tuple({name: t.float() for name, t in state.items()} for state in _fold_by_loops(*wide))


QUESTION = Question(
    id="fold_norm",
    title="Move these weights: a LayerNorm that disappears",
    signature="fold_norm(before, norm, after)",
    reference=fold_norm,
    cases=_fold_cases,
    parts=(
        Part("core", "gain and bias move into the layer after the norm", 2),
        Part("before", "the mean moves into the layer before it", 1),
        Part("no_bias", "layers without a bias", 1),
    ),
    minutes=25,
    difficulty=3,
    section=GAIN,
    alternatives={
        "probing": _fold_by_probing,
        "matrices": _fold_by_matrices,
        "loops": _fold_by_loops,
        "modules": _fold_modules,
        "in float64": _fold_in_float64,
        "both matrices centred": _fold_centred_twice,
    },
)
