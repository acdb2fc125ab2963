"""A translator: an encoder that can read already, and a decoder that learns to write.

The original trains both together. Here the encoder is a BERT that stays as it is, and a decoder
with cross-attention learns another language from what the encoder makes of the source.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.config import AnyConfig, TransformerConfig
from solutions.decoder import DecoderStack, SequenceToSequence
from solutions.embeddings import Embeddings
from solutions.encoder import Encoder
from solutions.layers import initialize
from solutions.masks import AnyMask
from solutions.normalization import make_norm


class Bridge(nn.Module):
    """From an encoder's hidden states to a decoder's: mix the layers, then one linear map.

    Early layers know best which word it is, late ones what it means in its sentence; how much of
    each is taken is learned, one number a layer (Peters et al. 2018, "ELMo", equation 1).

    Args:
        encoder_config: of the encoder.
        config: of the decoder.
    """

    def __init__(self, encoder_config: TransformerConfig, config: TransformerConfig) -> None:
        super().__init__()
        self.layer_scores = nn.Parameter(torch.zeros(encoder_config.num_hidden_layers + 1))
        self.linear = nn.Linear(encoder_config.hidden_size, config.hidden_size)
        self.norm = make_norm(config)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self, hidden_states: Float[Tensor, "layers batch source encoder_hidden"]
    ) -> Float[Tensor, "batch source hidden"]:
        """Map ``[layers, batch, source, encoder_hidden]`` to ``[batch, source, hidden]``."""
        shares = self.layer_scores.softmax(dim=0)  # [layers]
        mixed = torch.einsum("l,lbsh->bsh", shares, hidden_states.to(shares.dtype))
        return self.dropout(self.norm(self.linear(mixed)))


class Translator(SequenceToSequence):
    """An encoder-decoder whose encoder was trained before, on another task.

    Args:
        encoder: reads the source; its parameters are not trained.
        config: of the decoder; its ``vocab_size`` is that of the target language.
    """

    def __init__(self, encoder: Encoder, config: AnyConfig) -> None:
        super().__init__()
        self.config = config = TransformerConfig.from_config(config)
        self.encoder = encoder.requires_grad_(False)
        self.bridge = Bridge(encoder.config, config)
        self.embeddings = Embeddings(config)
        self.decoder = DecoderStack(config, cross_attention=True)
        for part in (self.bridge, self.embeddings, self.decoder):
            part.apply(initialize)

    def encode(
        self, input_ids: Int[Tensor, "batch source"], attention_mask: AnyMask | None = None
    ) -> Float[Tensor, "batch source hidden"]:
        """Read the source; its vectors ``[batch, source, hidden]`` are needed at every step."""
        return self.bridge(self.read(input_ids, attention_mask))

    @torch.no_grad()
    def read(
        self, input_ids: Int[Tensor, "batch source"], attention_mask: AnyMask | None = None
    ) -> Float[Tensor, "layers batch source encoder_hidden"]:
        """The encoder's part, which training leaves as it is: the hidden states of all layers."""
        output = self.encoder(input_ids, attention_mask, output_hidden_states=True)
        return torch.stack(output.hidden_states)

    def train(self, mode: bool = True) -> Translator:
        """Switch dropout on or off, except in the encoder, whose numbers stay what they are."""
        super().train(mode)
        self.encoder.eval()
        return self
