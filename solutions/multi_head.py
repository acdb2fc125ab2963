"""Multi-head attention (Vaswani et al. 2017, section 3.2.2).

Several heads look at the same tokens, each through its own query, key and value projections; what
they bring back is concatenated and mixed by one more projection. Three forms of the same thing
stand here: one head, heads in a list (easy to read), and all heads in one matrix product (what
everybody runs). Below them, functions that carry weights from any layout to any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from solutions.config import TransformerConfig
from solutions.simple_attention import Mask, attention_weights

# [batch, key], [query, key], [batch, query, key] or [batch, heads, query, key]; see expand_mask.
AttentionMask = Bool[Tensor, "..."] | Float[Tensor, "..."]
State = Mapping[str, Tensor]


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
        mask: Mask | None = None,
    ) -> tuple[Float[Tensor, "batch queries head"], Float[Tensor, "batch queries keys"]]:
        """Let every token of ``hidden_states`` look at every token of ``key_value_states``.

        Args:
            hidden_states: ``[batch, query, hidden]``.
            key_value_states: ``[batch, key, hidden]``, the tokens that are looked at; the same
                tokens if left out (self-attention).
            mask: broadcasts to ``[batch, query, key]``, as in
                :func:`solutions.simple_attention.attention_weights`.

        Returns:
            The mixed values ``[batch, query, head_size]`` and the weights ``[batch, query, key]``.
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

    def __init__(self, config: TransformerConfig | Any) -> None:
        super().__init__()
        config = TransformerConfig.of(config)
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
        masks = [None] * len(self.heads)
        if attention_mask is not None:
            mask = expand_mask(attention_mask, (batch, len(self.heads), queries, keys))
            masks = mask.expand(-1, len(self.heads), -1, -1).unbind(1)  # one a head

        results = [
            head(hidden_states, key_value_states, mask)
            for head, mask in zip(self.heads, masks, strict=True)
        ]
        context = torch.cat([mixed for mixed, _ in results], dim=-1)  # [batch, query, hidden]
        weights = torch.stack([weights for _, weights in results], dim=1)
        return self.output(context), weights if output_attentions else None


class MultiHeadAttention(nn.Module):
    """Multi-head attention with the projections of all heads in one matrix product.

    Layout of ``query_key_value.weight``, ``[3 * hidden, hidden]``: first all query rows, then all
    key rows, then all value rows; within each third, head 0 first, each head ``head_size`` rows
    that follow each other. It is the layout of ``nn.MultiheadAttention.in_proj_weight``.

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
        fused: let PyTorch's ``scaled_dot_product_attention`` do the attention, without a score
            matrix in memory. It cannot tell its weights, so a call with ``output_attentions=True``
            takes the plain path; both give the same numbers.
    """

    def __init__(self, config: TransformerConfig | Any, fused: bool = False) -> None:
        super().__init__()
        config = TransformerConfig.of(config)
        self.num_attention_heads = config.num_attention_heads
        self.head_size = config.head_size
        self.fused = fused
        self.query_key_value = nn.Linear(config.hidden_size, 3 * config.hidden_size)
        self.output = nn.Linear(config.hidden_size, config.hidden_size)
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
                ``[batch, heads, query, key]``; see :func:`expand_mask`.
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
        Float[Tensor, "batch heads _ head"],  # keys, or again queries in self-attention
        Float[Tensor, "batch heads _ head"],
    ]:
        """Compute queries, keys and values of all heads, each ``[batch, heads, tokens, head]``."""
        if key_value_states is not None:
            return self.project_query(hidden_states), *self.project_key_value(key_value_states)
        packed = self.query_key_value(hidden_states)  # [batch, tokens, 3 * hidden]
        query, key, value = packed.chunk(3, dim=-1)
        return self.split_heads(query), self.split_heads(key), self.split_heads(value)

    def project_query(
        self, hidden_states: Float[Tensor, "batch tokens hidden"]
    ) -> Float[Tensor, "batch heads tokens head"]:
        """Compute queries alone, with the first third of the rows."""
        rows = slice(None, hidden_states.size(-1))
        weight, bias = self.query_key_value.weight[rows], self.query_key_value.bias[rows]
        return self.split_heads(F.linear(hidden_states, weight, bias))

    def project_key_value(
        self, hidden_states: Float[Tensor, "batch tokens hidden"]
    ) -> tuple[Float[Tensor, "batch heads tokens head"], Float[Tensor, "batch heads tokens head"]]:
        """Compute keys and values alone, with the other two thirds of the rows."""
        rows = slice(hidden_states.size(-1), None)
        weight, bias = self.query_key_value.weight[rows], self.query_key_value.bias[rows]
        key, value = F.linear(hidden_states, weight, bias).chunk(2, dim=-1)
        return self.split_heads(key), self.split_heads(value)

    def split_heads(
        self, packed: Float[Tensor, "batch tokens hidden"]
    ) -> Float[Tensor, "batch heads tokens head"]:
        """Cut each vector into heads, and move the heads before the tokens."""
        # [batch, tokens, heads, head_size]: a head's numbers lie next to each other
        by_token = packed.unflatten(-1, (self.num_attention_heads, self.head_size))
        return by_token.transpose(1, 2)  # [batch, heads, tokens, head_size]

    def attend(
        self,
        query: Float[Tensor, "batch heads queries head"],
        key: Float[Tensor, "batch heads keys head"],
        value: Float[Tensor, "batch heads keys head"],
        attention_mask: AttentionMask | None = None,
        output_attentions: bool = False,
    ) -> tuple[
        Float[Tensor, "batch queries hidden"], Float[Tensor, "batch heads queries keys"] | None
    ]:
        """Mix the values of each head, join the heads, and project the result."""
        mask, weights = None, None
        if attention_mask is not None:
            mask = expand_mask(attention_mask, (*query.shape[:3], key.size(2)))
            if mask.is_floating_point():
                mask = mask.to(query.dtype)

        if self.fused and not output_attentions:
            dropout = self.dropout.p if self.training else 0.0
            context = F.scaled_dot_product_attention(query, key, value, mask, dropout)
        else:
            weights = attention_weights(query, key, mask)  # [batch, heads, query, key]
            context = self.dropout(weights) @ value  # [batch, heads, query, head_size]
        context = context.transpose(1, 2).flatten(2)  # [batch, query, hidden]
        return self.output(context), weights if output_attentions else None


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


