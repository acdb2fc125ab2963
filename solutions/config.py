"""What a Transformer is made like: its sizes and choices, under the names of Hugging Face."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, Protocol

Positions = Literal["learned", "sinusoidal", "rotary", "none"]
Normalization = Literal["layer_norm", "rms_norm"]
FeedForwardKind = Literal["plain", "swiglu"]
AttentionImplementation = Literal["eager", "sdpa"]

# What the same sizes are called in the configurations of GPT-2, DistilBERT and BART.
OTHER_NAMES = {
    "intermediate_size": ("n_inner", "hidden_dim", "encoder_ffn_dim"),
    "hidden_act": ("activation_function", "activation"),
    "hidden_dropout_prob": ("resid_pdrop", "dropout"),
    "attention_probs_dropout_prob": ("attn_pdrop", "attention_dropout"),
    "layer_norm_eps": ("layer_norm_epsilon", "rms_norm_eps"),
}

# What the configurations of Llama, Mistral and Mixtral do not say, because it is always so; Llama's
# own can ask for biases.
LLAMA_FAMILY = ("llama", "mistral", "mixtral")
LIKE_LLAMA: dict[str, Any] = {
    "pre_norm": True,
    "positions": "rotary",
    "normalization": "rms_norm",
    "feed_forward": "swiglu",
    "attention_bias": False,
    "hidden_dropout_prob": 0.0,
}


class ForeignConfig(Protocol):
    """A configuration of somebody else's that has a ``hidden_size``, such as ``BertConfig``."""

    hidden_size: int


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes, rates and choices of a Transformer; the defaults are those of ``bert-base-uncased``.

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
        pre_norm: normalise before each sublayer, as GPT-2 does, instead of after each sum, as the
            original and BERT do. The same parameters, applied elsewhere.
        positions: ``"learned"`` (BERT, GPT-2), ``"sinusoidal"`` (the original), ``"rotary"``
            (Llama; for decoders, which then turn queries and keys), or ``"none"``, which makes an
            encoder that cannot tell one order of the tokens from another.
        normalization: ``"layer_norm"`` or, as in Llama, ``"rms_norm"``.
        feed_forward: ``"plain"``, two maps with ``hidden_act`` between them; or ``"swiglu"``,
            Llama's three, whose activation is always SiLU.
        attention_bias: give the projections of attention biases; Llama's have none.
        num_key_value_heads: heads of keys and values, each shared by equally many query heads
            (grouped-query attention); as many as query heads if None.
        rope_theta: base of the rotary positions; 10000 in the paper, 500000 in Llama 3.
        sliding_window: for decoders: a token sees itself and the ``sliding_window - 1`` tokens
            before it, as in Mistral 7B; all before it if None.
        num_local_experts: replace each feed-forward layer by this many SwiGLU layers, of which
            every token uses a few, as in Mixtral; see :mod:`solutions.experts`.
        num_experts_per_tok: how many of them each token uses.
        tie_word_embeddings: for a :class:`LanguageModel`: read the logits off the table of
            embeddings. If False, its head is a linear map of its own, without bias.
        attn_implementation: ``"eager"`` attends and normalises as the chapters teach it; ``"sdpa"``
            with PyTorch's own fused functions. The same parameters and numbers, faster.

    Raises:
        ValueError: if ``num_attention_heads`` does not divide ``hidden_size``, or
            ``num_key_value_heads`` does not divide it; if a token is to see no token, or to use
            more experts than there are; or if a choice is none of those above.
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
    pre_norm: bool = False
    positions: Positions = "learned"
    normalization: Normalization = "layer_norm"
    feed_forward: FeedForwardKind = "plain"
    attention_bias: bool = True
    num_key_value_heads: int | None = None
    rope_theta: float = 10000.0
    sliding_window: int | None = None
    num_local_experts: int | None = None
    num_experts_per_tok: int = 2
    tie_word_embeddings: bool = True
    attn_implementation: AttentionImplementation = "eager"

    def __post_init__(self) -> None:
        if self.hidden_size % self.num_attention_heads:
            raise ValueError(
                f"hidden_size is {self.hidden_size} and num_attention_heads is "
                f"{self.num_attention_heads}: every head gets an equal share of the hidden vector, "
                "so choose a number of heads that divides hidden_size."
            )
        if self.num_attention_heads % self.key_value_heads:
            raise ValueError(
                f"num_attention_heads is {self.num_attention_heads} and num_key_value_heads is "
                f"{self.num_key_value_heads}: equally many query heads share each key, so choose a "
                "number that divides num_attention_heads."
            )
        if self.sliding_window is not None and self.sliding_window < 1:
            raise ValueError(f"sliding_window is {self.sliding_window}; expected at least 1.")
        experts = self.num_local_experts
        if experts is not None and not 1 <= self.num_experts_per_tok <= experts:
            raise ValueError(
                f"num_experts_per_tok is {self.num_experts_per_tok}; expected 1 to {experts}, the "
                "number of experts."
            )
        for name, choices in {
            "positions": ("learned", "sinusoidal", "rotary", "none"),
            "normalization": ("layer_norm", "rms_norm"),
            "feed_forward": ("plain", "swiglu"),
            "attn_implementation": ("eager", "sdpa"),
        }.items():
            if (value := getattr(self, name)) not in choices:
                *others, last = choices
                raise ValueError(f"No {name} {value!r}; expected {', '.join(others)} or {last}.")

    @property
    def head_size(self) -> int:
        """Length of one head's query, key and value vectors."""
        return self.hidden_size // self.num_attention_heads

    @property
    def key_value_heads(self) -> int:
        """Number of heads of keys and values."""
        return self.num_key_value_heads or self.num_attention_heads

    @classmethod
    def from_config(cls, config: object) -> TransformerConfig:
        """Return ``config`` itself, or the same sizes read from a Hugging Face configuration.

        Every module of this package calls this first, so a ``BertConfig``, ``GPT2Config`` or
        ``LlamaConfig`` can be passed wherever a ``TransformerConfig`` is asked for. What it does
        not name keeps its default. GPT-2's names no width if it is 4 times the hidden size, and no
        place of the normalisation, which comes first. Those of Llama, Mistral and Mixtral do not
        name what all of these models have in common.

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
        found: dict[str, Any] = {}
        for field in fields(cls):
            for name in (field.name, *OTHER_NAMES.get(field.name, ())):
                if getattr(config, name, None) is not None:
                    found[field.name] = getattr(config, name)
                    break
        if hasattr(config, "n_inner"):  # a GPT-2
            found.setdefault("intermediate_size", 4 * config.hidden_size)
            found["pre_norm"] = True
        if getattr(config, "model_type", None) in LLAMA_FAMILY:
            found = LIKE_LLAMA | found
            if rope := getattr(config, "rope_parameters", None):
                found["rope_theta"] = rope["rope_theta"]
        return cls(**found)


# While a program runs, `from_config` looks. `isinstance` of a protocol would not see what GPT-2's
# configuration maps: it calls its `n_embd` `hidden_size` only when it is asked for that.
if TYPE_CHECKING:
    AnyConfig = TransformerConfig | ForeignConfig
else:
    AnyConfig = object
