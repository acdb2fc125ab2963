"""Say in words how a value differs from what was expected.

Nothing from here on runs beside a student's code when a submission is graded.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import torch

from grading.check.values import MOST_LETTERS, Opaque, describe, dtype_name, quoted, shortened


def difference(expected: Any, found: Any, tolerance: float) -> str | None:
    """Say in one sentence how ``found`` differs from ``expected``, or return None.

    Tensors must agree in shape and dtype exactly and in each number to ``tolerance``, absolute for
    small numbers and relative for large ones. A tuple may be a list; a number may be a tensor
    without dimensions. What a wrong tensor has in common with the right one, such as its numbers
    in another order, follows in a second sentence. Of lists of texts the first place is told that
    is wrong.
    """
    if isinstance(expected, torch.Tensor):
        return _tensor_difference(expected, found, tolerance)
    if isinstance(expected, list) and _holds_texts(expected):
        return _texts_difference(expected, found)
    if isinstance(expected, tuple | list):
        if not isinstance(found, tuple | list) or len(found) != len(expected):
            return f"It returned {describe(found)}; expected {len(expected)} values." + _piece(
                expected, found, tolerance
            )
        for place, (one, other) in enumerate(zip(expected, found, strict=True), start=1):
            problem = difference(one, other, tolerance)
            if problem and problem.startswith("Value "):  # in a list of lists
                return f"Value {place}, v{problem[1:]}"
            if problem:
                return f"Value {place}: {problem}"
        return None
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return f"It returned {describe(found)}; expected {describe(expected)}."
        missing = [name for name in expected if name not in found]
        added = [name for name in found if name not in expected]
        if missing or added:
            lacks = [f"lacks {quoted(missing)}"] if missing else []
            has = [f"has {quoted(added)}, which should not be there"] if added else []
            return f"The dictionary {' and '.join(lacks + has)}."
        for key, one in expected.items():
            problem = difference(one, found[key], tolerance)
            if problem:
                return f"{key}: {problem}"
        return None
    if isinstance(found, torch.Tensor) and found.dim() == 0:
        found = found.item()
    if isinstance(expected, str) and isinstance(found, str):
        return _text_difference(expected, found)
    if isinstance(expected, bool | str) or expected is None:
        if type(found) is type(expected) and found == expected:
            return None
        return f"It returned {describe(found)}; expected {describe(expected)}."
    if isinstance(expected, Opaque):  # it came from a submission, and nothing is known of it
        return f"It returned {describe(found)}; expected {describe(expected)}."
    if isinstance(found, bool) or not isinstance(found, int | float):
        return f"It returned {describe(found)}; expected a number."
    if math.isclose(expected, found, rel_tol=tolerance, abs_tol=tolerance) or expected == found:
        return None
    if math.isnan(expected) and math.isnan(found):  # what a known mistake gives, too
        return None
    return f"It returned {found:.6g}; expected {expected:.6g}."


def same(expected: Any, found: Any, tolerance: float) -> bool:
    """Tell whether :func:`difference` has nothing to say, without a sentence if it has."""
    if isinstance(expected, torch.Tensor):
        alike = isinstance(found, torch.Tensor) and found.dtype == expected.dtype
        return alike and equal(expected, found, tolerance)
    if isinstance(expected, tuple | list):
        return (
            isinstance(found, tuple | list)
            and len(found) == len(expected)
            and all(same(*pair, tolerance) for pair in zip(expected, found, strict=True))
        )
    if isinstance(expected, dict):
        return (
            isinstance(found, dict)
            and set(found) == set(expected)
            and all(same(one, found[key], tolerance) for key, one in expected.items())
        )
    return difference(expected, found, tolerance) is None  # of one number or one text


def _holds_texts(value: list[Any]) -> bool:
    """Tell whether a list holds texts, or tuples of texts, and nothing else; an empty one does."""
    return all(
        isinstance(item, str)
        or (isinstance(item, tuple) and all(isinstance(part, str) for part in item))
        for item in value
    )


MOST_SHOWN = 12  # items of a list that is shown as a whole


def _texts_difference(expected: list[Any], found: Any) -> str | None:
    if not isinstance(found, tuple | list):
        hint = " Is the `return` missing?" if found is None else ""
        what = f"`{_shown(found)}`" if isinstance(found, str) else describe(found)
        return f"It returned {what}; expected {describe(expected)}.{hint}"
    right, came = (_as_tuples(list(value)) for value in (expected, found))
    if right == came:
        return None
    whole = f"It returned `{_shown(came)}`; expected `{_shown(right)}`."
    if max(len(right), len(came)) <= MOST_SHOWN:
        return whole
    same = _same_until(right, came)
    plural = "s" * (len(came) != 1)
    counts = f" It has {len(came)} item{plural}; expected {len(right)}." * (len(came) != len(right))
    if same == len(came) == 0:
        return f"It is empty; expected {len(right)} items, beginning with `{_shown(right[0])}`."
    if same == len(came):
        return f"After index {same - 1} it ends; expected `{_shown(right[same])}` next.{counts}"
    if same == len(right) == 0:
        return f"It should be empty; it begins with `{_shown(came[0])}`.{counts}"
    if same == len(right):
        return f"It should end after index {same - 1}; `{_shown(came[same])}` follows.{counts}"
    return f"Index {same} holds `{_shown(came[same])}`; expected `{_shown(right[same])}`.{counts}"


def _text_difference(expected: str, found: str) -> str | None:
    if expected == found:
        return None
    if len(expected) < MOST_LETTERS:
        return f"It returned `{_shown(found)}`; expected `{_shown(expected)}`."
    same = _same_until(expected, found)
    one, other = (text[same : same + MOST_LETTERS // 2] for text in (found, expected))
    return f"From index {same} on it is `{one!r}`…; expected `{other!r}`…."


def _same_until(one: Any, other: Any) -> int:
    """At how many places from the beginning two sequences agree."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _as_tuples(value: Any) -> Any:
    """The same with tuples for the lists inside, which count as equal."""
    return [tuple(item) if isinstance(item, tuple | list) else item for item in value]


