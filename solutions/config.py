"""The sizes of a Transformer, under the names that Hugging Face gives them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

# What the same sizes are called in the configurations of GPT-2, DistilBERT and BART.
OTHER_NAMES = {
    "intermediate_size": ("n_inner", "hidden_dim", "encoder_ffn_dim"),
    "hidden_act": ("activation_function", "activation"),
    "hidden_dropout_prob": ("resid_pdrop", "dropout"),
    "attention_probs_dropout_prob": ("attn_pdrop", "attention_dropout"),
    "layer_norm_eps": ("layer_norm_epsilon",),
}


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes and rates of a Transformer; the defaults are those of ``bert-base-uncased``.

    Attributes:
        vocab_size: number of different token ids.
        hidden_size: length of the vector that stands for one token.
        num_hidden_layers: number of layers stacked on each other.
        num_attention_heads: heads in each attention layer; divides ``hidden_size``.
        intermediate_size: width of the feed-forward layer between its two linear maps.
        hidden_act: activation in the feed-forward layer (``"gelu"``, ``"gelu_new"``, ``"relu"``).
        hidden_dropout_prob: probability that dropout zeroes a number of a hidden state.
        attention_probs_dropout_prob: the same for an attention weight.
        max_position_embeddings: longest sequence that has learned positions.
        type_vocab_size: number of segment ids (sentence A, sentence B).
        layer_norm_eps: added to the variance in layer normalisation, inside the root.
        pad_token_id: id of the token that fills short sequences up.
        num_labels: classes that a classification head tells apart.

    Raises:
        ValueError: if ``num_attention_heads`` does not divide ``hidden_size``.
    """

    vocab_size: int = 30522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    layer_norm_eps: float = 1e-12
    pad_token_id: int = 0
    num_labels: int = 2

    def __post_init__(self) -> None:
        if self.hidden_size % self.num_attention_heads:
            raise ValueError(
                f"hidden_size is {self.hidden_size} and num_attention_heads is "
                f"{self.num_attention_heads}: every head gets an equal share of the hidden vector, "
                "so choose a number of heads that divides hidden_size."
            )

    @property
    def head_size(self) -> int:
        """Length of one head's query, key and value vectors."""
        return self.hidden_size // self.num_attention_heads

    @classmethod
    def of(cls, config: TransformerConfig | Any) -> TransformerConfig:
        """Return ``config`` itself, or the same sizes read from a Hugging Face configuration.

        Every module of this package calls this first, so a ``BertConfig``, ``GPT2Config`` or
        ``DistilBertConfig`` can be passed wherever a ``TransformerConfig`` is asked for. What it
        does not name keeps its default; GPT-2's feed-forward width, if not named, is 4 times the
        hidden size.

        Raises:
            TypeError: if ``config`` has no ``hidden_size``: no Transformer is described by it.
        """
        if isinstance(config, cls):
            return config
        if not hasattr(config, "hidden_size"):
            raise TypeError(
                f"Expected a TransformerConfig or a Hugging Face configuration such as BertConfig, "
                f"found {type(config).__name__}, which has no hidden_size."
            )
        sizes = {}
        for field in fields(cls):
            for name in (field.name, *OTHER_NAMES.get(field.name, ())):
                if getattr(config, name, None) is not None:
                    sizes[field.name] = getattr(config, name)
                    break
        if hasattr(config, "n_inner"):  # GPT-2 leaves its usual width out
            sizes.setdefault("intermediate_size", 4 * config.hidden_size)
        return cls(**sizes)