# Weights from one layout to another. Each function takes the state of one attention module and
# returns the state for the other, ready for load_state_dict; names that do not belong to attention
# are left out. A layout that is transposed or has its heads in another order would train as well
# and load wrong, so each is written down.


def list_to_packed(state: State) -> dict[str, Tensor]:
    """Convert the state of ``MultiHeadAttentionList`` to that of ``MultiHeadAttention``.

    The list keeps ``heads.0.query.weight`` ``[head_size, hidden]`` and so on; the packed matrix
    has all query rows (head 0 first), then all key rows, then all value rows.
    """
    heads = range(sum(name.endswith("query.weight") for name in state))
    packed = {
        kind: torch.cat(
            [state[f"heads.{h}.{part}.{kind}"] for part in ("query", "key", "value") for h in heads]
        )
        for kind in ("weight", "bias")
    }
    return _packed_state(packed["weight"], packed["bias"], state, "output")


def packed_to_list(state: State, num_attention_heads: int) -> dict[str, Tensor]:
    """Convert the state of ``MultiHeadAttention`` to that of ``MultiHeadAttentionList``."""
    result = {f"output.{kind}": state[f"output.{kind}"] for kind in ("weight", "bias")}
    for kind in ("weight", "bias"):
        for part, rows in _thirds(state, kind).items():
            for h, rows_of_head in enumerate(rows.chunk(num_attention_heads)):
                result[f"heads.{h}.{part}.{kind}"] = rows_of_head
    return result


def torch_to_packed(state: State) -> dict[str, Tensor]:
    """Convert the state of ``nn.MultiheadAttention`` (with equal sizes and biases).

    ``in_proj_weight`` ``[3 * hidden, hidden]`` has our layout already: query, key, value rows.
    """
    return _packed_state(state["in_proj_weight"], state["in_proj_bias"], state, "out_proj")


def packed_to_torch(state: State) -> dict[str, Tensor]:
    """Convert our state to that of ``nn.MultiheadAttention``."""
    return {
        "in_proj_weight": state["query_key_value.weight"],
        "in_proj_bias": state["query_key_value.bias"],
        "out_proj.weight": state["output.weight"],
        "out_proj.bias": state["output.bias"],
    }


def bert_to_packed(state: State) -> dict[str, Tensor]:
    """Convert the state of Hugging Face's ``BertAttention``.

    ``self.query.weight`` is ``[hidden, hidden]``, head 0 in the first ``head_size`` rows; key and
    value likewise. ``output.LayerNorm`` belongs to the layer, not to attention: it is left out.
    """
    weight, bias = (
        torch.cat([state[f"self.{part}.{kind}"] for part in ("query", "key", "value")])
        for kind in ("weight", "bias")
    )
    return _packed_state(weight, bias, state, "output.dense")


def packed_to_bert(state: State) -> dict[str, Tensor]:
    """Convert our state to that of ``BertAttention``, without its ``output.LayerNorm``."""
    result = {f"output.dense.{kind}": state[f"output.{kind}"] for kind in ("weight", "bias")}
    for kind in ("weight", "bias"):
        for part, rows in _thirds(state, kind).items():
            result[f"self.{part}.{kind}"] = rows
    return result


def gpt2_to_packed(state: State) -> dict[str, Tensor]:
    """Convert the state of Hugging Face's ``GPT2Attention``.

    Its ``Conv1D`` computes ``x @ weight``, so its matrices are ours transposed: ``c_attn.weight``
    is ``[hidden, 3 * hidden]``, with query, key and value side by side in the columns.
    """
    return {
        "query_key_value.weight": state["c_attn.weight"].T.contiguous(),
        "query_key_value.bias": state["c_attn.bias"],
        "output.weight": state["c_proj.weight"].T.contiguous(),
        "output.bias": state["c_proj.bias"],
    }


def packed_to_gpt2(state: State) -> dict[str, Tensor]:
    """Convert our state to that of ``GPT2Attention``."""
    return {
        "c_attn.weight": state["query_key_value.weight"].T.contiguous(),
        "c_attn.bias": state["query_key_value.bias"],
        "c_proj.weight": state["output.weight"].T.contiguous(),
        "c_proj.bias": state["output.bias"],
    }


def _packed_state(weight: Tensor, bias: Tensor, state: State, output: str) -> dict[str, Tensor]:
    return {
        "query_key_value.weight": weight,
        "query_key_value.bias": bias,
        "output.weight": state[f"{output}.weight"],
        "output.bias": state[f"{output}.bias"],
    }


def _thirds(state: State, kind: str) -> dict[str, Tensor]:
    rows = state[f"query_key_value.{kind}"].chunk(3)
    return dict(zip(("query", "key", "value"), rows, strict=True))
