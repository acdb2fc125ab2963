"""The Transformer decoder: layers that look back only, so that they can write text.

Three models stand on them: a decoder alone (GPT-2's shape), the same with a language model's head,
and the full encoder-decoder of the original paper. A cache keeps the keys and values of what was
read, so that the next token costs one token's work. How tokens are chosen is in ``generation``.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import torch
import transformers
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from solutions.config import TransformerConfig
from solutions.encoder import (
    EncoderLayer,
    Positions,
    State,
    TokenEmbeddings,
    TokenMask,
    initialize,
    make_norm,
    part_of,
    prepare_mask,
    renamed,
)
from solutions.feed_forward import FeedForward
from solutions.multi_head import (
    AttentionMask,
    MultiHeadAttention,
    gpt2_to_packed,
    packed_to_torch,
    torch_to_packed,
)
from solutions.positions import LearnedPositions, SinusoidalPositions


def causal_mask(
    queries: int, keys: int | None = None, device: torch.device | None = None
) -> Bool[Tensor, "queries keys"]:
    """Say which keys are not in a query's future: True on and below a diagonal, ``[query, key]``.

    Args:
        queries: number of queries, the *last* tokens of the sequence.
        keys: number of tokens so far, those in a cache included; as many as queries if left out.
        device: where the mask shall lie.

    Returns:
        For 2 queries after 3 cached tokens ``[[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]``: the diagonal
        ends in the lower right corner, not in the upper left.
    """
    keys = queries if keys is None else keys
    return torch.ones(queries, keys, dtype=torch.bool, device=device).tril(keys - queries)


def with_causality(
    mask: AttentionMask | None, queries: int, keys: int, device: torch.device
) -> AttentionMask | None:
    """Hide the future in addition to what ``mask`` hides (three or four dimensions, or None)."""
    if mask is None and queries == 1:
        return None  # the last token may look everywhere
    causal = causal_mask(queries, keys, device)
    if mask is None:
        return causal[None]  # [1, query, key]
    if mask.dtype == torch.bool:
        return mask & causal
    return mask.masked_fill(~causal, -math.inf)


class LayerCache:
    """Keys and values of one attention layer, each ``[batch, heads, tokens, head_size]``."""

    def __init__(self) -> None:
        self.key: Tensor | None = None
        self.value: Tensor | None = None

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Add the keys and values of new tokens, and give back all of them."""
        if self.key is not None:
            key = torch.cat([self.key, key], dim=2)  # along the tokens
            value = torch.cat([self.value, value], dim=2)
        self.key, self.value = key, value
        return key, value


class KeyValueCache:
    """What all layers of a decoder remember of the tokens that they have read.

    A token's keys and values never change once it is read, because it cannot see what follows.
    Keeping them makes the cost of a new token grow with the length, not with its square. The keys
    and values that cross-attention takes from the encoder are kept too.
    """

    def __init__(self) -> None:
        self.self_attention: defaultdict[int, LayerCache] = defaultdict(LayerCache)
        self.cross_attention: defaultdict[int, LayerCache] = defaultdict(LayerCache)

    @property
    def length(self) -> int:
        """Number of tokens that were read."""
        return self.self_attention[0].key.size(2) if self.self_attention else 0

    @contextmanager
    def kept_on_error(self) -> Iterator[None]:
        """Put everything back as it was if what stands in the ``with`` block raises."""
        layers = [*self.self_attention.values(), *self.cross_attention.values()]
        before = [(layer, layer.key, layer.value) for layer in layers]
        known = set(self.self_attention), set(self.cross_attention)
        try:
            yield
        except BaseException:
            for layer, layer.key, layer.value in before:
                pass
            for caches, indices in zip(
                (self.self_attention, self.cross_attention), known, strict=True
            ):
                for i in set(caches) - indices:
                    del caches[i]
            raise

    def reorder(self, rows: Int[Tensor, " rows"]) -> None:
        """Keep these rows of the batch, in this order, as beam search drops and doubles beams."""
        for layer in (*self.self_attention.values(), *self.cross_attention.values()):
            if layer.key is not None:
                layer.key, layer.value = layer.key[rows], layer.value[rows]


class CachedAttention(MultiHeadAttention):
    """Multi-head attention that can remember its keys and values from call to call."""

    def forward(
        self,
        hidden_states: Float[Tensor, "batch queries hidden"],
        key_value_states: Float[Tensor, "batch keys hidden"] | None = None,
        attention_mask: AttentionMask | None = None,
        output_attentions: bool = False,
        cache: LayerCache | None = None,
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
            cache: what this layer remembers; it is extended.
        """
        if cache is None:
            query, key, value = self.project(hidden_states, key_value_states)
        elif key_value_states is None:
            query, key, value = self.project(hidden_states)
            key, value = cache.append(key, value)  # [batch, heads, cached + new, head_size]
        else:
            if cache.key is None:
                cache.append(*self.project_key_value(key_value_states))
            query, key, value = self.project_query(hidden_states), cache.key, cache.value
        return self.attend(query, key, value, attention_mask, output_attentions)


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention where there is an encoder, and feed-forward.

    Vaswani et al. 2017, section 3.1. Cross-attention takes its queries from the text that is being
    written and its keys and values from the encoder's last layer.

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
        pre_norm: normalise before each sublayer (GPT-2) instead of after each sum (the original).
        cross_attention: make a layer that looks at an encoder.
        fused: attend and normalise with PyTorch's own fused functions.
    """

    def __init__(
        self,
        config: TransformerConfig | Any,
        pre_norm: bool = True,
        cross_attention: bool = False,
        fused: bool = False,
    ) -> None:
        super().__init__()
        config = TransformerConfig.of(config)
        self.pre_norm = pre_norm
        self.attention = CachedAttention(config, fused)
        self.attention_norm = make_norm(config, fused)
        self.cross_attention = CachedAttention(config, fused) if cross_attention else None
        self.cross_attention_norm = make_norm(config, fused) if cross_attention else None
        self.feed_forward = FeedForward(config)  # ends with its own dropout
        self.feed_forward_norm = make_norm(config, fused)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch tokens hidden"],
        attention_mask: AttentionMask | None = None,
        encoder_hidden_states: Float[Tensor, "batch source hidden"] | None = None,
        encoder_attention_mask: AttentionMask | None = None,
        output_attentions: bool = False,
        cache: tuple[LayerCache, LayerCache] | tuple[None, None] = (None, None),
    ) -> tuple[
        Float[Tensor, "batch tokens hidden"],
        Float[Tensor, "batch heads tokens all"] | None,
        Float[Tensor, "batch heads tokens source"] | None,
    ]:
        """Map ``[batch, tokens, hidden]`` to the same shape.

        Args:
            hidden_states: ``[batch, tokens, hidden]``, the new tokens.
            attention_mask: for self-attention; causality has to be in it.
            encoder_hidden_states: ``[batch, source, hidden]``, where the layer has cross-attention.
            encoder_attention_mask: which of them are real.
            output_attentions: return the weights too.
            cache: what self-attention and cross-attention remember.

        Returns:
            The new hidden states, the weights of self-attention ``[batch, heads, query, key]`` and
            those of cross-attention ``[batch, heads, query, source]``, None if not asked for.

        Raises:
            ValueError: if there is an encoder's result and no cross-attention, or the reverse.
        """
        if (encoder_hidden_states is None) != (self.cross_attention is None):
            raise ValueError(
                "Cross-attention needs both: a layer made with cross_attention=True, and "
                "encoder_hidden_states to look at. Found only one of them."
            )
        x, cross_weights = hidden_states, None
        back = (None, attention_mask, output_attentions, cache[0])
        across = (encoder_hidden_states, encoder_attention_mask, output_attentions, cache[1])

        if self.pre_norm:
            attended, weights = self.attention(self.attention_norm(x), *back)
            x = x + self.dropout(attended)
            if self.cross_attention is not None:
                normed = self.cross_attention_norm(x)
                attended, cross_weights = self.cross_attention(normed, *across)
                x = x + self.dropout(attended)
            x = x + self.feed_forward(self.feed_forward_norm(x))
        else:
            attended, weights = self.attention(x, *back)
            x = self.attention_norm(x + self.dropout(attended))
            if self.cross_attention is not None:
                attended, cross_weights = self.cross_attention(x, *across)
                x = self.cross_attention_norm(x + self.dropout(attended))
            x = self.feed_forward_norm(x + self.feed_forward(x))
        return x, weights, cross_weights


class DecoderOutput(NamedTuple):
    """What a decoder gives back, under Hugging Face's names.

    Attributes:
        last_hidden_state: ``[batch, tokens, hidden]``.
        attentions: self-attention weights of each layer, ``[batch, heads, query, key]``, or None.
        cross_attentions: the same of cross-attention, ``[batch, heads, query, source]``, or None.
    """

    last_hidden_state: Tensor
    attentions: tuple[Tensor, ...] | None = None
    cross_attentions: tuple[Tensor, ...] | None = None


class LanguageModelOutput(NamedTuple):
    """What a model with a language model's head gives back.

    Attributes:
        logits: ``[batch, tokens, vocab_size]``; those at token t are for token t + 1.
        attentions: see :class:`DecoderOutput`.
        cross_attentions: see :class:`DecoderOutput`.
    """

    logits: Tensor
    attentions: tuple[Tensor, ...] | None = None
    cross_attentions: tuple[Tensor, ...] | None = None


class DecoderStack(nn.Module):
    """Decoder layers one on the other, from vectors to vectors; it adds causality to the mask.

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
        pre_norm: see :class:`DecoderLayer`.
        cross_attention: see :class:`DecoderLayer`.
        final_norm: normalise the result, which a pre-norm stack needs.
        fused: see :class:`DecoderLayer`.
    """

    def __init__(
        self,
        config: TransformerConfig | Any,
        pre_norm: bool = True,
        cross_attention: bool = False,
        final_norm: bool = True,
        fused: bool = False,
    ) -> None:
        super().__init__()
        config = TransformerConfig.of(config)
        self.num_attention_heads = config.num_attention_heads
        self.layers = nn.ModuleList(
            DecoderLayer(config, pre_norm, cross_attention, fused)
            for _ in range(config.num_hidden_layers)
        )
        self.final_norm = make_norm(config, fused) if final_norm else nn.Identity()

    def forward(
        self,
        hidden_states: Float[Tensor, "batch tokens hidden"],
        attention_mask: AttentionMask | TokenMask | None = None,
        encoder_hidden_states: Float[Tensor, "batch source hidden"] | None = None,
        encoder_attention_mask: AttentionMask | TokenMask | None = None,
        cache: KeyValueCache | None = None,
        output_attentions: bool = False,
    ) -> DecoderOutput:
        """Map ``[batch, tokens, hidden]`` to the same shape; see :class:`Decoder`."""
        batch, queries = hidden_states.shape[:2]
        keys = queries + (cache.length if cache is not None else 0)
        shape = (batch, self.num_attention_heads, queries, keys)
        mask = prepare_mask(attention_mask, shape)
        mask = with_causality(mask, queries, keys, hidden_states.device)
        if encoder_hidden_states is not None:
            shape = (*shape[:3], encoder_hidden_states.size(1))
            encoder_attention_mask = prepare_mask(encoder_attention_mask, shape)
        with cache.kept_on_error() if cache is not None else nullcontext():
            return self._run(
                hidden_states,
                mask,
                encoder_hidden_states,
                encoder_attention_mask,
                cache,
                output_attentions,
            )

    def _run(
        self, x, mask, encoder_hidden_states, encoder_attention_mask, cache, output_attentions
    ) -> DecoderOutput:
        attentions, cross_attentions = [], []
        for i, layer in enumerate(self.layers):
            memory = (None, None)
            if cache is not None:
                memory = (cache.self_attention[i], cache.cross_attention[i])
            x, weights, cross_weights = layer(
                x, mask, encoder_hidden_states, encoder_attention_mask, output_attentions, memory
            )
            attentions.append(weights)
            cross_attentions.append(cross_weights)
        crossed = output_attentions and encoder_hidden_states is not None
        return DecoderOutput(
            self.final_norm(x),
            tuple(attentions) if output_attentions else None,
            tuple(cross_attentions) if crossed else None,
        )


class DecoderEmbeddings(nn.Module):
    """Token + position: GPT-2's if learned, the original's if sinusoidal and scaled.

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
        positions: ``"learned"``, ``"sinusoidal"`` or ``"none"``.
        scaled: multiply the token's vector by ``sqrt(hidden_size)`` (section 3.4).
    """

    def __init__(
        self,
        config: TransformerConfig | Any,
        positions: Positions = "learned",
        scaled: bool = False,
    ) -> None:
        super().__init__()
        config = TransformerConfig.of(config)
        if positions not in ("learned", "sinusoidal", "none"):
            raise ValueError(f"No positions {positions!r}; expected learned, sinusoidal or none.")
        self.scale = math.sqrt(config.hidden_size) if scaled else 1.0
        # No padding_idx: GPT-2 has no padding token, and every id has to be learned.
        self.word_embeddings = TokenEmbeddings(config.vocab_size, config.hidden_size)
        self.position_embeddings = None
        if positions == "learned":
            self.position_embeddings = LearnedPositions(config)
        elif positions == "sinusoidal":
            self.position_embeddings = SinusoidalPositions(config.hidden_size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        position_ids: Int[Tensor, "#batch tokens"] | None = None,
        first_position: int = 0,
    ) -> Float[Tensor, "batch tokens hidden"]:
        """Turn ids ``[batch, tokens]`` into vectors ``[batch, tokens, hidden]``.

        Args:
            input_ids: token ids.
            position_ids: the position of each; counted on from ``first_position`` if left out.
            first_position: number of tokens that were read before these.

        Raises:
            ValueError: if an id or a position lies outside its table.
        """
        if position_ids is None:
            last = first_position + input_ids.size(1)
            position_ids = torch.arange(first_position, last, device=input_ids.device)[None]
        embedded = self.word_embeddings(input_ids) * self.scale  # [batch, tokens, hidden]
        if self.position_embeddings is not None:
            embedded = embedded + self.position_embeddings(position_ids).to(embedded.dtype)
        return self.dropout(embedded)

    def logits(
        self, hidden_states: Float[Tensor, "batch tokens hidden"]
    ) -> Float[Tensor, "batch tokens vocab"]:
        """Compare each vector with that of every token; the same weights serve both ways.

        Press and Wolf 2017; Vaswani et al. 2017, section 3.4. One parameter, not a copy.
        """
        return nn.functional.linear(hidden_states, self.word_embeddings.weight)


class Decoder(nn.Module):
    """A decoder without an encoder: embeddings and a stack of masked layers (GPT-2's body).

    Args:
        config: a :class:`TransformerConfig`, or a Hugging Face configuration (GPT-2's too).
        pre_norm: see :class:`DecoderLayer`; GPT-2 and what followed normalise first.
        positions: see :class:`DecoderEmbeddings`.
        fused: see :class:`DecoderLayer`.
    """

    def __init__(
        self,
        config: TransformerConfig | Any,
        pre_norm: bool = True,
        positions: Positions = "learned",
        fused: bool = False,
    ) -> None:
        super().__init__()
        self.config = config = TransformerConfig.of(config)
        self.embeddings = DecoderEmbeddings(config, positions)
        self.stack = DecoderStack(config, pre_norm, final_norm=pre_norm, fused=fused)
        self.apply(initialize)

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        attention_mask: AttentionMask | TokenMask | None = None,
        position_ids: Int[Tensor, "#batch tokens"] | None = None,
        cache: KeyValueCache | None = None,
        output_attentions: bool = False,
    ) -> DecoderOutput:
        """Read token ids, each with what stands before it.

        Args:
            input_ids: ``[batch, tokens]``; with a cache, the new tokens only.
            attention_mask: ``[batch, cached + new tokens]``, 1 or True for real ones, or
                ``[batch, query, key]`` or ``[batch, heads, query, key]``, boolean or additive.
                Causality is added to it.
            position_ids: ``[batch, tokens]``; counted on from the cache if left out. Where padding
                is on the left, pass :func:`solutions.positions.position_ids_of` the mask.
            cache: what was read before; it is extended. The text may come in pieces of any size.
            output_attentions: return the weights of every layer.

        Raises:
            ValueError: if an id, a position or the mask does not fit; the sentence says which.
        """
        seen = cache.length if cache is not None else 0
        embedded = self.embeddings(input_ids, position_ids, seen)
        return self.stack(
            embedded, attention_mask, cache=cache, output_attentions=output_attentions
        )


