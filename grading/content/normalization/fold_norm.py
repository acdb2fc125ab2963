"""Move these weights: a LayerNorm that disappears."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from grading.content.drawing import draw_sizes
from grading.content.normalization import harnesses
from grading.content.normalization.sections import GAIN, RMS
from grading.content.normalization.shared import draw_affine, draw_linear, normal
from grading.exercise import Case, Exercise, Mistake, Part


def _fold_norm(mistakes: frozenset[str] = frozenset()):
    def fold_norm(before, norm, after):
        gain, shift = norm["weight"], norm["bias"]
        if "roles_exchanged" in mistakes:
            gain, shift = shift, gain
        weight, bias = after["weight"], after.get("bias")
        folded = weight / gain if "gain_divided" in mistakes else weight * gain
        if "no_gain" in mistakes:
            folded = weight
        constant = (folded if "shift_through_folded" in mistakes else weight) @ shift
        if "no_shift" in mistakes:
            constant = torch.zeros_like(constant)
        if bias is not None and "bias_lost" not in mistakes:
            constant = bias - constant if "shift_subtracted" in mistakes else bias + constant
        new_before, new_after = {}, {"weight": folded, "bias": constant}
        for name, tensor in before.items():
            if "rows_centred" in mistakes and name == "weight":
                mean = tensor.mean(1, keepdim=True)
            elif "one_mean" in mistakes:
                mean = tensor.mean()
            elif "sums_subtracted" in mistakes:
                mean = tensor.sum(0)
            elif "bias_by_weights" in mistakes:
                mean = before["weight"].mean() if name == "bias" else tensor.mean(0)
            else:
                mean = tensor.mean(0)
            if "not_centred" in mistakes or ("before_bias" in mistakes and name == "bias"):
                mean = 0.0
            if "bias_dropped" in mistakes and name == "bias":
                tensor = torch.zeros_like(tensor)
                mean = 0.0
            centred = tensor - mean
            if "gain_before" in mistakes:
                centred = centred * (gain.unsqueeze(1) if tensor.dim() == 2 else gain)
            new_before[name] = centred
        return new_before, new_after

    return fold_norm


_right_fold = _fold_norm()


def _fold_cases(generator: torch.Generator) -> list[Case]:
    # Most matrices are square: a gain on the wrong axis then gives numbers instead of an error.
    def states(square=True, biases=(True, True)):
        into, hidden, out = draw_sizes(generator, 3, low=3)
        out = hidden if square else out
        return (
            ("before", draw_linear(generator, hidden, into, biases[0])),
            ("norm", draw_affine(generator, hidden)),
            ("after", draw_linear(generator, out, hidden, biases[1])),
        )

    def alone(title, part, harness, **options):
        return Case(title, part, states(**options), harness=harness)

    given = states()
    x = normal(generator, 2, 5, given[0][1]["weight"].size(1))
    whole = (*given, ("x", x), ("eps", 0.1))
    return [
        alone("new weights after the norm", "core", harnesses.second_state),
        alone("after: not square", "core", harnesses.second_state, square=False),
        alone("new weights before the norm", "before", harnesses.first_state),
        Case("the folded model at work", "before", whole, harness=harnesses.folded_output),
        alone("after has no bias", "no_bias", harnesses.second_state, biases=(True, False)),
        alone("before has no bias", "no_bias", harnesses.first_state, biases=(False, True)),
    ]


def _gain_on_rows(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    new_after["weight"] = after["weight"] * norm["weight"].unsqueeze(1)
    return new_before, new_after


def _shift_through_transposed(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    constant = norm["bias"] @ after["weight"]
    return new_before, {**new_after, "bias": after.get("bias", 0.0) + constant}


def _shift_added(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    return new_before, {**new_after, "bias": after.get("bias", 0.0) + norm["bias"]}


def _gain_on_bias(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    bias = after.get("bias", 0.0) * norm["weight"]
    return new_before, {**new_after, "bias": bias + after["weight"] @ norm["bias"]}


def _gain_twice(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    return new_before, {**new_after, "weight": new_after["weight"] * norm["weight"]}


def _after_centred(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    weight = new_after["weight"]
    return new_before, {**new_after, "weight": weight - weight.mean(1, keepdim=True)}


def _transposed_after(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    return new_before, {**new_after, "weight": after["weight"].T * norm["weight"]}


def _sum_of_shift(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    constant = (after["weight"] @ norm["bias"]).sum()
    return new_before, {**new_after, "bias": after.get("bias", 0.0) + constant}


def _standardised(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    return {name: t / before[name].std(0) for name, t in new_before.items()}, new_after


def _crash_without_after_bias(before, norm, after):
    return _right_fold(before, norm, {**after, "bias": after["bias"]})


def _crash_without_before_bias(before, norm, after):
    return _right_fold({**before, "bias": before["bias"]}, norm, after)


def _after_in_place(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    after["weight"] *= norm["weight"]
    after["bias"] = new_after["bias"]
    return new_before, after


def _crash_without_bias(before, norm, after):
    return _right_fold(before, norm, {**after, "bias": after["bias"] + 0 * before["bias"].sum()})


def _bias_only_if_there(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    if "bias" not in after:
        del new_after["bias"]
    return new_before, new_after


def _bias_made_up(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    new_before.setdefault("bias", torch.zeros(before["weight"].size(0)))
    return new_before, new_after


def _fold_in_place(before, norm, after):
    constant = after["weight"] @ norm["bias"]
    after["weight"] *= norm["weight"]
    after["bias"] = after["bias"] + constant if "bias" in after else constant
    for tensor in before.values():
        tensor -= tensor.mean(0)
    return before, after


def _three_returned(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    return new_before, norm, new_after


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


EXERCISE = Exercise(
    id="fold_norm",
    title="Move these weights: a LayerNorm that disappears",
    signature="fold_norm(before, norm, after)",
    reference=_right_fold,
    variant=_fold_norm,
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
        "in float64": lambda before, norm, after: tuple(
            {name: tensor.float() for name, tensor in state.items()}
            for state in _right_fold(
                *(
                    {name: tensor.double() for name, tensor in state.items()}
                    for state in (before, norm, after)
                )
            )
        ),
    },
    mistakes=(
        Mistake(
            "no_gain",
            "The weights after the norm are not multiplied by the gain.",
        ),
        Mistake(
            "gain_divided",
            "The weights after the norm are divided by the gain; multiply: W (γ · x) = (W · γ) x.",
            mutation=_fold_norm(frozenset({"gain_divided"})),
        ),
        Mistake(
            "gain_twice",
            "The gain is multiplied into the weights after the norm twice.",
            _gain_twice,
        ),
        Mistake(
            "no_shift",
            "The bias of the norm is lost: it passes through the matrix after it and becomes "
            "W β, a constant.",
        ),
        Mistake(
            "shift_through_folded",
            "The bias of the norm went through the matrix that already contains the gain. It is "
            "added after the gain, so it meets the original weights: W β.",
        ),
        Mistake(
            "shift_subtracted",
            "W β is subtracted from the bias; it must be added.",
        ),
        Mistake(
            "bias_lost",
            "The bias of the layer after the norm itself is lost: its new bias is b + W β.",
        ),
        Mistake(
            "roles_exchanged",
            "Gain and bias of the norm are exchanged: `weight` is multiplied, `bias` is added.",
            mutation=_fold_norm(frozenset({"roles_exchanged"})),
        ),
        Mistake(
            "not_centred",
            "The layer before the norm is unchanged, so nothing subtracts the mean any more: "
            "RMSNorm does not.",
            points=2,
            section=RMS,
        ),
        Mistake(
            "rows_centred",
            "The mean of each *row* of the first matrix is subtracted. The mean that LayerNorm "
            "subtracts runs over the outputs of the layer: over the rows, `mean(dim=0)`.",
            points=2,
            section=RMS,
        ),
        Mistake(
            "sums_subtracted",
            "The sum of each column is subtracted; it must be its mean.",
            points=2,
            section=RMS,
            mutation=_fold_norm(frozenset({"sums_subtracted"})),
        ),
        Mistake(
            "one_mean",
            "One mean of the whole first matrix is subtracted; each of its columns has its own.",
            points=2,
            section=RMS,
            mutation=_fold_norm(frozenset({"one_mean"})),
        ),
        Mistake(
            "before_bias",
            "The weights of the first layer are centred, but its bias is not; it adds to the mean "
            "of the outputs as well.",
            points=3,
            section=RMS,
        ),
        Mistake(
            "bias_by_weights",
            "From the bias of the first layer the mean of the weights is subtracted; it is its own "
            "mean that must go.",
            mutation=_fold_norm(frozenset({"bias_by_weights"})),
            points=3,
        ),
        Mistake(
            "bias_dropped",
            "The bias of the first layer is zero now, or gone. Only its mean is to be taken away.",
            points=3,
            section=RMS,
            mutation=_fold_norm(frozenset({"bias_dropped"})),
        ),
        Mistake(
            "gain_before",
            "The gain is multiplied into the layer *before* the norm, too (or there instead), "
            "where the norm divides by the size again.",
            points=2,
            mutation=_fold_norm(frozenset({"gain_before"})),
        ),
        Mistake(
            "gain_on_rows",
            "The gain multiplies the rows of the matrix after the norm, its outputs; it belongs "
            "to the columns, the numbers that come out of the norm.",
            _gain_on_rows,
            any_error=True,
        ),
        Mistake(
            "shift_through_transposed",
            "The bias of the norm is multiplied with the transposed matrix (β W); each output "
            "is a row of W times β, so it is W β.",
            _shift_through_transposed,
            any_error=True,
        ),
        Mistake(
            "shift_added",
            "The bias of the norm is added to the bias as it is. It passes through the matrix "
            "first: W β.",
            _shift_added,
            any_error=True,
        ),
        Mistake(
            "gain_on_bias",
            "The bias of the layer after the norm is multiplied by the gain; it is added after "
            "the matrix, where the gain has no say.",
            _gain_on_bias,
            any_error=True,
        ),
        Mistake(
            "after_centred",
            "The rows of the matrix after the norm are centred, too. Only what comes before the "
            "norm is: the subtraction of the mean belongs there.",
            _after_centred,
        ),
        Mistake(
            "transposed",
            "The matrix after the norm is transposed; it keeps the shape `[out, hidden]`.",
            _transposed_after,
            any_error=True,
        ),
        Mistake(
            "sum_of_shift",
            "W β is summed to a single number, the same for all outputs; sum each row by itself.",
            _sum_of_shift,
        ),
        Mistake(
            "standardised",
            "The columns of the first matrix are also divided by their standard deviation. Only "
            "the mean is taken away: the norm's division stays where it is, in RMSNorm.",
            _standardised,
            points=2,
            section=RMS,
        ),
        Mistake(
            "crash_without_bias",
            'A layer without a bias has no `"bias"` in its dictionary: ask with `in` or `get`.',
            _crash_without_bias,
            points=3,
        ),
        Mistake(
            "crash_without_after_bias",
            'If the layer after the norm has no bias, there is no `"bias"` in its dictionary; '
            "the new bias is then W β alone.",
            _crash_without_after_bias,
            points=3,
        ),
        Mistake(
            "crash_without_before_bias",
            'If the layer before the norm has no bias, there is no `"bias"` in its dictionary, '
            "and nothing to be centred.",
            _crash_without_before_bias,
            points=3,
        ),
        Mistake(
            "bias_only_if_there",
            "A layer without a bias stays without one, so W β is lost. After the norm there must "
            "be a bias now.",
            _bias_only_if_there,
            points=3,
        ),
        Mistake(
            "bias_made_up",
            "The first layer had no bias and needs none now; a mean of nothing is taken away.",
            _bias_made_up,
            points=3,
        ),
        Mistake(
            "not_two",
            "Return a pair of dictionaries, for the layers before and after the norm: neither one "
            "alone nor one for the norm, which has no weights any more.",
            lambda before, norm, after: _right_fold(before, norm, after)[1],
            equivalent=(_three_returned,),
        ),
        Mistake(
            "order_of_result",
            "The two dictionaries come in the wrong order: first the layer before the norm, then "
            "the one after it.",
            lambda before, norm, after: _right_fold(before, norm, after)[::-1],
        ),
        Mistake(
            "after_in_place",
            "The numbers are right, but the given dictionary `after` is changed (`*=`, `mul_`, or "
            "a key assigned). Make a new one.",
            _after_in_place,
        ),
        Mistake(
            "in_place",
            "The numbers are right, but the given dictionaries are changed (`*=`, `-=`, or a key "
            "assigned). Make new ones.",
            _fold_in_place,
        ),
    ),
)
