"""Judges of assignment 7: what it means what the harnesses bring. Released with the assignment.

Nothing here runs beside a student's code when a submission is graded. Each is given what the
harness of its name brought, then the arguments of the case; it gives back what is compared, or
raises a `Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from grading.check import Finding, brought


def judge_backward(found: dict[str, Any], *_: Any) -> dict:
    """The loss, and whether its gradients are zero."""
    gradients = [gradient for gradient in brought(found)["gradients"] if gradient is not None]
    if not gradients:
        raise Finding("The loss does not hang on the logits, so `backward()` fails.")
    moved = any(bool((gradient != 0).any()) for gradient in gradients)
    return {"loss": found["loss"], "gradients": "not zero" if moved else "zero"}


def judge_keeps(
    found: dict[str, Any], losses: list[float], epochs: int, patience: int
) -> dict[str, Any]:
    """Of which epoch the weights are that the model has in the end."""
    state: dict[str, Tensor] = brought(found)["state"]
    trained, loaded = found["epochs"], found["loaded"]
    if any(math.isnan(float(tensor.sum())) for tensor in state.values()):
        raise Finding("There are NaN in the weights at the end.")
    seen = [float(loss) for loss in losses[:trained]]
    if seen and seen[-1] == min((loss for loss in seen if loss == loss), default=0.0):
        loaded = False  # the last epoch's weights are right here
    weight, batches = int(state["weight"][0]), int(state["batches"][0])
    # `load_state_dict` with a dictionary that is no copy changes nothing
    note = ", though weights were loaded" if loaded and weight == trained > 0 else ""
    return {
        "the weights are those of epoch": f"{weight}{note}",
        "the buffers are those of epoch": batches,
    }


def judge_modes(found: dict[str, list[list[bool]]], *_: Any) -> dict[str, str]:
    """In which mode the model trains, is evaluated, and is left behind."""

    def name(flags: list[bool]) -> str:
        if len(set(flags)) > 1:
            return f"{name(flags[:1])}, but not its modules"
        return "training mode" if flags[0] else "evaluation mode"

    def said(moments: list[list[bool]]) -> str:
        names = [name(flags) for flags in moments]
        return names[0] if len(set(names)) == 1 else f"first {names[0]}, later {names[-1]}"

    found = brought(found)
    return {
        "trained in": said(found["training"]),
        "validated in": said(found["validation"]),
        "left in": said(found["left"]),
    }
