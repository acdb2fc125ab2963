"""Heads: what turns an encoder's vectors into an answer.

The body gives one vector a token. Pooling makes one vector of a text out of them, and a head, often
a single linear map, reads classes or numbers off it; or a head reads something off every token. All
heads give logits or plain numbers, never probabilities: the losses at the end want them so.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from solutions.checkpoint import Checkpoint
from solutions.config import AnyConfig, AttentionImplementation, TransformerConfig
from solutions.embeddings import TokenEmbeddings
from solutions.encoder import Encoder
from solutions.feed_forward import activation
from solutions.layers import initialize
from solutions.masks import PaddingMask, expand_padding_mask
from solutions.normalization import make_norm

IGNORED = -100  # the label of a token that no loss counts; PyTorch's own choice


class HeadOutput(NamedTuple):
    """What a model with a head gives back, under Hugging Face's names.

    Attributes:
        logits: ``[batch, labels]``, or ``[batch, tokens, labels]`` where every token gets its own;
            for a regression the numbers themselves.
        attentions: the weights of each layer, each ``[batch, heads, query, key]``; None unless
            asked for.
    """

    logits: Tensor
    attentions: tuple[Tensor, ...] | None = None


# Pooling: [batch, tokens, hidden] and a mask [batch, tokens], 1 for real tokens, to
# [batch, hidden]. Padding never enters, on whichever side it stands; a row that is nothing but
# padding gives zeros.


def first_token(
    hidden_states: Float[Tensor, "batch tokens hidden"], attention_mask: PaddingMask
) -> Float[Tensor, "batch hidden"]:
    """Take the vector of the first real token, BERT's ``[CLS]`` (Devlin et al. 2019, section 3)."""
    mask = attention_mask.bool()
    first = mask.int().argmax(dim=1)  # [batch]; 0 where nothing is real
    rows = torch.arange(len(first), device=first.device)
    return hidden_states[rows, first].masked_fill(~mask.any(dim=1, keepdim=True), 0.0)


def mean_of_tokens(
    hidden_states: Float[Tensor, "batch tokens hidden"], attention_mask: PaddingMask
) -> Float[Tensor, "batch hidden"]:
    """Average the vectors of the real tokens (Reimers and Gurevych 2019, section 3)."""
    mask = attention_mask.bool()[:, :, None]  # [batch, tokens, 1]
    total = hidden_states.masked_fill(~mask, 0.0).sum(dim=1)  # [batch, hidden]
    return total / mask.sum(dim=1).clamp(min=1)


def max_of_tokens(
    hidden_states: Float[Tensor, "batch tokens hidden"], attention_mask: PaddingMask
) -> Float[Tensor, "batch hidden"]:
    """Take the largest number of the real tokens, for each place of the vector by itself."""
    mask = attention_mask.bool()[:, :, None]  # [batch, tokens, 1]
    largest = hidden_states.masked_fill(~mask, -torch.inf).amax(dim=1)  # [batch, hidden]
    return largest.masked_fill(~mask.any(dim=1), 0.0)


POOLINGS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "first": first_token,
    "mean": mean_of_tokens,
    "max": max_of_tokens,
}


class Pooler(nn.Module):
    """``tanh(dense(x))``: what BERT does to the vector of ``[CLS]`` before its classifier."""

    def __init__(self, config: AnyConfig) -> None:
        super().__init__()
        size = TransformerConfig.from_config(config).hidden_size
        self.dense = nn.Linear(size, size)

    def forward(self, pooled: Float[Tensor, "*batch hidden"]) -> Float[Tensor, "*batch hidden"]:
        """Map ``[..., hidden]`` to the same shape, each number between -1 and 1."""
        return torch.tanh(self.dense(pooled))


class ClassificationHead(nn.Module):
    """Dropout and a linear map to one logit a class (Devlin et al. 2019, section 4.1).

    It serves a pooled vector, and, because it counts dimensions from the end, every token of a
    sequence too (section 5.3, named entities).

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
        num_labels: number of classes.
        pooler: put BERT's :class:`Pooler` in front.
    """

    def __init__(self, config: AnyConfig, num_labels: int, pooler: bool = False) -> None:
        super().__init__()
        config = TransformerConfig.from_config(config)
        self.pooler = Pooler(config) if pooler else nn.Identity()
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.linear = nn.Linear(config.hidden_size, num_labels)

    def forward(self, hidden: Float[Tensor, "*batch hidden"]) -> Float[Tensor, "*batch labels"]:
        """Map ``[..., hidden]`` to logits ``[..., labels]``."""
        return self.linear(self.dropout(self.pooler(hidden)))


