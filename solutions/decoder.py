"""The Transformer decoder: layers that look back only, so that they can write text.

Three models stand on one stack: a decoder alone (GPT-2's shape), the same with a language model's
head, and the full encoder-decoder of the original paper. With a cache each token is read once. How
tokens are chosen is in ``generation``.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import torch
import transformers
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.cache import KeyValueCache, past_length_of, unchanged_on_error
from solutions.config import LLAMA_FAMILY, AnyConfig, AttentionImplementation, TransformerConfig
from solutions.embeddings import Embeddings
from solutions.layers import DecoderLayer, EncoderLayer, initialize
from solutions.masks import AnyMask, prepare_mask, with_causality
from solutions.normalization import make_norm
from solutions.positions import RotaryPositions
from solutions.weights import (
    State,
    gpt2_to_language_model,
    llama_to_language_model,
    mixtral_to_language_model,
)


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
        cross_attention: make layers that look at an encoder.
        final_norm: normalise the result, which a pre-norm stack needs; as ``config.pre_norm`` if
            left out.
    """

    def __init__(
        self, config: AnyConfig, *, cross_attention: bool = False, final_norm: bool | None = None
    ) -> None:
        super().__init__()
        self.config = config = TransformerConfig.from_config(config)
        self.layers = nn.ModuleList(
            DecoderLayer(config, i, cross_attention=cross_attention)
            for i in range(config.num_hidden_layers)
        )
        final_norm = config.pre_norm if final_norm is None else final_norm
        self.final_norm = make_norm(config) if final_norm else nn.Identity()
        rotary = config.positions == "rotary"
        self.rotary = RotaryPositions(config.head_size, config.rope_theta) if rotary else None

    def forward(
        self,
        hidden_states: Float[Tensor, "batch tokens hidden"],
        attention_mask: AnyMask | None = None,
        encoder_hidden_states: Float[Tensor, "batch source hidden"] | None = None,
        encoder_attention_mask: AnyMask | None = None,
        cache: KeyValueCache | None = None,
        output_attentions: bool = False,
        position_ids: Int[Tensor, "#batch tokens"] | None = None,
    ) -> DecoderOutput:
        """Map ``[batch, tokens, hidden]`` to the same shape; see :class:`Decoder`.

        ``position_ids`` matter to rotary positions only; all others are in ``hidden_states``.
        """
        batch, queries = hidden_states.shape[:2]
        past = past_length_of(cache)
        heads, keys = self.config.num_attention_heads, past + queries
        mask = prepare_mask(attention_mask, (batch, heads, queries, keys))
        window = self.config.sliding_window
        mask = with_causality(mask, queries, keys, hidden_states.device, window)
        source_mask = None
        if encoder_hidden_states is not None:
            source = encoder_hidden_states.size(1)
            source_mask = prepare_mask(encoder_attention_mask, (batch, heads, queries, source))

        rotation = None
        if self.rotary is not None:
            if position_ids is None:
                position_ids = torch.arange(past, keys, device=hidden_states.device)[None]
            _check_positions(position_ids, self.config.max_position_embeddings)
            rotation = self.rotary.rotation(position_ids)

        x, attentions, cross_attentions = hidden_states, [], []
        with unchanged_on_error(cache):
            for layer in self.layers:
                x, weights, cross_weights = layer(
                    x, mask, encoder_hidden_states, source_mask, output_attentions, cache, rotation
                )
                attentions.append(weights)
                cross_attentions.append(cross_weights)
        crossed = output_attentions and encoder_hidden_states is not None
        return DecoderOutput(
            self.final_norm(x),
            tuple(attentions) if output_attentions else None,
            tuple(cross_attentions) if crossed else None,
        )


class Decoder(nn.Module):
    """A decoder without an encoder: embeddings and a stack of masked layers (GPT-2's body).

    Args:
        config: a :class:`TransformerConfig`, or a Hugging Face configuration (GPT-2's too).
    """

    def __init__(self, config: AnyConfig) -> None:
        super().__init__()
        self.config = config = TransformerConfig.from_config(config)
        self.embeddings = Embeddings(config)
        self.stack = DecoderStack(config)
        self.apply(initialize)

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        attention_mask: AnyMask | None = None,
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
        past_length = past_length_of(cache)
        x = self.embeddings(input_ids, position_ids=position_ids, past_length=past_length)
        return self.stack(
            x,
            attention_mask,
            cache=cache,
            output_attentions=output_attentions,
            position_ids=position_ids,
        )


