"""From token ids to vectors: which token it is, where it stands and, in BERT, in which segment."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.config import AnyConfig, TransformerConfig
from solutions.normalization import make_norm
from solutions.positions import LearnedPositions, SinusoidalPositions


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
    """Token + position, as ``config.positions`` says; and more where a model has more.

    Args:
        config: a :class:`TransformerConfig` or a Hugging Face configuration.
        segments: BERT's (Devlin et al. 2019, section 3, figure 2): add a vector for the segment,
            normalise the sum, and keep the padding token's vector zero. GPT-2 has no padding token,
            so every id has to be learned.
        scaled: multiply the token's vector by ``sqrt(hidden_size)`` (Vaswani et al. 2017, section
            3.4).
    """

    def __init__(self, config: AnyConfig, *, segments: bool = False, scaled: bool = False) -> None:
        super().__init__()
        config = TransformerConfig.from_config(config)
        size = config.hidden_size
        self.scale = math.sqrt(size) if scaled else 1.0
        padding = config.pad_token_id if segments else None
        self.word_embeddings = TokenEmbeddings(config.vocab_size, size, padding_idx=padding)
        self.position_embeddings: LearnedPositions | SinusoidalPositions | None = None
        if config.positions == "learned":
            self.position_embeddings = LearnedPositions(config)
        elif config.positions == "sinusoidal":
            self.position_embeddings = SinusoidalPositions(size)
        self.token_type_embeddings = (
            nn.Embedding(config.type_vocab_size, size) if segments else None
        )
        self.norm = make_norm(config) if segments else nn.Identity()
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        token_type_ids: Int[Tensor, "batch tokens"] | None = None,
        position_ids: Int[Tensor, "#batch tokens"] | None = None,
        past_length: int = 0,
    ) -> Float[Tensor, "batch tokens hidden"]:
        """Turn ids ``[batch, tokens]`` into vectors ``[batch, tokens, hidden]``.

        Args:
            input_ids: token ids.
            token_type_ids: the segment of each token, 0 for sentence A and 1 for B; all 0 if left
                out.
            position_ids: the position of each token; counted on from ``past_length`` if left out.
            past_length: number of tokens that were read before these.

        Raises:
            ValueError: if an id or a position lies outside its table.
        """
        embedded = self.word_embeddings(input_ids) * self.scale  # [batch, tokens, hidden]
        if self.token_type_embeddings is not None:
            if token_type_ids is None:
                token_type_ids = torch.zeros_like(input_ids)
            embedded = embedded + self.token_type_embeddings(token_type_ids)
        if self.position_embeddings is not None:
            if position_ids is None:
                end = past_length + input_ids.size(1)
                position_ids = torch.arange(past_length, end, device=input_ids.device)[None]
            embedded = embedded + self.position_embeddings(position_ids).to(embedded.dtype)
        return self.dropout(self.norm(embedded))

    def logits(
        self, hidden_states: Float[Tensor, "batch tokens hidden"]
    ) -> Float[Tensor, "batch tokens vocab"]:
        """Compare each vector with that of every token; the same weights serve both ways.

        Press and Wolf 2017; Vaswani et al. 2017, section 3.4. One parameter, not a copy.
        """
        return F.linear(hidden_states, self.word_embeddings.weight)
