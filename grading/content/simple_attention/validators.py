"""Validators of assignment 1: what a returned input must show. Released with the assignment.

Each takes what the function returned and gives None, or the identifier of what is missing and a
sentence. They use PyTorch's own attention as the right one, so they hold no answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
MAX_NUMBERS = 12
LEAST_DIFFERENCE = 0.01
LARGEST = 1e6


def is_a_small_input(value: object) -> tuple[str, str] | None:
    """Three finite matrices of at most 12 numbers that attention can be computed on."""
    if value == "another input":  # the harness says so
        told = "The second call returns another input. Return the same numbers every time."
        return "new_every_time", told
    if not isinstance(value, tuple | list) or len(value) != 3:
        return "not_three", "Return three tensors: `return query, key, value`."
    for name, tensor in zip(("query", "key", "value"), value, strict=True):
        if not isinstance(tensor, Tensor) or tensor.dim() != 2 or tensor.dtype not in DTYPES:
            return "not_three", f"`{name}` must be a floating point tensor of two dimensions."
        if not 0 < tensor.numel() <= MAX_NUMBERS:
            return "too_large", f"`{name}` has {tensor.numel()} numbers; 1 to 12 are allowed."
        if not tensor.isfinite().all() or tensor.abs().max() > LARGEST:
            return "not_finite", f"`{name}` holds numbers that are NaN or larger than {LARGEST:g}."
    query, key, value = value
    if query.size(1) != key.size(1) or key.size(0) != value.size(0):
        return "shapes_do_not_fit", (
            f"query {list(query.shape)}, key {list(key.shape)} and value {list(value.shape)} do "
            "not fit: query and key need the same number of columns, key and value of rows."
        )
    return None


def _tells(name: str, wrong: Callable[[Tensor, Tensor, Tensor], Tensor], why_not: str):
    def validator(value: object) -> tuple[str, str] | None:
        problem = is_a_small_input(value)
        if problem is not None:
            return problem
        query, key, value = (tensor.double() for tensor in value)
        right = F.scaled_dot_product_attention(query, key, value)
        try:
            output = wrong(query, key, value)
        except RuntimeError:  # shapes that the wrong function cannot even multiply tell it, too
            return None
        if output.shape != right.shape:
            return None
        apart = float((output - right).abs().max())
        if apart >= LEAST_DIFFERENCE:
            return None
        told = f"On your input the results are only {apart:.2g} apart."
        return f"hides_{name}", f"{told} {_reason(name, query, key, value) or why_not}"

    validator.__name__ = f"tells_{name}"
    return validator


def _reason(name: str, query: Tensor, key: Tensor, value: Tensor) -> str:
    """What hides a mistake on this input, if it is one of the usual reasons."""
    d_k, scores = query.size(-1), query @ key.transpose(-2, -1)
    weights = (scores / math.sqrt(d_k)).softmax(dim=-1)
    scale = name in ("no_scale", "d_k", "d_v")
    if name in ("no_scale", "d_k") and d_k == 1:
        return "With d_k = 1 the scale is 1, whether it is d_k or its root."
    if name == "d_v" and value.size(-1) == d_k:
        return "√d_v and √d_k are the same number, as the values are as long as the keys."
    if scale and key.size(0) == 1:
        return "With a single key its weight is 1, whatever the score is."
    if name == "swapped" and scores.shape == scores.T.shape and torch.allclose(scores, scores.T):
        return "Exchanging query and key transposes the scores, and your scores are symmetric."
    if name == "softmax_axis":
        return ""
    if (value.amax(dim=0) - value.amin(dim=0)).max() < LEAST_DIFFERENCE:
        return "The rows of `value` differ by too little for any weights to show in the output."
    if (scores.amax(dim=-1) - scores.amin(dim=-1)).max() < 0.5:
        return (
            "The scores within a row are so alike that all keys get nearly the same weight: let "
            "query and key hold larger numbers."
        )
    if scale and weights.amax(dim=-1).min() > 0.99:
        return (
            "The scores of a row are so far apart that one key gets all the weight either way: let "
            "query and key hold smaller numbers."
        )
    return ""


def _attention(query: Tensor, key: Tensor, value: Tensor, scale: float, dim: int = -1) -> Tensor:
    return (query @ key.transpose(-2, -1) * scale).softmax(dim=dim) @ value


tells_no_scale = _tells(
    "no_scale",
    lambda q, k, v: _attention(q, k, v, 1.0),
    "The scale is √d_k: with d_k = 1 it is 1, and with scores that are equal within a row it "
    "changes nothing.",
)
tells_d_k = _tells(
    "d_k",
    lambda q, k, v: _attention(q, k, v, 1 / q.size(-1)),
    "Dividing by d_k differs from dividing by √d_k only if d_k is larger than 1 and the scores "
    "of a row differ.",
)
tells_softmax_axis = _tells(
    "softmax_axis",
    lambda q, k, v: _attention(q, k, v, 1 / math.sqrt(q.size(-1)), dim=0),
    "Are the scores so alike, or so symmetric, that it makes no difference whether the rows or "
    "the columns of the weights sum to 1?",
)
tells_d_v = _tells(
    "d_v",
    lambda q, k, v: _attention(q, k, v, 1 / math.sqrt(v.size(-1))),
    "√d_v and √d_k are the same number when the values are as long as the keys.",
)
tells_swapped = _tells(
    "swapped",
    lambda q, k, v: _attention(k, q, v, 1 / math.sqrt(q.size(-1))),
    "Exchanging query and key transposes the scores: make sure that the matrix of scores is not "
    "symmetric.",
)
