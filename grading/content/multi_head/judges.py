"""Judges of assignment 2: what it means what the harnesses bring. Released with the assignment.

Nothing here runs beside a student's code when a submission is graded. Each is given what the
harness of its name brought, then the arguments of the case; it gives back what is compared, or
raises a `Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grading.check import Finding, NotJudged, unless


@unless("weights")
def judge_dropped_weights(
    brought: list[Any], init: list, state: dict[str, Tensor], inputs: list
) -> float:
    """What a head brings shows each weight twice: dropout leaves both, or neither.

    If so, how far the weights that are returned are from those in evaluation mode.
    """
    heads, p, sources = init[2], init[3], inputs[1].size(1)
    outputs = (one[0] if isinstance(one, tuple | list) and one else one for one in brought)
    whole, found = (  # [batch, target, heads, 2, source]
        output.unflatten(-1, (heads, 2, sources)) for output in outputs
    )
    zero = found.abs() < 1e-6
    share = float(zero.float().mean())
    if not share:
        raise Finding(
            "In training mode nothing of what the heads bring is zero, although the source has "
            f"two tokens only; a share of {p:g} of the weights must be dropped."
        )
    if (zero.any(dim=3) != zero.all(dim=3)).any():
        raise Finding(
            "In training mode single numbers of a head are zero and others are not: that is "
            "dropout of vectors. A weight that is dropped takes all numbers of a head away."
        )
    dropped = zero[:, :, :, 0]
    if any((dropped.any(dim=axis) == dropped.all(dim=axis)).all() for axis in range(4)):
        raise Finding(
            "In training mode weights are dropped together: the same ones in all sentences, in all "
            "heads or for all target tokens, or all of a row. Each must be dropped by itself."
        )
    if abs(share - p) > 0.1:
        raise Finding(
            f"In training mode a share of {share:.2f} of the weights is dropped, and it should be "
            f"{p:g}."
        )
    if not torch.allclose(found[~zero] * (1 - p), whole[~zero], atol=1e-4, rtol=1e-4):
        raise Finding(
            "In training mode the weights that are kept are not divided by 1 − p, as dropout does."
        )
    return judge_weights_moved_by_dropout(brought)


@unless("trained")
def judge_nan_in_gradients(brought: list[Tensor | None], *_: Any) -> int:
    """How many numbers of the gradients are NaN; a parameter that has none does not count."""
    return sum(int(gradient.isnan().sum()) for gradient in brought if gradient is not None)


@unless("weights")
def judge_weights_of_padding(brought: Any, *_: Any) -> float:
    """The largest weight in the last sentence, whose source is all padding.

    It is asked of shares alone, whose rows sum to 1 in the other sentences: which weights are
    right is for other cases to say.
    """
    weights = brought[1]
    sums = weights[:-1].sum(dim=-1)
    if not torch.allclose(sums, torch.ones_like(sums), atol=1e-4):
        raise NotJudged("The weights of other sentences do not sum to 1.")
    return float(weights[-1].abs().max())


@unless("weights")
def judge_weights_moved_by_dropout(brought: list[Any], *_: Any) -> float:
    """How far the weights in training are from those in evaluation mode.

    Whatever they are: which weights are right is for other cases to say.
    """
    one, other = (pair[1] for pair in brought)
    if not (one.isfinite().all() and other.isfinite().all()):
        raise NotJudged("The weights that it returns are not all finite.")
    return float((one - other).abs().max())
