"""Judges of assignment 8: what it means what the harnesses bring. Released with the assignment.

Nothing here runs beside a student's code when a submission is graded. Each is given what the
harness of its name brought, then the arguments of the case; it gives back what is compared, or
raises a `Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

from typing import Any

import torch

from grading.check import Finding, of_any_form


@of_any_form
def judge_continue_twice(found: list[Any], *_: Any) -> list[torch.Tensor]:
    """The outputs of both continuations, if the first left the prompt's cache as it was."""
    outputs, before, after = found
    if len(before) != len(after) or not all(map(torch.equal, before, after)):
        raise Finding(
            "The cache of a prompt is changed by later calls, so the prompt cannot be continued "
            "twice. Join old and new into *new* tensors, in a new tuple."
        )
    return list(outputs)
