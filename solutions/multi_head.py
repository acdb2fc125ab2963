"""Multi-head attention (Vaswani et al. 2017, section 3.2.2).

Several heads look at the same tokens, each through its own query, key and value projections; what
they bring back is concatenated and mixed by one more projection. Three forms of the same thing
stand here: one head, heads in a list (easy to read), and all heads in one matrix product (what
everybody runs). ``weights`` carries the weights from one to the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from solutions.config import AnyConfig, TransformerConfig
from solutions.masks import AttentionMask, ScoresMask, expand_mask
from solutions.simple_attention import attention_weights


class AttentionHead(nn.Module):
    """One head: project the tokens to short queries, keys and values, then attend.

    Args:
        hidden_size: length of the vectors that come in.
        head_size: length of query, key and value, and of the vectors that go out.
        dropout: probability that an attention weight is zeroed while training.
    """

    def __init__(self, hidden_size: int, head_size: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.query = nn.Linear(hidden_size, head_size)
        self.key = nn.Linear(hidden_size, head_size)
        self.value = nn.Linear(hidden_size, head_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch queries hidden"],
        key_value_states: Float[Tensor, "batch keys hidden"] | None = None,
        mask: ScoresMask | None = None,
    ) -> tuple[Float[Tensor, "batch queries head"], Float[Tensor, "batch queries keys"]]:
        """Let every token of ``hidden_states`` look at every token of ``key_value_states``.

        Args:
            hidden_states: ``[batch, query, hidden]``.
            key_value_states: ``[batch, key, hidden]``, the tokens that are looked at; the same
                tokens if left out (self-attention).
            mask: broadcasts to ``[batch, query, key]``, as in
                :func:`solutions.simple_attention.attention_weights`.

        Returns:
            The context ``[batch, query, head_size]`` and the weights ``[batch, query, key]``.
        """
        if key_value_states is None:
            key_value_states = hidden_states
        query = self.query(hidden_states)  # [batch, query, head_size]
        key = self.key(key_value_states)  # [batch, key, head_size]
        value = self.value(key_value_states)  # [batch, key, head_size]
        weights = attention_weights(query, key, mask)  # [batch, query, key]
        return self.dropout(weights) @ value, weights


class MultiHeadAttentionList(nn.Module):
    """Multi-head attention with one module per head, exactly as the formula is written.

    ``MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W_O``. Slow, since each head is its own few
    small matrix products; :class:`MultiHeadAttention` computes the same numbers in one.
    """

    def __init__(self, config: AnyConfig) -> None:
        super().__init__()
        config = TransformerConfig.from_config(config)
        dropout = config.attention_probs_dropout_prob
        self.heads = nn.ModuleList(
            AttentionHead(config.hidden_size, config.head_size, dropout)
            for _ in range(config.num_attention_heads)
        )
        self.output = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch queries hidden"],
        key_value_states: Float[Tensor, "batch keys hidden"] | None = None,
        attention_mask: AttentionMask | None = None,
        output_attentions: bool = False,
    ) -> tuple[
        Float[Tensor, "batch queries hidden"], Float[Tensor, "batch heads queries keys"] | None
    ]:
        """Attend with every head; arguments and results are those of ``MultiHeadAttention``."""
        if key_value_states is None:
            key_value_states = hidden_states
        batch, queries, keys = *hidden_states.shape[:2], key_value_states.size(1)
        masks: Sequence[Tensor | None] = [None] * len(self.heads)
        if attention_mask is not None:
            mask = expand_mask(attention_mask, (batch, len(self.heads), queries, keys))
            masks = mask.expand(-1, len(self.heads), -1, -1).unbind(1)  # one a head

        results = [
            head(hidden_states, key_value_states, mask)
            for head, mask in zip(self.heads, masks, strict=True)
        ]
        context = torch.cat([context for context, _ in results], dim=-1)  # [batch, query, hidden]
        weights = torch.stack([weights for _, weights in results], dim=1)
        return self.output(context), weights if output_attentions else None


class MultiHeadAttention(nn.Module):
    """Multi-head attention with the projections of all heads in one matrix product.

    Layout of ``query_key_value.weight``, ``[3 * hidden, hidden]``: first all query rows, then all
    key rows, then all value rows; within each third, head 0 first, each head ``head_size`` rows
    that follow each other. It is the layout of ``nn.MultiheadAttention.in_proj_weight``.

    With ``config.num_key_value_heads`` there are fewer key rows and value rows, in the same order,
    and neighbouring query heads share a key and a value (Ainslie et al. 2023, "GQA", section 2.2).

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration. With
            ``attn_implementation="sdpa"`` PyTorch's ``scaled_dot_product_attention`` does the
            attention, without a score matrix in memory. It cannot tell its weights, so a call with
            ``output_attentions=True`` takes the eager path; both give the same numbers.
    """

    def __init__(self, config: AnyConfig) -> None:
        super().__init__()
        config = TransformerConfig.from_config(config)
        self.num_attention_heads = config.num_attention_heads
        self.head_size = config.head_size
        self.attn_implementation = config.attn_implementation
        size, bias = config.hidden_size, config.attention_bias
        key_size = config.key_value_heads * config.head_size  # of all heads; size, if none shares
        self.sizes = (size, key_size, key_size)
        self.query_key_value = nn.Linear(size, sum(self.sizes), bias=bias)
        self.output = nn.Linear(size, size, bias=bias)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch queries hidden"],
        key_value_states: Float[Tensor, "batch keys hidden"] | None = None,
        attention_mask: AttentionMask | None = None,
        output_attentions: bool = False,
    ) -> tuple[
        Float[Tensor, "batch queries hidden"], Float[Tensor, "batch heads queries keys"] | None
    ]:
        """Let every token of ``hidden_states`` look at every token of ``key_value_states``.

        Args:
            hidden_states: ``[batch, query, hidden]``.
            key_value_states: ``[batch, key, hidden]``, the tokens that are looked at
                (cross-attention); the same tokens if left out (self-attention).
            attention_mask: boolean (True may look) or added to the scores, of shape
                ``[batch, key]``, ``[query, key]``, ``[batch, query, key]`` or
                ``[batch, heads, query, key]``; see :func:`solutions.masks.expand_mask`.
            output_attentions: return the weights too.

        Returns:
            The new hidden states ``[batch, query, hidden]``, and the attention weights before
            dropout ``[batch, heads, query, key]``, or None where they were not asked for.

        Raises:
            ValueError: if the mask fits no reading of these shapes, or two.
            TypeError: if the mask holds integers.
        """
        query, key, value = self.project(hidden_states, key_value_states)
        return self.attend(query, key, value, attention_mask, output_attentions)

    def project(
        self,
        hidden_states: Float[Tensor, "batch queries hidden"],
        key_value_states: Float[Tensor, "batch keys hidden"] | None = None,
    ) -> tuple[
        Float[Tensor, "batch heads queries head"],
        Float[Tensor, "batch kv_heads _ head"],  # keys, or again queries in self-attention
        Float[Tensor, "batch kv_heads _ head"],
    ]:
        """Compute queries, keys and values of all heads, each ``[batch, heads, tokens, head]``."""
        if key_value_states is not None:
            return self.project_query(hidden_states), *self.project_key_value(key_value_states)
        packed = self.query_key_value(hidden_states)  # [batch, tokens, 3 * hidden]
        query, key, value = packed.split(self.sizes, dim=-1)
        return self.split_heads(query), self.split_heads(key), self.split_heads(value)

    def project_query(
        self, hidden_states: Float[Tensor, "batch tokens hidden"]
    ) -> Float[Tensor, "batch heads tokens head"]:
        """Compute queries alone, with the first rows of the matrix."""
        return self.split_heads(self._project_rows(hidden_states, slice(None, self.sizes[0])))

    def project_key_value(
        self, hidden_states: Float[Tensor, "batch tokens hidden"]
    ) -> tuple[Float[Tensor, "batch heads tokens head"], Float[Tensor, "batch heads tokens head"]]:
        """Compute keys and values alone, with the other rows."""
        packed = self._project_rows(hidden_states, slice(self.sizes[0], None))
        key, value = packed.chunk(2, dim=-1)
        return self.split_heads(key), self.split_heads(value)

    def _project_rows(self, hidden_states: Tensor, rows: slice) -> Tensor:
        weight, bias = self.query_key_value.weight, self.query_key_value.bias
        return F.linear(hidden_states, weight[rows], None if bias is None else bias[rows])

    def split_heads(
        self, packed: Float[Tensor, "batch tokens all"]
    ) -> Float[Tensor, "batch heads tokens head"]:
        """Cut each vector into heads, and move the heads before the tokens."""
        # [batch, tokens, heads, head_size]: a head's numbers lie next to each other
        by_token = packed.unflatten(-1, (-1, self.head_size))
        return by_token.transpose(1, 2)  # [batch, heads, tokens, head_size]

    def attend(
        self,
        query: Float[Tensor, "batch heads queries head"],
        key: Float[Tensor, "batch kv_heads keys head"],
        value: Float[Tensor, "batch kv_heads keys head"],
        attention_mask: AttentionMask | None = None,
        output_attentions: bool = False,
    ) -> tuple[
        Float[Tensor, "batch queries hidden"], Float[Tensor, "batch heads queries keys"] | None
    ]:
        """Mix the values of each head, join the heads, and project the result."""
        key, value = (repeat_heads(states, query.size(1)) for states in (key, value))
        mask, weights = None, None
        if attention_mask is not None:
            mask = expand_mask(attention_mask, (*query.shape[:3], key.size(2)))
            if mask.is_floating_point():
                mask = mask.to(query.dtype)

        if self.attn_implementation == "sdpa" and not output_attentions:
            dropout = self.dropout.p if self.training else 0.0
            context = F.scaled_dot_product_attention(query, key, value, mask, dropout)
        else:
            weights = attention_weights(query, key, mask)  # [batch, heads, query, key]
            context = self.dropout(weights) @ value  # [batch, heads, query, head_size]
        context = context.transpose(1, 2).flatten(2)  # [batch, query, hidden]
        return self.output(context), weights if output_attentions else None


def repeat_heads(
    states: Float[Tensor, "batch kv_heads tokens head"], num_attention_heads: int
) -> Float[Tensor, "batch heads tokens head"]:
    """Give every query head the keys or values that it shares with its neighbours.

    With 2 heads for 6 queries the result has the heads 0, 0, 0, 1, 1, 1. Without sharing, these are
    the same states.
    """
    groups = num_attention_heads // states.size(1)
    return states if groups == 1 else states.repeat_interleave(groups, dim=1)
