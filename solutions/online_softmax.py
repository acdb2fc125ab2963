"""Attention in one pass over the keys, without a matrix of scores.

A softmax needs the maximum and the sum of all scores, so it seems that all of them have to be there
first. Both can be corrected as more keys arrive (Milakov and Gimelshein 2018, "Online normalizer
calculation for softmax", algorithm 3), and so can the mix of values (Dao et al. 2022,
"FlashAttention", algorithm 1). The memory no longer grows with queries times keys.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from solutions.masks import ScoresMask


def online_attention(
    query: Float[Tensor, "*batch queries d_k"],
    key: Float[Tensor, "*batch keys d_k"],
    value: Float[Tensor, "*batch keys d_v"],
    mask: ScoresMask | None = None,
    block_size: int = 64,
) -> Float[Tensor, "*batch queries d_v"]:
    """Compute :func:`solutions.simple_attention.scaled_dot_product_attention` block by block.

    Args:
        query: ``[..., queries, d_k]``.
        key: ``[..., keys, d_k]``.
        value: ``[..., keys, d_v]``.
        mask: boolean (True may look) or added to the scores; broadcasts to ``[..., query, key]``.
        block_size: number of keys that are looked at at a time. Changes nothing but the memory.

    Returns:
        ``[..., queries, d_v]`` in the dtype of ``query``. A query with no key to look at gets
        zeros. float16 and bfloat16 are computed in float32.
    """
    dtype = torch.promote_types(query.dtype, torch.float32)
    scaled = query.to(dtype) / math.sqrt(query.size(-1))
    total = scaled.new_zeros(*query.shape[:-1], 1)  # [..., queries, 1]
    largest = torch.full_like(total, -math.inf)
    context = scaled.new_zeros(*query.shape[:-1], value.size(-1))
    if mask is not None:
        mask = mask.expand(*query.shape[:-1], key.size(-2))

    for start in range(0, key.size(-2), block_size):
        block = slice(start, start + block_size)
        scores = scaled @ key[..., block, :].to(dtype).transpose(-2, -1)  # [..., queries, block]
        if mask is not None:
            seen = mask[..., block]
            hidden = seen.dtype == torch.bool
            scores = scores.masked_fill(~seen, -math.inf) if hidden else scores + seen
        new_largest = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        shift = new_largest.masked_fill(new_largest == -math.inf, 0.0)  # nothing was seen so far
        correction = torch.exp(largest - shift)  # what came before was too large by this
        weights = torch.exp(scores - shift)
        total = total * correction + weights.sum(dim=-1, keepdim=True)
        context = context * correction + weights @ value[..., block, :].to(dtype)
        largest = new_largest
    return (context / total.masked_fill(total == 0, 1.0)).to(query.dtype)