class LanguageModel(nn.Module):
    """A decoder that predicts the next token (GPT-2); arguments are those of :class:`Decoder`."""

    def __init__(
        self,
        config: TransformerConfig | Any,
        pre_norm: bool = True,
        positions: Positions = "learned",
        fused: bool = False,
    ) -> None:
        super().__init__()
        self.decoder = Decoder(config, pre_norm, positions, fused)
        self.config = self.decoder.config

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        attention_mask: AttentionMask | TokenMask | None = None,
        position_ids: Int[Tensor, "#batch tokens"] | None = None,
        cache: KeyValueCache | None = None,
        output_attentions: bool = False,
    ) -> LanguageModelOutput:
        """Compute ``logits`` ``[batch, tokens, vocab_size]``; arguments as in :class:`Decoder`."""
        output = self.decoder(input_ids, attention_mask, position_ids, cache, output_attentions)
        logits = self.decoder.embeddings.logits(output.last_hidden_state)
        return LanguageModelOutput(logits, output.attentions)

    @classmethod
    def from_pretrained(
        cls, model: transformers.GPT2LMHeadModel | str | os.PathLike, fused: bool = False
    ) -> LanguageModel:
        """Make a language model with GPT-2's weights, in evaluation mode.

        Args:
            model: a ``GPT2LMHeadModel``, or what its ``from_pretrained`` takes: a folder or a name
                on the Hugging Face hub.
            fused: see :class:`DecoderLayer`.

        Raises:
            ValueError: if the model is no GPT-2, or one that computes attention in another way.
        """
        if isinstance(model, str | os.PathLike):
            model = transformers.GPT2LMHeadModel.from_pretrained(model)
        if not isinstance(model, transformers.GPT2LMHeadModel):
            raise ValueError(f"Found a {type(model).__name__}; expected a GPT2LMHeadModel.")
        _refuse_variants(model.config)
        ours = cls(model.config, fused=fused)
        ours.load_state_dict(gpt2_to_language_model(model.state_dict()))
        return ours.eval()


