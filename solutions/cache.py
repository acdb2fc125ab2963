"""The cache of keys and values, and attention that uses it: one more token costs one token's work.

A token's keys and values never change once it is read, because it cannot see what follows. Keeping
them makes the cost of a new token grow with the length of the text, not with its square (Pope et
al. 2023, "Efficiently Scaling Transformer Inference", section 2.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from solutions.config import AnyConfig
from solutions.masks import AttentionMask
from solutions.multi_head import MultiHeadAttention
from solutions.positions import Rotation, rotate


class LayerCache(NamedTuple):
    """Keys and values of one attention layer, each ``[batch, heads, tokens, head_size]``."""

    key: Tensor
    value: Tensor


class KeyValueCache:
    """What all layers of a decoder remember of the tokens that they have read.

    Attributes:
        self_attention: for each layer, by its index, the keys and values of all tokens so far.
        cross_attention: for each layer the keys and values that it made of the encoder's result.
    """

    def __init__(self) -> None:
        self.self_attention: dict[int, LayerCache] = {}
        self.cross_attention: dict[int, LayerCache] = {}

    @property
    def length(self) -> int:
        """Number of tokens that were read."""
        return next((layer.key.size(2) for layer in self.self_attention.values()), 0)

    def update(
        self,
        key: Float[Tensor, "batch heads new head"],
        value: Float[Tensor, "batch heads new head"],
        layer_idx: int,
    ) -> LayerCache:
        """Add the keys and values of new tokens to a layer's, and give back all of them."""
        if layer_idx in self.self_attention:
            past = self.self_attention[layer_idx]
            key = torch.cat([past.key, key], dim=2)  # [batch, heads, past + new, head_size]
            value = torch.cat([past.value, value], dim=2)
        self.self_attention[layer_idx] = LayerCache(key, value)
        return self.self_attention[layer_idx]

    def reorder(self, rows: Int[Tensor, " rows"]) -> None:
        """Keep these rows of the batch, in this order, as beam search drops and doubles beams."""
        for layers in (self.self_attention, self.cross_attention):
            for i, (key, value) in layers.items():
                layers[i] = LayerCache(key[rows], value[rows])


class RingCache(KeyValueCache):
    """A cache for a sliding window: however long the text, it has room for ``window`` tokens.

    Token ``p`` lies in slot ``p % window``, where it replaces the token that has just left the
    window (Jiang et al. 2023, "Mistral 7B", section 2, "Rolling Buffer Cache"). Keys carry their
    rotary positions with them, so the order of the slots means nothing to attention.

    Args:
        window: number of slots; the model's ``config.sliding_window``.
    """

    def __init__(self, window: int) -> None:
        super().__init__()
        self.window = window
        self.read: dict[int, int] = {}  # tokens that each layer has read

    @property
    def length(self) -> int:
        """Number of tokens that were read, forgotten ones included."""
        return next(iter(self.read.values()), 0)

    def update(
        self,
        key: Float[Tensor, "batch heads new head"],
        value: Float[Tensor, "batch heads new head"],
        layer_idx: int,
    ) -> LayerCache:
        """Add the keys and values of new tokens, and give back all that one of these can see.

        Returns:
            The last ``window - 1`` of the earlier tokens, oldest first, and then the new ones.
        """
        past, new = self.read.get(layer_idx, 0), key.size(2)
        if layer_idx not in self.self_attention:
            shape = (*key.shape[:2], self.window, key.size(3))
            self.self_attention[layer_idx] = LayerCache(
                key.new_zeros(shape), value.new_zeros(shape)
            )
        slots = self.self_attention[layer_idx]

        before = torch.arange(max(0, past - self.window + 1), past, device=key.device) % self.window
        seen_key = torch.cat([slots.key[:, :, before], key], dim=2)
        seen_value = torch.cat([slots.value[:, :, before], value], dim=2)

        last = min(new, self.window)  # of more new tokens than slots, only the last ones stay
        into = torch.arange(past + new - last, past + new, device=key.device) % self.window
        self.self_attention[layer_idx] = LayerCache(
            slots.key.index_copy(2, into, key[:, :, new - last :]),
            slots.value.index_copy(2, into, value[:, :, new - last :]),
        )
        self.read[layer_idx] = past + new
        return LayerCache(seen_key, seen_value)


def past_length_of(cache: KeyValueCache | None) -> int:
    """Number of tokens that were read before; 0 without a cache."""
    return cache.length if cache is not None else 0


@contextmanager
def unchanged_on_error(cache: KeyValueCache | None) -> Iterator[None]:
    """Leave the cache as it was if the ``with`` block raises, in whichever layer that happens."""
    if cache is None:
        yield
        return
    # Tensors are replaced and never written to, so copies of the dictionaries are enough.
    before = {name: copy(kept) for name, kept in vars(cache).items()}
    try:
        yield
    except BaseException:
        vars(cache).update(before)
        raise


class CachedAttention(MultiHeadAttention):
    """Multi-head attention that can remember its keys and values from call to call.

    Args:
        config: see ``MultiHeadAttention``.
        layer_idx: under which index a cache keeps what this layer remembers.
    """

    def __init__(self, config: AnyConfig, layer_idx: int = 0) -> None:
        super().__init__(config)
        self.layer_idx = layer_idx

    def forward(
        self,
        hidden_states: Float[Tensor, "batch queries hidden"],
        key_value_states: Float[Tensor, "batch keys hidden"] | None = None,
        attention_mask: AttentionMask | None = None,
        output_attentions: bool = False,
        cache: KeyValueCache | None = None,
        rotation: Rotation | None = None,
    ) -> tuple[
        Float[Tensor, "batch queries hidden"], Float[Tensor, "batch heads queries all"] | None
    ]:
        """Attend as ``MultiHeadAttention`` does, to cached tokens too.

        Args:
            hidden_states: ``[batch, query, hidden]``, the new tokens only.
            key_value_states: the encoder's result for cross-attention; it is the same at each call,
                so only the first call projects it.
            attention_mask: as in ``MultiHeadAttention``, over cached and new keys together.
            output_attentions: return the weights too.
            cache: what the layers remember; it is extended. Keys are kept as they were turned.
            rotation: how far to turn the queries and keys of the new tokens; for self-attention.
        """
        if cache is None or key_value_states is None:
            query, key, value = self.project(hidden_states, key_value_states)
            if rotation is not None:
                query = rotate(query, rotation)
                key = rotate(key, rotation)
            if cache is not None:
                key, value = cache.update(key, value, self.layer_idx)
                if attention_mask is not None:  # a ring has forgotten what the first columns hide
                    attention_mask = attention_mask[..., -key.size(2) :]
        else:
            query = self.project_query(hidden_states)
            if self.layer_idx not in cache.cross_attention:
                projected = LayerCache(*self.project_key_value(key_value_states))
                cache.cross_attention[self.layer_idx] = projected
            key, value = cache.cross_attention[self.layer_idx]
        return self.attend(query, key, value, attention_mask, output_attentions)
