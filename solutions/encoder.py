"""The Transformer encoder: embeddings, then layers of attention and feed-forward (BERT's shape).

What goes in are token ids; what comes out is one vector a token that knows its sentence. With a
BERT checkpoint's weights it computes what Hugging Face's ``BertModel`` computes, to five digits.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import torch
import transformers
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from solutions.checkpoint import Checkpoint, load_checkpoint
from solutions.config import TransformerConfig
from solutions.feed_forward import FeedForward
from solutions.multi_head import (
    AttentionMask,
    MultiHeadAttention,
    bert_to_packed,
    expand_mask,
    packed_to_torch,
    torch_to_packed,
)
from solutions.normalization import LayerNorm
from solutions.positions import LearnedPositions, SinusoidalPositions

State = Mapping[str, Tensor]
Positions = Literal["learned", "sinusoidal", "none"]
# Which tokens are real: [batch, key], keys in a cache included.
TokenMask = Bool[Tensor, "batch _"] | Int[Tensor, "batch _"]


class EncoderOutput(NamedTuple):
    """What an encoder gives back, under Hugging Face's names.

    Attributes:
        last_hidden_state: ``[batch, tokens, hidden]``.
        hidden_states: the embeddings and the result of each layer, each ``[batch, tokens, hidden]``
            (one more than there are layers); None unless asked for.
        attentions: the weights of each layer, each ``[batch, heads, query, key]``; None unless
            asked for.
    """

    last_hidden_state: Tensor
    hidden_states: tuple[Tensor, ...] | None = None
    attentions: tuple[Tensor, ...] | None = None


class TokenEmbeddings(nn.Embedding):
    """A vector for each token id, ``[vocab_size, hidden]``, and a clear word on an unknown id."""

    def forward(self, input_ids: Int[Tensor, "*shape"]) -> Float[Tensor, "*shape hidden"]:
        """Look up ``[..., hidden]`` for each id of ``[...]``.

        Raises:
            ValueError: if an id lies outside the vocabulary.
        """
        try:
            return super().forward(input_ids)
        except IndexError as error:
            raise ValueError(
                f"Found token ids from {input_ids.min().item()} to {input_ids.max().item()}, but "
                f"the vocabulary has {self.num_embeddings} ids from 0 on: use the tokenizer that "
                "belongs to this model."
            ) from error


class Embeddings(nn.Module):
    """Token + position + segment, normalised (Devlin et al. 2019, section 3, figure 2).

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
        positions: ``"learned"`` (BERT), ``"sinusoidal"`` (the original), or ``"none"``, which makes
            an encoder that cannot tell one order of the tokens from another.
        fused: normalise with PyTorch's own layer.
    """

    def __init__(
        self,
        config: TransformerConfig | Any,
        positions: Positions = "learned",
        fused: bool = False,
    ) -> None:
        super().__init__()
        config = TransformerConfig.of(config)
        if positions not in ("learned", "sinusoidal", "none"):
            raise ValueError(f"No positions {positions!r}; expected learned, sinusoidal or none.")
        self.word_embeddings = TokenEmbeddings(
            config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id
        )
        self.position_embeddings = None
        if positions == "learned":
            self.position_embeddings = LearnedPositions(config)
        elif positions == "sinusoidal":
            self.position_embeddings = SinusoidalPositions(config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.norm = make_norm(config, fused)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        token_type_ids: Int[Tensor, "batch tokens"] | None = None,
        position_ids: Int[Tensor, "#batch tokens"] | None = None,
    ) -> Float[Tensor, "batch tokens hidden"]:
        """Turn ids ``[batch, tokens]`` into vectors ``[batch, tokens, hidden]``.

        Args:
            input_ids: token ids.
            token_type_ids: the segment of each token, 0 for sentence A and 1 for B; all 0 if left
                out.
            position_ids: the position of each token; 0, 1, 2, ... if left out, as BERT counts.

        Raises:
            ValueError: if an id or a position lies outside its table.
        """
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            position_ids = torch.arange(input_ids.size(1), device=input_ids.device)[None]
        embedded = self.word_embeddings(input_ids)  # [batch, tokens, hidden]
        embedded = embedded + self.token_type_embeddings(token_type_ids)
        if self.position_embeddings is not None:
            embedded = embedded + self.position_embeddings(position_ids).to(embedded.dtype)
        return self.dropout(self.norm(embedded))


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward layer, each with a residual sum and a normalisation.

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
        pre_norm: normalise before each sublayer (GPT-2) instead of after each sum (the original,
            BERT). The same parameters, elsewhere applied.
        fused: attend and normalise with PyTorch's own fused functions; the same numbers, faster.
    """

    def __init__(
        self, config: TransformerConfig | Any, pre_norm: bool = False, fused: bool = False
    ) -> None:
        super().__init__()
        config = TransformerConfig.of(config)
        self.pre_norm = pre_norm
        self.attention = MultiHeadAttention(config, fused)
        self.attention_norm = make_norm(config, fused)
        self.feed_forward = FeedForward(config)  # ends with its own dropout
        self.feed_forward_norm = make_norm(config, fused)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch tokens hidden"],
        attention_mask: AttentionMask | None = None,
        output_attentions: bool = False,
    ) -> tuple[
        Float[Tensor, "batch tokens hidden"], Float[Tensor, "batch heads tokens tokens"] | None
    ]:
        """Map ``[batch, tokens, hidden]`` to the same shape.

        Args:
            hidden_states: ``[batch, tokens, hidden]``.
            attention_mask: as :class:`MultiHeadAttention` takes it.
            output_attentions: return the weights too.

        Returns:
            The new hidden states, and the attention weights ``[batch, heads, query, key]`` or None.
        """
        x = hidden_states
        if self.pre_norm:
            normed = self.attention_norm(x)
            attended, weights = self.attention(normed, None, attention_mask, output_attentions)
            x = x + self.dropout(attended)
            x = x + self.feed_forward(self.feed_forward_norm(x))
        else:
            attended, weights = self.attention(x, None, attention_mask, output_attentions)
            x = self.attention_norm(x + self.dropout(attended))
            x = self.feed_forward_norm(x + self.feed_forward(x))
        return x, weights


