"""Masks: who may look at whom.

One convention holds in the whole package. A boolean mask is True where a query *may look* at a key,
as in ``torch.nn.functional.scaled_dot_product_attention`` and contrary to
``nn.MultiheadAttention``; a floating point mask is *added* to the scores, 0 to leave a score alone
and minus infinity to hide its key. Integers could mean either and are taken in one form only, the
tokenizer's ``[batch, key]`` of 1 (a real token) and 0 (padding).
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

# Broadcasts to the scores of attention, [..., query, key].
ScoresMask = Bool[Tensor, "*#batch #queries #keys"] | Float[Tensor, "*#batch #queries #keys"]
# [batch, key], [query, key], [batch, query, key] or [batch, heads, query, key]; see expand_mask.
AttentionMask = Bool[Tensor, "..."] | Float[Tensor, "..."]
# Which tokens are real, as tokenizers say it; with a cache, of the cached and the new ones.
PaddingMask = Bool[Tensor, "batch tokens"] | Int[Tensor, "batch tokens"]
PaddingMaskWithPast = Bool[Tensor, "batch _"] | Int[Tensor, "batch _"]
AnyMask = AttentionMask | PaddingMaskWithPast  # what models take; see prepare_mask


def causal_mask(
    queries: int,
    keys: int | None = None,
    device: torch.device | None = None,
    window: int | None = None,
) -> Bool[Tensor, "queries keys"]:
    """Say which keys are not in a query's future: True on and below a diagonal, ``[query, key]``.

    Args:
        queries: number of queries, the *last* tokens of the sequence.
        keys: number of tokens so far, those in a cache included; as many as queries if left out.
        device: where the mask shall lie.
        window: how many keys a query sees at most, itself included (Beltagy et al. 2020,
            "Longformer", section 3.1); all up to itself if left out.

    Returns:
        For 2 queries after 3 cached tokens ``[[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]``: the diagonal
        ends in the lower right corner, not in the upper left.
    """
    keys = queries if keys is None else keys
    mask = torch.ones(queries, keys, dtype=torch.bool, device=device).tril(keys - queries)
    return mask if window is None else mask.triu(keys - queries - window + 1)


def with_causality(
    mask: AttentionMask | None,
    queries: int,
    keys: int,
    device: torch.device,
    window: int | None = None,
) -> AttentionMask | None:
    """Hide the future, and what lies before the window, in addition to what ``mask`` hides.

    Masks are ``[batch, heads, query, key]``; see :func:`causal_mask`.
    """
    if mask is None and queries == 1 and (window is None or keys <= window):
        return None  # the last token may look everywhere
    causal = causal_mask(queries, keys, device, window)
    if mask is None:
        return causal[None, None]  # [1, 1, query, key]
    if mask.dtype == torch.bool:
        return mask & causal
    return mask.masked_fill(~causal, -math.inf)


def prepare_mask(mask: AnyMask | None, shape: tuple[int, int, int, int]) -> AttentionMask | None:
    """Turn any mask that a model takes into ``[batch, heads, query, key]``, or None into None.

    A model takes what :func:`expand_mask` takes, except that two dimensions are always a
    tokenizer's ``[batch, key]``.

    Args:
        mask: what the model was called with.
        shape: the numbers ``(batch, heads, queries, keys)``.

    Raises:
        ValueError: if the mask does not fit.
        TypeError: if its numbers could mean two things.
    """
    if mask is None:
        return None
    if mask.dim() == 2:
        batch, _, _, keys = shape
        mask = expand_padding_mask(mask, (batch, keys))
    return expand_mask(mask, shape)


def expand_padding_mask(
    mask: PaddingMaskWithPast, shape: tuple[int, int]
) -> Bool[Tensor, "batch 1 1 _"]:
    """Turn a tokenizer's mask ``[batch, key]`` of 0 and 1 into a boolean ``[batch, 1, 1, key]``.

    Raises:
        ValueError: if the mask does not have the ``shape`` ``(batch, keys)``.
        TypeError: if it holds floating point numbers, which say "add me" elsewhere.
    """
    if mask.shape != shape:
        raise ValueError(
            f"Found an attention_mask of shape {tuple(mask.shape)}; expected one number for each "
            f"of {shape[1]} tokens in {shape[0]} sequences, {shape}."
        )
    if mask.is_floating_point():
        raise TypeError(
            f"Found an attention_mask [batch, tokens] of dtype {mask.dtype}; expected "
            "booleans or the integers 1 (a real token) and 0 (padding). Pass mask.bool() if its "
            "ones mean real, or mask[:, None, None, :] if it is to be added to the scores."
        )
    return mask.bool()[:, None, None, :]


def expand_mask(
    mask: AttentionMask, shape: tuple[int, int, int, int]
) -> Bool[Tensor, "_ _ _ _"] | Float[Tensor, "_ _ _ _"]:
    """Give a mask the four dimensions ``[batch, heads, query, key]`` (1 where it is shared).

    Args:
        mask: ``[batch, key]`` (which tokens are real), ``[query, key]`` (such as a causal mask),
            ``[batch, query, key]`` or ``[batch, heads, query, key]``; boolean or floating point.
        shape: the numbers ``(batch, heads, queries, keys)`` that it must broadcast to.

    Raises:
        ValueError: if the mask does not fit; or if it has two dimensions and there are as many
            sequences as queries, so that it could be ``[batch, key]`` or ``[query, key]``.
        TypeError: if the mask holds integers, which could mean either kind of mask.
    """
    batch, _, queries, _ = shape
    if not (mask.dtype == torch.bool or mask.is_floating_point()):
        raise TypeError(
            f"The attention mask has dtype {mask.dtype}. Pass mask.bool() if its ones mean 'may "
            "look', or a floating point mask if it is to be added to the scores."
        )
    if mask.dim() == 2 and mask.size(0) == batch == queries > 1:
        raise ValueError(
            f"An attention mask of shape {tuple(mask.shape)} is ambiguous with {batch} sequences "
            f"of {queries} queries: pass mask[:, None, :] if its rows are sequences, "
            "[batch, key], or mask[None] if they are queries, [query, key]."
        )
    if mask.dim() == 2:
        expanded = mask[:, None, None] if mask.size(0) == batch else mask[None, None]
    elif mask.dim() == 3:
        expanded = mask[:, None]
    else:
        expanded = mask
    fits = expanded.dim() == 4 and all(
        found in (1, wanted) for found, wanted in zip(expanded.shape, shape, strict=True)
    )
    if not fits:
        raise ValueError(
            f"Found an attention mask of shape {tuple(mask.shape)}; expected [batch, key], "
            "[query, key], [batch, query, key] or [batch, heads, query, key], where batch, heads, "
            f"query and key are {shape}."
        )
    return expanded