class RegressionHead(ClassificationHead):
    """The same linear map, read as numbers: a score, a grade. Trained with a squared error."""

    def __init__(self, config: AnyConfig, num_outputs: int = 1) -> None:
        super().__init__(config, num_outputs)


class MaskedLanguageHead(nn.Module):
    """A logit for every word of the vocabulary, at every token (Devlin et al. 2019, section 3.1).

    Dense, activation, normalisation; then the dot product with each row of the embedding table,
    which is shared with the encoder ("tied", Press and Wolf 2017), and a bias of each word.

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
        word_embeddings: the encoder's table ``[vocab_size, hidden]``; the same object, no copy.
    """

    def __init__(self, config: AnyConfig, word_embeddings: TokenEmbeddings | nn.Embedding) -> None:
        super().__init__()
        config = TransformerConfig.from_config(config)
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = activation(config.hidden_act)
        self.norm = make_norm(config)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.word_embeddings = word_embeddings

    def forward(
        self, hidden_states: Float[Tensor, "*batch hidden"]
    ) -> Float[Tensor, "*batch vocabulary"]:
        """Map ``[..., hidden]`` to logits ``[..., vocab_size]``."""
        guess = self.norm(self.activation(self.dense(hidden_states)))  # [..., hidden]
        return F.linear(guess, self.word_embeddings.weight, self.bias)


class Classifier(nn.Module):
    """A text in, one logit a class out: encoder, pooling, head.

    For a regression replace the head: ``model.head = RegressionHead(model.config)``.

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
        num_labels: number of classes.
        pooling: ``"mean"``, ``"first"`` or ``"max"``.
        pooler: put BERT's :class:`Pooler` before the linear map.

    Raises:
        ValueError: if there is no such pooling.
    """

    def __init__(
        self,
        config: AnyConfig,
        num_labels: int,
        pooling: str = "mean",
        pooler: bool = False,
    ) -> None:
        super().__init__()
        if pooling not in POOLINGS:
            raise ValueError(f"No pooling {pooling!r}; expected one of {', '.join(POOLINGS)}.")
        self.config = config = TransformerConfig.from_config(config)
        self.pooling = pooling
        self.encoder = Encoder(config)
        self.head = ClassificationHead(config, num_labels, pooler)
        self.head.apply(initialize)

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        attention_mask: PaddingMask | None = None,
        token_type_ids: Int[Tensor, "batch tokens"] | None = None,
        output_attentions: bool = False,
    ) -> HeadOutput:
        """Classify texts: logits ``[batch, labels]``.

        Args:
            input_ids: ``[batch, tokens]``.
            attention_mask: ``[batch, tokens]``, 1 or True for real tokens; all real if left out.
            token_type_ids: the segment of each token.
            output_attentions: return the attention weights of every layer too.

        Raises:
            ValueError: if an id or the mask does not fit.
        """
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        mask = expand_padding_mask(attention_mask, (input_ids.size(0), input_ids.size(1)))
        body = self.encoder(input_ids, mask, token_type_ids, output_attentions=output_attentions)
        pooled = POOLINGS[self.pooling](body.last_hidden_state, attention_mask)  # [batch, hidden]
        return HeadOutput(self.head(pooled), body.attentions)

    @classmethod
    def from_pretrained(
        cls,
        checkpoint: Checkpoint | str | os.PathLike[str] | None = None,
        num_labels: int = 2,
        pooling: str = "mean",
        pooler: bool = False,
        attn_implementation: AttentionImplementation = "sdpa",
    ) -> Classifier:
        """Put a fresh head on the encoder of a BERT checkpoint; see ``Encoder.from_pretrained``."""
        encoder = Encoder.from_pretrained(checkpoint, attn_implementation)
        model = cls(encoder.config, num_labels, pooling, pooler)
        model.encoder = encoder
        return model.eval()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the weights, and what is needed to build the model again, to one safetensors file.

        The file holds numbers and text; unlike a pickle, it cannot run anything when it is opened.
        """
        build = {
            "config": asdict(self.config),
            "num_labels": self.head.linear.out_features,
            "pooling": self.pooling,
            "pooler": isinstance(self.head.pooler, Pooler),
        }
        state = {name: tensor.contiguous() for name, tensor in self.state_dict().items()}
        save_file(state, path, metadata={"classifier": json.dumps(build)})

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], attn_implementation: AttentionImplementation = "sdpa"
    ) -> Classifier:
        """Build the model that :meth:`save` wrote, in evaluation mode.

        Args:
            path: the file.
            attn_implementation: see :class:`TransformerConfig`; any fits the weights.

        Raises:
            ValueError: if the file was not written by :meth:`save`.
        """
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if "classifier" not in metadata:
            raise ValueError(f"{path} holds no classifier: expected a file from Classifier.save.")
        build = json.loads(metadata["classifier"])
        config = TransformerConfig(**build.pop("config"))
        model = cls(replace(config, attn_implementation=attn_implementation), **build)
        model.load_state_dict(state)
        return model.eval()


class TokenModel(nn.Module):
    """An encoder whose every token gets an answer: no pooling; the head is a subclass's choice."""

    head: nn.Module

    def __init__(self, config: AnyConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        attention_mask: PaddingMask | None = None,
        token_type_ids: Int[Tensor, "batch tokens"] | None = None,
        output_attentions: bool = False,
    ) -> HeadOutput:
        """Compute logits ``[batch, tokens, labels]``; arguments as in :class:`Classifier`."""
        body = self.encoder(
            input_ids, attention_mask, token_type_ids, output_attentions=output_attentions
        )
        return HeadOutput(self.head(body.last_hidden_state), body.attentions)