class EncoderDecoder(nn.Module):
    """The Transformer of the paper (Vaswani et al. 2017, figure 1), for translation and the like.

    One table of vectors embeds the source, embeds the target and reads the logits off (section
    3.4); positions are sinusoidal.

    Args:
        config: a :class:`TransformerConfig`; encoder and decoder have ``num_hidden_layers`` each.
        pre_norm: normalise before each sublayer instead of after each sum, as the paper does.
        final_norm: end both stacks with one more normalisation. Pre-norm needs it; the paper has
            none; ``nn.Transformer`` always has it. As ``pre_norm`` if left out.
        fused: see :class:`DecoderLayer`.
    """

    def __init__(
        self,
        config: TransformerConfig | Any,
        pre_norm: bool = False,
        final_norm: bool | None = None,
        fused: bool = False,
    ) -> None:
        super().__init__()
        self.config = config = TransformerConfig.of(config)
        final_norm = pre_norm if final_norm is None else final_norm
        self.embeddings = DecoderEmbeddings(config, "sinusoidal", scaled=True)
        self.encoder_layers = nn.ModuleList(
            EncoderLayer(config, pre_norm, fused) for _ in range(config.num_hidden_layers)
        )
        self.encoder_norm = make_norm(config, fused) if final_norm else nn.Identity()
        self.decoder = DecoderStack(config, pre_norm, True, final_norm, fused)
        self.apply(initialize)
        # Multiplied by sqrt(hidden_size), a token's numbers are about as large as a position's.
        nn.init.normal_(self.embeddings.word_embeddings.weight, std=config.hidden_size**-0.5)

    def forward(
        self,
        input_ids: Int[Tensor, "batch source"],
        decoder_input_ids: Int[Tensor, "batch target"],
        attention_mask: AttentionMask | TokenMask | None = None,
        decoder_attention_mask: AttentionMask | TokenMask | None = None,
        output_attentions: bool = False,
    ) -> LanguageModelOutput:
        """Predict each next token of the target from the source and the target so far.

        Args:
            input_ids: ``[batch, source]``.
            decoder_input_ids: ``[batch, target]``, in training the target moved right by one.
            attention_mask: which source tokens are real, ``[batch, source]``.
            decoder_attention_mask: which target tokens are real, ``[batch, target]``.
            output_attentions: return the decoder's attention weights of both kinds.

        Returns:
            ``logits`` ``[batch, target, vocab_size]``, and the weights or None.
        """
        return self.decode(
            decoder_input_ids,
            decoder_attention_mask,
            encoder_hidden_states=self.encode(input_ids, attention_mask),
            encoder_attention_mask=attention_mask,
            output_attentions=output_attentions,
        )

    def encode(
        self,
        input_ids: Int[Tensor, "batch source"],
        attention_mask: AttentionMask | TokenMask | None = None,
    ) -> Float[Tensor, "batch source hidden"]:
        """Read the source; its vectors ``[batch, source, hidden]`` are needed at every step."""
        batch, tokens = input_ids.shape
        shape = (batch, self.config.num_attention_heads, tokens, tokens)
        mask = prepare_mask(attention_mask, shape)
        x = self.embeddings(input_ids)
        for layer in self.encoder_layers:
            x, _ = layer(x, mask)
        return self.encoder_norm(x)

    def decode(
        self,
        input_ids: Int[Tensor, "batch target"],
        attention_mask: AttentionMask | TokenMask | None = None,
        position_ids: Int[Tensor, "#batch target"] | None = None,
        cache: KeyValueCache | None = None,
        *,
        encoder_hidden_states: Float[Tensor, "batch source hidden"],
        encoder_attention_mask: AttentionMask | TokenMask | None = None,
        output_attentions: bool = False,
    ) -> LanguageModelOutput:
        """Predict the next token after each of the target; see ``generate``, which calls this."""
        seen = cache.length if cache is not None else 0
        output = self.decoder(
            self.embeddings(input_ids, position_ids, seen),
            attention_mask,
            encoder_hidden_states,
            encoder_attention_mask,
            cache,
            output_attentions,
        )
        logits = self.embeddings.logits(output.last_hidden_state)
        return LanguageModelOutput(logits, output.attentions, output.cross_attentions)