class LanguageModel(nn.Module):
    """A decoder that predicts the next token (GPT-2, Radford et al. 2019, section 2).

    Llama, Mistral and Mixtral are this class with a different configuration.

    Args:
        config: as for :class:`Decoder`.
    """

    def __init__(self, config: AnyConfig) -> None:
        super().__init__()
        self.decoder = Decoder(config)
        self.config = config = self.decoder.config
        self.head: nn.Linear | None = None
        if not config.tie_word_embeddings:
            self.head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
            initialize(self.head)

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        attention_mask: AnyMask | None = None,
        position_ids: Int[Tensor, "#batch tokens"] | None = None,
        cache: KeyValueCache | None = None,
        output_attentions: bool = False,
    ) -> LanguageModelOutput:
        """Compute ``logits`` ``[batch, tokens, vocab_size]``; arguments as in :class:`Decoder`."""
        with unchanged_on_error(cache):
            output = self.decoder(input_ids, attention_mask, position_ids, cache, output_attentions)
            to_logits = self.decoder.embeddings.logits if self.head is None else self.head
            logits = to_logits(output.last_hidden_state)
        return LanguageModelOutput(logits, output.attentions)

    @classmethod
    def from_pretrained(
        cls,
        model: transformers.PreTrainedModel | str | os.PathLike[str],
        attn_implementation: AttentionImplementation = "eager",
    ) -> LanguageModel:
        """Make a language model with the weights of Hugging Face's, in evaluation mode.

        Args:
            model: a GPT-2, Llama, Mistral or Mixtral with its head, such as ``GPT2LMHeadModel``; or
                what ``AutoModelForCausalLM.from_pretrained`` takes: a folder or a name on the
                Hugging Face hub.
            attn_implementation: see :class:`TransformerConfig`.

        Raises:
            ValueError: if the model is none of these, or a variant that computes differently.
        """
        if isinstance(model, str | os.PathLike):
            model = transformers.AutoModelForCausalLM.from_pretrained(model)
        kind = type(model).__name__
        if kind not in CONVERSIONS:
            *others, last = CONVERSIONS
            raise ValueError(f"Found a {kind}; expected a {', '.join(others)} or {last}.")
        _refuse_variants(model.config)
        config = TransformerConfig.from_config(model.config)
        ours = cls(replace(config, attn_implementation=attn_implementation))
        state = CONVERSIONS[kind](model.state_dict())
        if config.tie_word_embeddings:
            state.pop("head.weight", None)  # the table of embeddings once more
        ours.load_state_dict(state)
        return ours.eval()