class TokenClassifier(TokenModel):
    """A class for every token (named entities, word classes)."""

    def __init__(self, config: AnyConfig, num_labels: int) -> None:
        super().__init__(config)
        self.head = ClassificationHead(config, num_labels).apply(initialize)


class MaskedLanguageModel(TokenModel):
    """BERT as it was pretrained: which word stands at each token? One class a word."""

    head: MaskedLanguageHead

    def __init__(self, config: AnyConfig) -> None:
        super().__init__(config)
        word_embeddings = self.encoder.embeddings.word_embeddings
        self.head = MaskedLanguageHead(config, word_embeddings).apply(initialize)


# Losses: on logits, one mean over everything that has a label.


def cross_entropy(
    logits: Float[Tensor, "*batch labels"],
    labels: Int[Tensor, "*batch"],
    class_weights: Float[Tensor, " labels"] | None = None,
    label_smoothing: float = 0.0,
) -> Float[Tensor, ""]:
    """Negative log-probability of the right class, averaged; softmax is inside.

    One function for texts ``[batch, labels]`` and for tokens ``[batch, tokens, labels]``: the
    leading dimensions are flattened, since PyTorch would look for the classes in dimension 1.

    Args:
        logits: as the head gives them, not probabilities.
        labels: the right class of each; where it is -100, as at padding, nothing is counted.
        class_weights: how much an example of each class counts.
        label_smoothing: share of the target that is spread over all classes.
    """
    if class_weights is not None:
        class_weights = class_weights.to(logits)  # the same device and dtype
    return F.cross_entropy(
        logits.flatten(0, -2), labels.flatten(), class_weights, label_smoothing=label_smoothing
    )


def squared_error(
    outputs: Float[Tensor, "*outputs"], targets: Float[Tensor, "*targets"]
) -> Float[Tensor, ""]:
    """Mean squared error of a regression.

    Raises:
        ValueError: if the shapes differ, apart from a last dimension of 1: ``[batch, 1]`` minus
            ``[batch]`` would silently compare every output with every target.
    """
    if outputs.dim() == targets.dim() + 1 and outputs.size(-1) == 1:
        outputs = outputs.squeeze(-1)
    if outputs.shape != targets.shape:
        raise ValueError(
            f"Found outputs of shape {tuple(outputs.shape)} and targets of shape "
            f"{tuple(targets.shape)}; expected one target for each output."
        )
    return F.mse_loss(outputs, targets)