def _shown(value: Any) -> str:
    """Write texts, and lists of them, as Python does; anything else is described."""
    if isinstance(value, tuple | list):
        inside = ", ".join(map(_shown, value))
        return f"({inside})" if isinstance(value, tuple) else f"[{inside}]"
    if isinstance(value, str):
        return shortened(value)
    return describe(value)


def _piece(expected: tuple[Any, ...] | list[Any], found: Any, tolerance: float) -> str:
    """Say which piece of a sequence came back, if it is one."""
    count = len(found) if isinstance(found, tuple | list) else 0
    if 0 < count < len(expected):
        for name, piece in (("first", expected[:count]), ("last", expected[-count:])):
            if same(piece, found, tolerance):
                return f" These are the {name} {count}."
    return ""


def _tensor_difference(expected: torch.Tensor, found: Any, tolerance: float) -> str | None:
    if not isinstance(found, torch.Tensor):
        hint = " Is the `return` missing?" if found is None else ""
        return f"It returned {describe(found)}; expected a tensor.{hint}"
    if found.shape != expected.shape:
        return (
            f"The shape is {list(found.shape)}; expected {list(expected.shape)}."
            + _same_numbers(expected, found, tolerance)
        )  # fmt: skip
    if found.dtype != expected.dtype:
        both_real = found.is_floating_point() and expected.is_floating_point()
        rounded = both_real and bool(_close(expected, found, 1e-2).all())
        rest = " Apart from that the numbers are right." if rounded else ""
        return f"The dtype is {dtype_name(found)}; expected {dtype_name(expected)}.{rest}"
    if torch.equal(expected, found):  # nearly always, where nothing is wrong
        return None
    close = _close(expected, found, tolerance)
    wrong = int((~close).sum())
    if not wrong:
        return None
    if not expected.is_floating_point():
        pattern = _pattern(expected.double(), found.double(), close, tolerance)
        return f"{wrong} of {expected.numel()} entries differ.{pattern}"
    nan = int((found.isnan() & ~expected.isnan()).sum())
    if nan:
        return f"{nan} of {expected.numel()} numbers are NaN." + _places(~close)
    largest = float((found.double() - expected.double())[~close].abs().max())
    size = "infinitely" if math.isinf(largest) else f"by up to {largest:.2g}"
    pattern = _pattern(expected.double(), found.double(), close, tolerance)
    return f"{wrong} of {expected.numel()} numbers differ, {size}.{pattern}"


def _close(expected: torch.Tensor, found: torch.Tensor, tolerance: float) -> torch.Tensor:
    if not expected.is_floating_point():
        return expected == found
    return torch.isclose(
        found.double(), expected.double(), rtol=tolerance, atol=tolerance, equal_nan=True
    )


