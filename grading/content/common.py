"""Mistakes that many exercises can contain, each with one sentence for all of them."""

from __future__ import annotations

from typing import Any

from grading.exercise import Mistake, Mutation


def cut_off(mutation: Mutation, id: str = "no_gradient", **more: Any) -> Mistake:
    """The right numbers without a graph behind them."""
    return Mistake(
        id,
        "The numbers are right, but they are cut off from autograd (`detach`, `.data`, `no_grad`, "
        "or a new tensor built from numbers), so nothing could be learned.",
        mutation,
        **more,
    )


def changed_in_place(
    argument: str, mutation: Mutation, id: str = "changed_argument", **more: Any
) -> Mistake:
    """The right result, at the cost of an argument."""
    return Mistake(
        id,
        f"The result is right, but `{argument}` is changed in place, and the caller still needs "
        "it. Compute with a new tensor instead.",
        mutation,
        **more,
    )
