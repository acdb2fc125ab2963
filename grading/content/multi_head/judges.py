"""Judges of assignment 2: what it means what the harnesses bring. Released with the assignment.

Nothing here runs beside a student's code when a submission is graded. Each is given what the
harness of its name brought, then the arguments of the case; it gives back what is compared, or
raises a `Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

import torch
from torch import Tensor

from grading.check import Finding


def judge_dropped_weights(
    brought: list[Tensor], init: list, state: dict[str, Tensor], inputs: list
) -> str:
    """Where there is one token to look at, dropout leaves a head all of its vector, or nothing."""
    heads, p = init[2], init[3]
    whole, found = (output.unflatten(-1, (heads, -1)) for output in brought)
    empty = found.abs() < 1e-6
    share = float(empty.float().mean())
    if not share:
        raise Finding(
            "In training mode, with a source of one token, nothing of what the heads bring is "
            f"zero; a share of {p:g} of the weights must be dropped."
        )
    if (empty.any(dim=-1) != empty.all(dim=-1)).any():
        raise Finding(
            "In training mode single numbers of a head are zero and others are not: that is "
            "dropout of vectors. A weight that is dropped takes all numbers of a head away."
        )
    if abs(share - p) > 0.1:
        raise Finding(
            f"In training mode a share of {share:.2f} of the weights is dropped, and it should be "
            f"{p:g}."
        )
    if not torch.allclose(found[~empty] * (1 - p), whole[~empty], atol=1e-4, rtol=1e-4):
        raise Finding(
            "In training mode the weights that are kept are not divided by 1 − p, as dropout does."
        )
    return "weights are dropped"