def equal(expected: torch.Tensor, found: torch.Tensor, tolerance: float) -> bool:
    """Tell whether two tensors have one shape and the same numbers, to ``tolerance``."""
    if expected.shape != found.shape:
        return False
    if expected.dtype == found.dtype:  # then two quick looks tell most pairs
        if torch.equal(expected, found):
            return True
        if expected.dtype is torch.float32 and _far_apart(expected, found, tolerance):
            return False
    return bool(_close(expected, found, tolerance).all())


def _far_apart(expected: torch.Tensor, found: torch.Tensor, tolerance: float) -> bool:
    """Tell that some numbers differ if one does by more than any may; NaN leaves it open."""
    largest = float((expected - found).abs().max())
    return largest > 2 * tolerance * (1 + float(expected.abs().max()))


def _pattern(
    expected: torch.Tensor, found: torch.Tensor, close: torch.Tensor, tolerance: float
) -> str:
    """Say what wrong numbers have to do with the right ones, if that is plain to see."""
    if expected.numel() < 2:
        factor = float(expected.flatten()[0] / found.flatten()[0])
        times = f", {factor:.4g} times as much" if math.isfinite(factor) and factor > 0 else ""
        return f" It is {_number(found)}; expected {_number(expected)}{times}."
    if expected.min() >= 0 and equal(1 - expected, found, tolerance):
        return " Each is 1 minus what is expected."
    more = found - expected
    if more.abs().max() < 0.01:
        for places in range(2, 6):
            if _are_rounded(expected, found, places):
                return f" They are the right numbers, rounded to {places} decimal places."
    ratio = (found / expected)[expected.abs() > 1e-3]
    times = f"{float(ratio.median()):.4g}" if ratio.numel() > 1 and found.any() else "1"
    if times != "1" and equal(expected * ratio.median(), found, tolerance):
        return f" Each is {times} times what is expected."
    if not close.any() and float(more.max() - more.min()) < 10 * tolerance:
        too = "too large" if float(more.mean()) > 0 else "too small"
        return f" Each is {abs(float(more.mean())):.4g} {too}."
    if equal(expected.flatten().sort().values, found.flatten().sort().values, tolerance):
        order = _order(expected, found, tolerance)
        if order:
            return order
    size = expected.abs()  # of each number, and of a usual one: a few may be very large
    if bool((more.abs() < 0.01 * (size + size.median())).all()):
        return " They are nearly right, as a constant, an eps or a precision would make them."
    together = _one_value(expected[~close], found[~close])
    return _places(~close) + (together or _by_rows(expected, found, tolerance))


def _order(expected: torch.Tensor, found: torch.Tensor, tolerance: float) -> str:
    """Say in which order the right numbers came, if it is one that is plain to see."""
    for one, other in itertools.combinations(range(expected.dim()), 2):
        if equal(expected.transpose(one, other), found, tolerance):
            return f" These are the right numbers with the axes {one} and {other} exchanged."
    for axis in range(expected.dim()):
        if equal(expected.flip(axis), found, tolerance):
            return f" These are the right numbers in reverse order along axis {axis}."
        for step in (-1, 1):
            if equal(expected.roll(step, axis), found, tolerance):
                where = "earlier" if step < 0 else "later"
                return f" These are the right numbers, one place {where} along axis {axis}."
    for axis in range(expected.dim()):
        moved = _reordered(expected, found, axis, tolerance)
        if moved is not None:
            return (
                f" Along axis {axis} all that is expected is there, but in another order: at index "
                f"{moved[0]} stands what belongs to index {moved[1]}."
            )
    return ""


def _are_rounded(expected: torch.Tensor, found: torch.Tensor, places: int) -> bool:
    """Tell whether the found numbers are the expected ones, rounded to so many decimal places."""
    step = 10.0**-places
    near = (found - expected).abs() < 0.51 * step
    scaled = found / step
    whole = (scaled - scaled.round()).abs() < 1e-6 * (1 + scaled.abs())
    return bool((near & whole).all())


def _reordered(
    expected: torch.Tensor, found: torch.Tensor, axis: int, tolerance: float
) -> tuple[int, int] | None:
    """The first place along an axis where another slice stands, if the slices are all there."""
    if expected.dim() < 2:
        return None
    one, other = (t.transpose(0, axis).flatten(1) for t in (expected, found))
    count, size = one.shape
    if count < 3 or size < 2 or count * count * size > 1_000_000:
        return None
    same = torch.isclose(one[:, None], other[None], rtol=tolerance, atol=tolerance).all(dim=2)
    if not (same.sum(dim=0) == 1).all() or not (same.sum(dim=1) == 1).all():
        return None
    stands = same.int().argmax(dim=0)  # which expected slice stands at each place
    place = int((stands != torch.arange(count)).int().argmax())
    return place, int(stands[place])