def _refuse_variants(config: transformers.GPT2Config) -> None:
    if (
        not config.scale_attn_weights
        or config.scale_attn_by_inverse_layer_idx
        or config.add_cross_attention
        or not config.tie_word_embeddings
    ):
        raise ValueError(
            "Found a GPT-2 configuration with unscaled or layer-scaled attention, cross-attention "
            "or an untied head; expected the published GPT-2, which has none of them."
        )


# Weights from one layout to another, as in multi_head: state in, state out.

TORCH_LAYER_NAMES: Mapping[str, str] = {
    "norm1": "attention_norm",
    "norm2": "cross_attention_norm",
    "linear1": "feed_forward.intermediate",
    "linear2": "feed_forward.output",
    "norm3": "feed_forward_norm",
}


def torch_to_decoder_layer(state: State) -> dict[str, Tensor]:
    """Convert the state of ``nn.TransformerDecoderLayer`` to that of :class:`DecoderLayer`."""
    result = renamed(state, TORCH_LAYER_NAMES)
    for theirs, ours in (("self_attn.", "attention."), ("multihead_attn.", "cross_attention.")):
        attention = torch_to_packed(part_of(state, theirs))
        result |= {f"{ours}{name}": tensor for name, tensor in attention.items()}
    return result


def decoder_layer_to_torch(state: State) -> dict[str, Tensor]:
    """Convert the state of a :class:`DecoderLayer` with cross-attention to PyTorch's."""
    result = renamed(state, {ours: theirs for theirs, ours in TORCH_LAYER_NAMES.items()})
    for theirs, ours in (("self_attn.", "attention."), ("multihead_attn.", "cross_attention.")):
        attention = packed_to_torch(part_of(state, ours))
        result |= {f"{theirs}{name}": tensor for name, tensor in attention.items()}
    return result


