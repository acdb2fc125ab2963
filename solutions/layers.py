"""One layer of an encoder and one of a decoder: sublayers, each in a residual branch.

Where the normalisation stands, before the sublayer or after the sum, is chapter 4's choice between
:class:`PreNorm` and :class:`PostNorm`; the layers follow ``config.pre_norm``.
"""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn

from solutions.cache import CachedAttention, KeyValueCache
from solutions.config import AnyConfig, TransformerConfig
from solutions.experts import Experts
from solutions.feed_forward import FeedForward, SwiGLU
from solutions.masks import AttentionMask
from solutions.multi_head import MultiHeadAttention
from solutions.normalization import PostNorm, PreNorm, make_norm
from solutions.positions import Rotation


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward layer (Vaswani et al. 2017, section 3.1).

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
    """

    def __init__(self, config: AnyConfig) -> None:
        super().__init__()
        config = TransformerConfig.from_config(config)
        self.residual = PreNorm if config.pre_norm else PostNorm
        self.attention = MultiHeadAttention(config)
        self.attention_norm = make_norm(config)
        self.feed_forward = make_feed_forward(config)  # ends with its own dropout
        self.feed_forward_norm = make_norm(config)
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
        x, residual = hidden_states, self.residual
        normed = residual.before(x, self.attention_norm)
        update, weights = self.attention(normed, None, attention_mask, output_attentions)
        x = residual.after(x + self.dropout(update), self.attention_norm)

        update = self.feed_forward(residual.before(x, self.feed_forward_norm))
        return residual.after(x + update, self.feed_forward_norm), weights


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention where there is an encoder, and feed-forward.

    Vaswani et al. 2017, section 3.1. Cross-attention takes its queries from the text that is being
    written and its keys and values from the encoder's last layer.

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
        layer_idx: the layer's place in its stack, under which a cache keeps its keys and values.
        cross_attention: make a layer that looks at an encoder.
    """

    def __init__(
        self, config: AnyConfig, layer_idx: int = 0, *, cross_attention: bool = False
    ) -> None:
        super().__init__()
        config = TransformerConfig.from_config(config)
        self.residual = PreNorm if config.pre_norm else PostNorm
        self.attention = CachedAttention(config, layer_idx)
        self.attention_norm = make_norm(config)
        self.cross_attention = CachedAttention(config, layer_idx) if cross_attention else None
        self.cross_attention_norm = make_norm(config) if cross_attention else None
        self.feed_forward = make_feed_forward(config)  # ends with its own dropout
        self.feed_forward_norm = make_norm(config)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch tokens hidden"],
        attention_mask: AttentionMask | None = None,
        encoder_hidden_states: Float[Tensor, "batch source hidden"] | None = None,
        encoder_attention_mask: AttentionMask | None = None,
        output_attentions: bool = False,
        cache: KeyValueCache | None = None,
        rotation: Rotation | None = None,
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
            cache: what the stack remembers; it is extended by what this layer makes of the tokens.
            rotation: how far to turn queries and keys of self-attention, with rotary positions.

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
        x, residual, cross_weights = hidden_states, self.residual, None
        normed = residual.before(x, self.attention_norm)
        update, weights = self.attention(
            normed, None, attention_mask, output_attentions, cache, rotation
        )
        x = residual.after(x + self.dropout(update), self.attention_norm)

        if self.cross_attention is not None and self.cross_attention_norm is not None:
            source = (encoder_hidden_states, encoder_attention_mask, output_attentions, cache)
            normed = residual.before(x, self.cross_attention_norm)
            update, cross_weights = self.cross_attention(normed, *source)
            x = residual.after(x + self.dropout(update), self.cross_attention_norm)

        update = self.feed_forward(residual.before(x, self.feed_forward_norm))
        return residual.after(x + update, self.feed_forward_norm), weights, cross_weights


def make_feed_forward(config: TransformerConfig) -> nn.Module:
    """The feed-forward layer that the configuration names, or experts; all end with dropout."""
    if config.num_local_experts is not None:
        return Experts(config)
    return SwiGLU(config) if config.feed_forward == "swiglu" else FeedForward(config)


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
