"""Judges of assignment 4: what it means what the harnesses bring. Released with the assignment.

Nothing here runs beside a student's code when a submission is graded. Each is given what the
harness of its name brought, then the arguments of the case; it gives back what is compared, or
raises a `Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grading.check import Finding, unless

# ---- Modules -----------------------------------------------------------------------------------


def judge_fresh_state(found: list[dict[str, Tensor]], *_: Any) -> dict[str, Tensor]:
    """The weights, if two modules begin with the same."""
    first, second = found
    if any(not torch.equal(tensor, second[name]) for name, tensor in first.items()):
        raise Finding(
            "Two fresh modules differ: their weights start at random. The gain starts at 1 and the "
            "bias at 0."
        )
    return first


def judge_gradients_reach(found: dict[str, Tensor | None], *_: Any) -> list[str]:
    """Name the parameters, if a gradient reaches each of them."""
    unreached = sorted(name for name, gradient in found.items() if gradient is None)
    if unreached:
        raise Finding(f"No gradient reaches `{unreached[0]}`.")
    return sorted(found)


def judge_evaluate_twice(found: list[Tensor], *_: Any) -> Tensor:
    """The result, if it was the same both times."""
    first, second = found
    if not torch.equal(first, second):
        raise Finding(
            "In evaluation mode two calls with the same input give different numbers: dropout is "
            "still alive after `eval()`."
        )
    return first


def judge_evaluate_and_train(
    found: list[Tensor], init: list, state: dict[str, Tensor], x: Tensor
) -> list[str]:
    """The rate of dropout must not matter in evaluation, and show in training.

    How many numbers are dropped can be seen where a part is added to `x` alone: there they are
    those of `x`. Whether it is added rightly is for other cases to say.
    """
    dropped, plain, *others, _, both = found
    if not torch.equal(dropped, plain):
        raise Finding(
            "In evaluation mode the result changes with the rate of dropout: it is still alive "
            "after `eval()`."
        )
    silenced, *results = (result - x for result in others)
    rate, kept = init[-1], 1 / (1 - init[-1])
    seen = 0
    names = ("attention", "the feed-forward network")
    for name, update, shown in zip(names, results[::2], results[1::2], strict=True):
        if silenced.any() or (update.abs() < 1e-6).any():
            continue
        share = float((shown.abs() < 1e-6).float().mean())
        if share == 0 and rate > 0.2:
            raise Finding(
                f"In training mode nothing of what {name} brings is dropped under "
                f"`torch.no_grad()`; the rate that was asked for is {rate:g}."
            )
        if abs(share - rate) > 0.12:
            raise Finding(
                f"In training mode a share of {share:.2f} of what {name} brings is dropped; the "
                f"rate that was asked for is {rate:g}."
            )
        gone = shown.abs() < 1e-6
        if not torch.isclose(shown, kept * update, rtol=1e-3, atol=1e-4)[~gone].all():
            raise Finding(
                f"In training mode the numbers of {name} that are kept are not {kept:.3f} times as "
                "large: they are divided by 1 − p, as `nn.Dropout` does it."
            )
        if any(bool((gone == gone.narrow(axis, 0, 1)).all()) for axis in range(3)):
            raise Finding(
                f"In training mode not each number of what {name} brings is dropped by itself: "
                "whole vectors are, or the same numbers of every token or of every text."
            )
        seen += 1
    whole = kept * (results[0] + results[2])
    sums = both - x
    if seen == 2 and (torch.isclose(sums, whole, atol=1e-4) | (sums.abs() < 1e-6)).all():
        raise Finding(
            "In training mode the same numbers are dropped from what both parts bring: draw anew "
            "for each."
        )
    return ["evaluation", "training"]


def judge_train_twice(found: dict[str, list[Tensor]], *_: Any) -> list[str]:
    """In training mode dropout falls on the result of each part, and on nothing else."""

    def vary(which: str) -> bool:
        first, *others = found[which]
        return any(not torch.equal(first, other) for other in others)

    if vary("a rate of zero"):
        raise Finding(
            "In training mode the layer drops although it was built with dropout=0.0: the rate is "
            "not taken from the argument `dropout`."
        )
    if vary("both silenced"):
        raise Finding(
            "In training mode dropout falls on more than the results of the two parts: with both "
            "at zero the layer still varies. Leave the sum and the norms without dropout."
        )
    for name, which in (
        ("attention", "attention alone"),
        ("the feed-forward network", "feed-forward alone"),
    ):
        if not vary(which):
            raise Finding(
                f"In training mode dropout on the result of {name} does not show: with the other "
                "part silenced the same input always gives the same numbers. Dropout must still "
                "be there, only not in evaluation."
            )
    return ["attention", "feed-forward"]


# ---- Stacks ------------------------------------------------------------------------------------


def judge_run_stack_twice(
    found: list[Any], x: Tensor, sublayers: list[Any], norms: list[Any], placement: str
) -> Any:
    """The second result, if the two lists were left as they were."""
    result, (parts, normalisations) = found
    if parts != len(sublayers) or normalisations != len(norms):
        raise Finding(
            f"After the call the length of `sublayers` is {parts} and that of `norms` "
            f"{normalisations}; before, it was {len(sublayers)} and {len(norms)}. Leave the lists "
            "as they are: the stack is run again with the next batch."
        )
    return result


# ---- Folded weights ----------------------------------------------------------------------------


def judge_second_state(found: dict[str, Tensor], *_: Any) -> dict[str, Tensor]:
    """The new weights, with the mean of each row of the matrix taken away.

    It meets numbers whose mean is 0, so what is the same in a whole row changes no result.
    """
    weight = found["weight"]
    if weight.dim() != 2 or not weight.is_floating_point():
        return found
    return {**found, "weight": weight - weight.mean(-1, keepdim=True)}


@unless("before")
def judge_without_a_bias(found: list[tuple[dict[str, Tensor], ...]], *_: Any) -> list[str]:
    """The names of the new weights, if a missing bias changes nothing else."""
    bare, biased = found
    for place, names in (("before", ("weight",)), ("after", ("weight", "bias"))):
        one, other = (states[place == "after"] for states in (bare, biased))
        for name in names:
            if name in one and name in other and not _near(one[name], other[name]):
                raise Finding(
                    f"Where the layer before the norm has no bias, the new {name} of the layer "
                    f"{place} the norm is another than with a bias of zeros."
                )
    return sorted(bare[0])


def _near(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and torch.allclose(one, other, rtol=1e-5, atol=1e-5)
