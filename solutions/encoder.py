"""The Transformer encoder: embeddings, then layers of attention and feed-forward (BERT's shape).

What goes in are token ids; what comes out is one vector a token that knows its sentence. With a
BERT checkpoint's weights it computes what Hugging Face's ``BertModel`` computes, to five digits.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import NamedTuple

import transformers
from jaxtyping import Int
from torch import Tensor, nn

from solutions.checkpoint import Checkpoint, load_checkpoint
from solutions.config import AnyConfig, AttentionImplementation, TransformerConfig
from solutions.embeddings import Embeddings
from solutions.layers import EncoderLayer, initialize
from solutions.masks import AnyMask, prepare_mask
from solutions.normalization import make_norm
from solutions.weights import bert_to_encoder


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


class Encoder(nn.Module):
    """Embeddings and a stack of layers: BERT without its heads (Devlin et al. 2019, section 3).

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration. A pre-norm stack ends
            with one more normalisation.
    """

    def __init__(self, config: AnyConfig) -> None:
        super().__init__()
        self.config = config = TransformerConfig.from_config(config)
        if config.positions == "rotary":
            raise ValueError(
                "This encoder adds positions to its embeddings: expected learned, sinusoidal or "
                "none. Rotary positions are for decoders."
            )
        self.embeddings = Embeddings(config, segments=True)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.num_hidden_layers))
        self.final_norm = make_norm(config) if config.pre_norm else nn.Identity()
        self.apply(initialize)

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        attention_mask: AnyMask | None = None,
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
        heads = self.config.num_attention_heads
        mask = prepare_mask(attention_mask, (batch, heads, tokens, tokens))
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
        checkpoint: Checkpoint | transformers.BertModel | str | os.PathLike[str] | None = None,
        attn_implementation: AttentionImplementation = "eager",
    ) -> Encoder:
        """Make an encoder with the weights of a BERT checkpoint, in evaluation mode.

        Args:
            checkpoint: what ``load_checkpoint`` takes or gives, or a ``BertModel`` itself; the
                bundled MiniLM if left out.
            attn_implementation: see :class:`TransformerConfig`.

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
        config = TransformerConfig.from_config(model.config)
        encoder = cls(replace(config, attn_implementation=attn_implementation))
        encoder.load_state_dict(bert_to_encoder(model.state_dict()))
        return encoder.eval()
