"""Judges of assignment 10: what it means what the harnesses bring. Released with the assignment.

Nothing here runs beside a student's code when a submission is graded. Each is given what the
harness of its name brought, then the arguments of the case; it gives back what is compared, or
raises a `Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from grading.check import Finding, asked_first, of_any_form, unless


@asked_first
def judge_gradients(found: dict[str, Tensor], *_: Any) -> str:
    """Whether there is a gradient for query, key and value, without any NaN."""
    for name in ("query", "key", "value"):
        if not isinstance(found.get(name), Tensor):
            raise Finding(f"No gradient reaches `{name}`.")
        if found[name].isnan().any():
            raise Finding(f"Numbers in the gradient of `{name}` are NaN; there should be none.")
    return "gradients without NaN"


@of_any_form
def judge_read_too_much(found: dict[str, Any], *_: Any) -> dict[str, Any]:
    """What came before and after, if the piece that was too long was refused."""
    if found.get("too many") == "no error":
        raise Finding(
            "A piece of more than `room - window + 1` new tokens was taken without a word; raise a "
            "`ValueError`."
        )
    if found.get("too many") != "ValueError":
        raise Finding(
            "A piece of more than `room - window + 1` new tokens led to an error of another type; "
            "raise a `ValueError` before anything is written."
        )
    return {name: value for name, value in found.items() if name != "too many"}


@unless("hidden")
def judge_streamed_small(found: Any, *_: Any) -> str:
    """Whether what is seen counts as much where its scores are very small."""
    if not isinstance(found, list) or not all(isinstance(lse, Tensor) for lse in found):
        raise Finding("It must return two tensors, the output and `lse`.")
    small, plain = found
    if small.shape == plain.shape and (small.isneginf() & plain.isfinite()).any():
        raise Finding(
            "Where a query sees nothing of the first block, and then keys with scores around −200, "
            "its `lse` is −∞, as if it had seen nothing at all."
        )
    return "an lse of what was seen"


def judge_each_refused(
    found: dict[str, dict[str, str]],
    state: dict,
    heads: int,
    kv_heads: int,
    without: list[str],
    added: list[str],
) -> str:
    """Whether each state with a wrong name led to a ``ValueError`` in whose text it stands."""
    for name in (*without, *added):
        all_of = " any name with" * name.endswith(".")
        given = f"{'With' if name in added else f'Without{all_of}'} `{name}` in the state"
        if found[name]["error"] != "ValueError":
            what = "no error" if found[name]["error"] == "none" else "an error of another type"
            raise Finding(
                f"{given} there was {what}; raise a `ValueError` that contains this name."
            )
        if name not in found[name]["text"]:
            raise Finding(
                f"{given} it raised a `ValueError`, as it should, but the text doesn't contain "
                "that name, as Meta writes it."
            )
    return "a ValueError with the name, each time"