class SequenceToSequence(nn.Module, ABC):
    """An encoder reads one text, a decoder with cross-attention writes another.

    How the source is read, ``encode``, is the subclass's choice, and so are the target's
    ``embeddings`` and the ``decoder``.
    """

    embeddings: Embeddings
    decoder: DecoderStack

    def forward(
        self,
        input_ids: Int[Tensor, "batch source"],
        decoder_input_ids: Int[Tensor, "batch target"],
        attention_mask: AnyMask | None = None,
        decoder_attention_mask: AnyMask | None = None,
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

    @abstractmethod
    def encode(
        self, input_ids: Int[Tensor, "batch source"], attention_mask: AnyMask | None = None
    ) -> Float[Tensor, "batch source hidden"]:
        """Read the source; its vectors ``[batch, source, hidden]`` are needed at every step."""

    def decode(
        self,
        input_ids: Int[Tensor, "batch target"],
        attention_mask: AnyMask | None = None,
        position_ids: Int[Tensor, "#batch target"] | None = None,
        cache: KeyValueCache | None = None,
        *,
        encoder_hidden_states: Float[Tensor, "batch source hidden"],
        encoder_attention_mask: AnyMask | None = None,
        output_attentions: bool = False,
    ) -> LanguageModelOutput:
        """Predict the next token after each of the target; see ``generate``, which calls this."""
        past_length = past_length_of(cache)
        with unchanged_on_error(cache):
            output = self.decoder(
                self.embeddings(input_ids, position_ids=position_ids, past_length=past_length),
                attention_mask,
                encoder_hidden_states,
                encoder_attention_mask,
                cache,
                output_attentions,
                position_ids,
            )
            logits = self.embeddings.logits(output.last_hidden_state)
        return LanguageModelOutput(logits, output.attentions, output.cross_attentions)


class EncoderDecoder(SequenceToSequence):
    """The Transformer of the paper (Vaswani et al. 2017, figure 1), for translation and the like.

    One table of vectors embeds the source, embeds the target and reads the logits off (section
    3.4); positions are sinusoidal.

    Args:
        config: a :class:`TransformerConfig`; encoder and decoder have ``num_hidden_layers`` each.
            Its ``positions`` are not asked for.
        final_norm: end both stacks with one more normalisation. Pre-norm stacks usually are; the
            paper's are not; ``nn.Transformer`` always has it. As ``config.pre_norm`` if left out.
    """

    def __init__(self, config: AnyConfig, *, final_norm: bool | None = None) -> None:
        super().__init__()
        config = TransformerConfig.from_config(config)
        self.config = config = replace(config, positions="sinusoidal")
        final_norm = config.pre_norm if final_norm is None else final_norm
        self.embeddings = Embeddings(config, scaled=True)
        self.encoder_layers = nn.ModuleList(
            EncoderLayer(config) for _ in range(config.num_hidden_layers)
        )
        self.encoder_norm = make_norm(config) if final_norm else nn.Identity()
        self.decoder = DecoderStack(config, cross_attention=True, final_norm=final_norm)
        self.apply(initialize)
        # Multiplied by sqrt(hidden_size), a token's numbers are about as large as a position's.
        nn.init.normal_(self.embeddings.word_embeddings.weight, std=config.hidden_size**-0.5)

    def encode(
        self, input_ids: Int[Tensor, "batch source"], attention_mask: AnyMask | None = None
    ) -> Float[Tensor, "batch source hidden"]:
        """Read the source; its vectors ``[batch, source, hidden]`` are needed at every step."""
        batch, tokens = input_ids.shape
        heads = self.config.num_attention_heads
        mask = prepare_mask(attention_mask, (batch, heads, tokens, tokens))
        x = self.embeddings(input_ids)
        for layer in self.encoder_layers:
            x, _ = layer(x, mask)
        return self.encoder_norm(x)


def _check_positions(position_ids: Tensor, limit: int) -> None:
    """Rotary positions have no table that ends, but a model is good as far as it was trained."""
    if position_ids.numel() and (last := int(position_ids.max())) >= limit:
        raise ValueError(
            f"Found positions up to {last}, but this model was made for the {limit} positions from "
            "0 on: shorten the text, or make the model with a larger max_position_embeddings."
        )


CONVERSIONS: dict[str, Callable[[State], dict[str, Tensor]]] = {
    "GPT2LMHeadModel": gpt2_to_language_model,
    "LlamaForCausalLM": llama_to_language_model,
    "MistralForCausalLM": llama_to_language_model,
    "MixtralForCausalLM": mixtral_to_language_model,
}


def _refuse_variants(config: transformers.PreTrainedConfig) -> None:
    if config.model_type in LLAMA_FAMILY:
        _refuse_llamas(config)
    elif (
        not config.scale_attn_weights
        or config.scale_attn_by_inverse_layer_idx
        or config.add_cross_attention
        or not config.tie_word_embeddings
    ):
        raise ValueError(
            "Found a GPT-2 configuration with unscaled or layer-scaled attention, cross-attention "
            "or an untied head; expected the published GPT-2, which has none of them."
        )


def _refuse_llamas(config: transformers.PreTrainedConfig) -> None:
    """Those whose heads, biases, activation or rotary angles are not as in the published models."""
    head_size = getattr(config, "head_dim", None)
    if (
        head_size not in (None, config.hidden_size // config.num_attention_heads)
        or getattr(config, "mlp_bias", False)
        or config.hidden_act != "silu"
        or (config.rope_parameters or {}).get("rope_type", "default") != "default"
    ):
        raise ValueError(
            f"Found a {config.model_type} configuration with a head size of its own, biases in the "
            "feed-forward layer, an activation other than SiLU, or scaled rotary positions; "
            "expected one without."
        )