class Encoder(nn.Module):
    """Embeddings and a stack of layers: BERT without its heads.

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
        pre_norm: see :class:`EncoderLayer`; a pre-norm stack ends with one more normalisation.
        positions: see :class:`Embeddings`.
        fused: see :class:`EncoderLayer`.
    """

    def __init__(
        self,
        config: TransformerConfig | Any,
        pre_norm: bool = False,
        positions: Positions = "learned",
        fused: bool = False,
    ) -> None:
        super().__init__()
        self.config = config = TransformerConfig.of(config)
        self.embeddings = Embeddings(config, positions, fused)
        self.layers = nn.ModuleList(
            EncoderLayer(config, pre_norm, fused) for _ in range(config.num_hidden_layers)
        )
        self.final_norm = make_norm(config, fused) if pre_norm else nn.Identity()
        self.apply(initialize)

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        attention_mask: AttentionMask | TokenMask | None = None,
        token_type_ids: Int[Tensor, "batch tokens"] | None = None,
        position_ids: Int[Tensor, "#batch tokens"] | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
    ) -> EncoderOutput:
        """Encode token ids. ``encoder(**tokenizer(texts, padding=True, return_tensors="pt"))``.

        Args:
            input_ids: ``[batch, tokens]``.
            attention_mask: ``[batch, tokens]`` as tokenizers make it, 1 or True for real tokens; or
                ``[batch, query, key]`` or ``[batch, heads, query, key]``, boolean or additive.
            token_type_ids: ``[batch, tokens]``, the segment of each token.
            position_ids: ``[batch, tokens]``; BERT counts from the left, padding included. Pass
                :func:`solutions.positions.position_ids_of` the mask where padding is on the left.
            output_attentions: return the attention weights of every layer.
            output_hidden_states: return the hidden states before and after every layer.

        Raises:
            ValueError: if an id, a position or the mask does not fit; the sentence says which.
        """
        batch, tokens = input_ids.shape
        shape = (batch, self.config.num_attention_heads, tokens, tokens)
        mask = prepare_mask(attention_mask, shape)
        x = self.embeddings(input_ids, token_type_ids, position_ids)  # [batch, tokens, hidden]
        states, attentions = [x], []
        for layer in self.layers:
            x, weights = layer(x, mask, output_attentions)
            states.append(x)
            attentions.append(weights)
        states[-1] = x = self.final_norm(x)
        return EncoderOutput(
            x,
            tuple(states) if output_hidden_states else None,
            tuple(attentions) if output_attentions else None,
        )

    @classmethod
    def from_pretrained(
        cls,
        checkpoint: Checkpoint | transformers.BertModel | str | os.PathLike | None = None,
        fused: bool = False,
    ) -> Encoder:
        """Make an encoder with the weights of a BERT checkpoint, in evaluation mode.

        Args:
            checkpoint: what ``load_checkpoint`` takes or gives, or a ``BertModel`` itself; the
                bundled MiniLM if left out.
            fused: see :class:`EncoderLayer`.

        Raises:
            ValueError: if the checkpoint is no BERT.
        """
        if checkpoint is None or isinstance(checkpoint, str | os.PathLike):
            checkpoint = load_checkpoint(checkpoint)
        model = checkpoint.load_model() if isinstance(checkpoint, Checkpoint) else checkpoint
        if not isinstance(model, transformers.BertModel):
            raise ValueError(
                f"Found a {type(model).__name__}; this encoder is built like a BertModel and can "
                "take the weights of one only."
            )
        encoder = cls(model.config, fused=fused)
        encoder.load_state_dict(bert_to_encoder(model.state_dict()))
        return encoder.eval()