def _number(value: torch.Tensor) -> str:
    return f"{float(value.flatten()[0]):.5g}".replace("-inf", "−∞").replace("inf", "∞")


def _one_value(expected: torch.Tensor, found: torch.Tensor) -> str:
    """Say it if the wrong numbers are all the same, or should be."""
    if expected.numel() < 2:
        return f" It is {_number(found)}; expected {_number(expected)}."
    are, should = bool((found == found[0]).all()), bool((expected == expected[0]).all())
    if are and should:
        return f" All of them are {_number(found)}; expected {_number(expected)}."
    if are:
        return f" All of them are {_number(found)}, and should be other numbers."
    return f" All of them should be {_number(expected)}." if should else ""


def _by_rows(expected: torch.Tensor, found: torch.Tensor, tolerance: float) -> str:
    """Say it if whole rows are off by a factor or by the same amount, each by its own."""
    if not (found.isfinite() & expected.isfinite()).all():
        return ""
    more = found - expected
    for axis in reversed(range(expected.dim())):
        if expected.size(axis) < 3:
            continue
        if float((more.amax(axis) - more.amin(axis)).max()) < 10 * tolerance:
            return f" What is too much or too little is the same all along axis {axis}."
        factor = (found * expected).sum(axis, keepdim=True)
        factor = factor / expected.square().sum(axis, keepdim=True).clamp(min=1e-12)
        if factor.numel() > 1 and equal(expected * factor, found, tolerance):
            low, high = float(factor.min()), float(factor.max())
            return (
                f" Along axis {axis} everything is right but for a factor, from {low:.3g} to "
                f"{high:.3g}."
            )
    return ""


def _places(wrong: torch.Tensor) -> str:
    """Say along which axis the wrong numbers keep together."""
    kept = []
    for axis, size in enumerate(wrong.shape):
        bad = wrong.transpose(axis, 0).flatten(1).any(dim=1) if wrong.dim() > 1 else wrong
        count = int(bad.sum())
        if count < size:
            kept.append((count / size, axis, size, bad.nonzero().flatten().tolist()))
    if not kept:
        return ""
    _, axis, size, indices = min(kept)
    if len(indices) == 1:
        return f" All of them lie at index {indices[0]} of axis {axis}."
    if len(indices) == size - 1 and size > 2:
        (right,) = set(range(size)) - set(indices)
        return f" Only index {right} of axis {axis} is right."
    return (
        f" They lie at {len(indices)} of the {size} indices of axis {axis}; the others are right."
    )


def _same_numbers(expected: torch.Tensor, found: torch.Tensor, tolerance: float) -> str:
    """Say what a tensor of another shape has to do with the right one."""
    if found.dtype != expected.dtype or expected.numel() < 2:
        return ""
    if found.dim() == expected.dim() and sorted(found.shape) == sorted(expected.shape):
        for order in itertools.permutations(range(min(expected.dim(), 5))):
            if len(order) == expected.dim() and equal(expected.permute(order), found, tolerance):
                return f" These are the right numbers with the axes in the order {list(order)}."
        return " These are the same sizes in another order."
    if equal(expected.squeeze(), found.squeeze(), tolerance):
        return " The numbers are right; only axes of length 1 are missing or too many."
    if found.numel() == expected.numel() and equal(expected.flatten(), found.flatten(), tolerance):
        return " The numbers are right and in order; only the axes are not."
    for axis, size in enumerate(expected.shape):
        kept = found.size(axis) if found.dim() == expected.dim() else 0
        if 0 < kept < size and equal(expected.narrow(axis, 0, kept), found, tolerance):
            return f" These are the first {kept} of {size} along axis {axis}."
        if 0 < kept < size and equal(expected.narrow(axis, size - kept, kept), found, tolerance):
            return f" These are the last {kept} of {size} along axis {axis}."
        if kept > size > 0 and equal(expected, found.narrow(axis, 0, size), tolerance):
            return f" The first {size} along axis {axis} are right; the others are too many."
        if expected.is_floating_point():
            for name in ("mean", "sum", "amax"):
                reduced = getattr(expected, name)(dim=axis)
                if equal(reduced.squeeze(), found.squeeze(), 10 * tolerance):
                    what = {"amax": "maximum"}.get(name, name)
                    return f" It is the {what} of the right result over axis {axis}."
    if len(expected.shape) != len(found.shape):
        return f" It has {found.dim()} dimensions instead of {expected.dim()}."
    return ""