def gpt2_to_language_model(state: State) -> dict[str, Tensor]:
    """Convert the state of ``GPT2LMHeadModel`` to that of :class:`LanguageModel`.

    Its linear maps are ``Conv1D``, whose matrices are transposed; its head is its embedding table.
    """
    body = part_of(state, "transformer.")
    result = {
        "decoder.embeddings.word_embeddings.weight": body["wte.weight"],
        "decoder.embeddings.position_embeddings.weight": body["wpe.weight"],
    }
    result |= renamed(body, {"ln_f": "final_norm"}, "decoder.stack.")
    for i in {name.split(".")[1] for name in body if name.startswith("h.")}:
        layer, prefix = part_of(body, f"h.{i}."), f"decoder.stack.layers.{i}."
        attention = gpt2_to_packed(part_of(layer, "attn."))
        result |= {f"{prefix}attention.{name}": tensor for name, tensor in attention.items()}
        result |= renamed(layer, {"ln_1": "attention_norm", "ln_2": "feed_forward_norm"}, prefix)
        for theirs, ours in (("c_fc", "intermediate"), ("c_proj", "output")):
            result[f"{prefix}feed_forward.{ours}.weight"] = layer[f"mlp.{theirs}.weight"].T
            result[f"{prefix}feed_forward.{ours}.bias"] = layer[f"mlp.{theirs}.bias"]
    return result
