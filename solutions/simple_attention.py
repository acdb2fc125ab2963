"""Scaled dot-product attention (Vaswani et al. 2017, section 3.2.1, equation 1).

Each query is compared with every key; the softmax of the comparisons says in which proportions the
values are mixed. Everything else in a Transformer is arranged around these few lines.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from solutions.masks import ScoresMask


def attention_weights(
    query: Float[Tensor, "*#batch queries d_k"],
    key: Float[Tensor, "*#batch keys d_k"],
    mask: ScoresMask | None = None,
) -> Float[Tensor, "*batch queries keys"]:
    """Compute how much each query takes from each key: ``softmax(query @ key.T / sqrt(d_k))``.

    Args:
        query: ``[..., queries, d_k]``.
        key: ``[..., keys, d_k]``; its leading dimensions broadcast with those of ``query``.
        mask: broadcasts to ``[..., queries, keys]``. Boolean: True means "this query may look at
            this key", as in ``torch.nn.functional.scaled_dot_product_attention`` (and the opposite
            of ``nn.MultiheadAttention``). Floating point: added to the scaled scores.

    Returns:
        Weights in the dtype of ``query``. A row sums to 1. A row whose keys are all hidden has
        nothing to take an average of: it is all zeros, forward and in its gradients, where a bare
        softmax would give NaN, in the output and in the gradient of the values.

    Scores and softmax of float16 and bfloat16 inputs are computed in float32, because a score above
    65504 is infinite in float16 and bfloat16 keeps only 8 significant bits. The inputs are not
    modified.

    Raises:
        TypeError: if ``mask`` holds integers, which could mean either kind.
    """
    d_k = query.size(-1)
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key = query.float(), key.float()

    scores = query @ key.transpose(-2, -1) / math.sqrt(d_k)  # [..., queries, keys]
    if mask is None:
        return scores.softmax(dim=-1).to(dtype)

    if mask.dtype == torch.bool:
        scores = scores.masked_fill(~mask, -math.inf)
    elif mask.is_floating_point():
        scores = scores + mask
    else:
        raise TypeError(
            f"The mask has dtype {mask.dtype}. Pass mask.bool() if its ones mean 'may look', or a "
            "floating point mask if it is to be added to the scores."
        )
    empty = (scores == -math.inf).all(dim=-1, keepdim=True)  # [..., queries, 1]
    weights = scores.masked_fill(empty, 0.0).softmax(dim=-1)  # no row of -inf reaches softmax
    return weights.masked_fill(empty, 0.0).to(dtype)


def scaled_dot_product_attention(
    query: Float[Tensor, "*#batch queries d_k"],
    key: Float[Tensor, "*#batch keys d_k"],
    value: Float[Tensor, "*#batch keys d_v"],
    mask: ScoresMask | None = None,
) -> Float[Tensor, "*batch queries d_v"]:
    """Mix the values in the proportions of the attention weights (equation 1).

    Args:
        query: ``[..., queries, d_k]``.
        key: ``[..., keys, d_k]``.
        value: ``[..., keys, d_v]``; ``d_v`` need not equal ``d_k``.
        mask: as in :func:`attention_weights`; a query with no key to look at gets zeros.

    Returns:
        ``[..., queries, d_v]`` in the dtype of ``query``, equal to
        ``torch.nn.functional.scaled_dot_product_attention`` to 1e-5 in float32.

    Raises:
        TypeError: if ``mask`` holds integers.
    """
    return attention_weights(query, key, mask) @ value
