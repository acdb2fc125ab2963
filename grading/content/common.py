"""Mistakes that many exercises can contain, each with one sentence for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from grading.check import KEPT
from grading.exercise import Bugs, Mistake, Mutation, still_there
from grading.exercise.edits import Edit


def cut_off(mutation: Mutation, id: str = "no_gradient", **more: Any) -> Mistake:
    """The right numbers without a graph behind them."""
    return Mistake(
        id,
        "The numbers are right, but they are cut off from autograd (`detach`, `.data`, `no_grad`, "
        "or a new tensor built from numbers), so nothing could be learned.",
        mutation,
        **more,
    )


def kept(mutation: Mutation, **more: Any) -> Mistake:
    """Right in a first call, and not in the next, because something is kept between them.

    It is named without a prediction, too, where a case with ``again`` or ``repeats`` shows it.

    Args:
        mutation: such as a default argument ``kept={}`` that is filled by size. Edits, so that
            each draw starts without what an earlier one has left.
        **more: of the mistake.
    """
    return Mistake(
        KEPT,
        "What a call returns depends on the calls before it: something is kept from an earlier "
        "call (a cache by size, an attribute of the class, a global variable). What of it belongs "
        "to the arguments, and must be computed anew in each call?",
        mutation,
        **more,
    )


def kept_value(arguments: str, value: str, by: str, **more: Any) -> Mistake:
    """As :func:`kept`: what the reference writes in one place is computed once.

    Args:
        arguments: how the function's list of arguments ends, such as ``value, is_padding``.
        value: what is kept, as it stands in the reference.
        by: what it is kept by, such as ``value.shape``.
        **more: of the mistake.
    """
    return kept([_with_memory(arguments), (value, f"kept.setdefault({by}, {value})")], **more)


def kept_name(arguments: str, name: str, before: str, by: str = "", **more: Any) -> Mistake:
    """As :func:`kept`: what has a name is the same in each call, from a line of the reference on.

    Args:
        arguments: how the function's list of arguments ends, such as ``value, is_padding``.
        name: of what is kept.
        before: how the line begins before which that happens, with its indentation.
        by: what it is kept by; its shape if nothing is said.
        **more: of the mistake.
    """
    indentation = before[: len(before) - len(before.lstrip())]
    line = f"{indentation}{name} = kept.setdefault({by or f'{name}.shape'}, {name})\n"
    return kept([_with_memory(arguments), (before, line + before)], **more)


def _with_memory(arguments: str) -> Edit:
    return f"{arguments}):", f"{arguments}, kept={{}}):"


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


def zeros_hidden(mutation: Mutation, what: str = "padding", **more: Any) -> Mistake:
    """A mask that is found in the scores, where 0 is a number like any other."""
    return Mistake(
        "zeros_hidden",
        f"Whatever score is exactly 0 is hidden, as if 0 stood for {what} only. Decide by the "
        "mask, not by the scores.",
        mutation,
        **more,
    )


def bugs_left(
    bugs: Bugs, points: int, section: str = "", sections: Mapping[str, str] | None = None
) -> list[Mistake]:
    """Each set of a hunt's bugs that may be left over: the single ones, the pairs, and so on.

    Args:
        bugs: all that the released code has.
        points: of the exercise.
        section: what to read again.
        sections: what to read again for single bugs, if it is something else.
    """
    return [
        still_there(
            {name: bugs[name] for name in left},
            points,
            len(bugs),
            section=(sections or {}).get("_and_".join(left), section),
        )
        for count in range(1, len(bugs) + 1)
        for left in combinations(bugs, count)
    ]