def token_mask(
    attention_mask: AttentionMask | TokenMask | None, shape: tuple[int, int]
) -> AttentionMask | None:
    """Turn a tokenizer's mask ``[batch, key]`` of 0 and 1 into a boolean ``[batch, 1, 1, key]``.

    Masks with three or four dimensions pass unchanged.

    Raises:
        ValueError: if a mask of two dimensions does not have the ``shape`` ``(batch, keys)``.
        TypeError: if it holds floating point numbers, which say "add me" elsewhere.
    """
    if attention_mask is None or attention_mask.dim() != 2:
        return attention_mask
    if attention_mask.shape != shape:
        raise ValueError(
            f"Found an attention_mask of shape {tuple(attention_mask.shape)}; expected one number "
            f"for each of {shape[1]} tokens in {shape[0]} sequences, {shape}."
        )
    if attention_mask.is_floating_point():
        raise TypeError(
            f"Found an attention_mask [batch, tokens] of dtype {attention_mask.dtype}; expected "
            "booleans or the integers 1 (a real token) and 0 (padding). Pass mask.bool() if its "
            "ones mean real, or mask[:, None, None, :] if it is to be added to the scores."
        )
    return attention_mask.bool()[:, None, None, :]


def prepare_mask(
    attention_mask: AttentionMask | TokenMask | None, shape: tuple[int, int, int, int]
) -> AttentionMask | None:
    """Turn any mask that a model takes into one that fits ``(batch, heads, queries, keys)``.

    Two dimensions are a tokenizer's ``[batch, key]``; see :func:`token_mask`.

    Raises:
        ValueError: if the mask does not fit.
        TypeError: if its numbers could mean two things.
    """
    batch, _, _, keys = shape
    mask = token_mask(attention_mask, (batch, keys))
    return expand_mask(mask, shape) if mask is not None else None


def make_norm(config: TransformerConfig, fused: bool) -> nn.Module:
    """Our layer normalisation, or PyTorch's, which holds the same weights and is faster."""
    return (nn.LayerNorm if fused else LayerNorm)(config.hidden_size, eps=config.layer_norm_eps)


def initialize(module: nn.Module) -> None:
    """Draw linear and embedding weights as BERT does; for ``model.apply(initialize)``.

    Normal with standard deviation 0.02, biases and the padding vector zero. PyTorch's own
    embeddings would start 50 times larger.
    """
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)
    if isinstance(module, nn.Embedding) and module.padding_idx is not None:
        nn.init.zeros_(module.weight[module.padding_idx])


# Weights from one layout to another, as in multi_head: state in, state out.

BERT_LAYER_NAMES = {
    "attention.output.LayerNorm": "attention_norm",
    "intermediate.dense": "feed_forward.intermediate",
    "output.dense": "feed_forward.output",
    "output.LayerNorm": "feed_forward_norm",
}
TORCH_LAYER_NAMES = {
    "norm1": "attention_norm",
    "linear1": "feed_forward.intermediate",
    "linear2": "feed_forward.output",
    "norm2": "feed_forward_norm",
}


def bert_to_encoder(state: State) -> dict[str, Tensor]:
    """Convert the state of a ``BertModel`` to that of :class:`Encoder`; its pooler is left out."""
    result = {}
    for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
        result[f"embeddings.{name}.weight"] = state[f"embeddings.{name}.weight"]
    result |= renamed(part_of(state, "embeddings."), {"LayerNorm": "norm"}, "embeddings.")
    layers = {name.split(".")[2] for name in state if name.startswith("encoder.layer.")}
    for i in layers:
        layer = part_of(state, f"encoder.layer.{i}.")
        attention = bert_to_packed(part_of(layer, "attention."))
        result |= {f"layers.{i}.attention.{name}": t for name, t in attention.items()}
        result |= renamed(layer, BERT_LAYER_NAMES, f"layers.{i}.")
    return result


def torch_to_encoder_layer(state: State) -> dict[str, Tensor]:
    """Convert the state of ``nn.TransformerEncoderLayer`` to that of :class:`EncoderLayer`."""
    attention = torch_to_packed(part_of(state, "self_attn."))
    result = {f"attention.{name}": tensor for name, tensor in attention.items()}
    return result | renamed(state, TORCH_LAYER_NAMES)


def encoder_layer_to_torch(state: State) -> dict[str, Tensor]:
    """Convert the state of :class:`EncoderLayer` to that of ``nn.TransformerEncoderLayer``."""
    attention = packed_to_torch(part_of(state, "attention."))
    result = {f"self_attn.{name}": tensor for name, tensor in attention.items()}
    return result | renamed(state, {ours: theirs for theirs, ours in TORCH_LAYER_NAMES.items()})


def part_of(state: State, prefix: str) -> dict[str, Tensor]:
    """The entries whose names begin with ``prefix``, without it."""
    return {name.removeprefix(prefix): t for name, t in state.items() if name.startswith(prefix)}


def renamed(state: State, names: Mapping[str, str], prefix: str = "") -> dict[str, Tensor]:
    """Weight and bias of each module in ``names`` under its new name; other entries are dropped."""
    return {
        f"{prefix}{new}.{kind}": state[f"{old}.{kind}"]
        for old, new in names.items()
        for kind in ("weight", "bias")
    }
