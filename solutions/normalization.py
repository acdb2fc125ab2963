"""Layer normalisation, and the two places where a residual layer can have it.

Every token's vector is brought to a common size by its own mean and variance, never by its
neighbours'. Where that happens decides how a deep stack trains: after the residual sum (post-norm,
the original) or before the sublayer (pre-norm, GPT-2 and nearly everything since).
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from solutions.config import TransformerConfig


class LayerNorm(nn.Module):
    """``(x - mean) / sqrt(variance + eps) * weight + bias`` (Ba et al. 2016, section 3).

    Mean and variance are those of one vector's ``hidden_size`` numbers, the variance divided by
    ``hidden_size`` and not by one less; ``eps`` stands inside the root. Both as in
    ``nn.LayerNorm``, whose weights load here.

    Args:
        hidden_size: length of the vectors.
        eps: keeps a vector of equal numbers from a division by zero.
    """

    def __init__(self, hidden_size: int, eps: float = 1e-12) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))

    def forward(
        self, hidden_states: Float[Tensor, "*batch hidden"]
    ) -> Float[Tensor, "*batch hidden"]:
        """Normalise each vector of ``[..., hidden]``; statistics in float32 or better."""
        x = _at_least_float32(hidden_states)
        mean = x.mean(dim=-1, keepdim=True)  # [..., 1]
        variance = x.var(dim=-1, keepdim=True, correction=0)  # [..., 1]
        normalised = (x - mean) / torch.sqrt(variance + self.eps)
        return (normalised * self.weight + self.bias).to(hidden_states.dtype)


class RMSNorm(nn.Module):
    """``x / sqrt(mean(x^2) + eps) * weight`` (Zhang and Sennrich 2019, equation 4).

    Layer normalisation that keeps the mean where it is and has no bias: the size of a vector is
    what needs control, and this is less arithmetic. ``nn.RMSNorm``'s weights load here.

    Args:
        hidden_size: length of the vectors.
        eps: keeps a vector of zeros from a division by zero.
    """

    def __init__(self, hidden_size: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))

    def forward(
        self, hidden_states: Float[Tensor, "*batch hidden"]
    ) -> Float[Tensor, "*batch hidden"]:
        """Normalise each vector of ``[..., hidden]``; statistics in float32 or better."""
        x = _at_least_float32(hidden_states)
        mean_square = x.square().mean(dim=-1, keepdim=True)  # [..., 1]
        normalised = x / torch.sqrt(mean_square + self.eps)
        return (normalised * self.weight).to(hidden_states.dtype)


class Residual(nn.Module):
    """A sublayer's result is added to what came in; where the norm stands, a subclass says.

    Args:
        sublayer: any module from ``[..., hidden]`` to ``[..., hidden]``.
        norm: the normalisation, such as ``LayerNorm(hidden_size)``.
        dropout: probability that a number of the sublayer's result is zeroed while training.
    """

    def __init__(self, sublayer: nn.Module, norm: nn.Module, dropout: float = 0.0) -> None:
        super().__init__()
        self.sublayer = sublayer
        self.norm = norm
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, hidden_states: Float[Tensor, "*batch hidden"]
    ) -> Float[Tensor, "*batch hidden"]:
        """Apply the sublayer and add its input, with the normalisation in its place."""
        update = self.sublayer(self.before(hidden_states, self.norm))
        return self.after(hidden_states + self.dropout(update), self.norm)

    @staticmethod
    def before(x: Tensor, norm: nn.Module) -> Tensor:
        """What the sublayer is given; ``x`` itself, unless a subclass normalises here."""
        return x

    @staticmethod
    def after(total: Tensor, norm: nn.Module) -> Tensor:
        """What is made of the sum; the sum itself, unless a subclass normalises here."""
        return total


class PostNorm(Residual):
    """``norm(x + dropout(sublayer(x)))``: the original (Vaswani et al. 2017, section 3.1).

    The normalisation lies *on* the residual path: what flows up through a deep stack, and the
    gradient that flows down, passes through all of them.
    """

    @staticmethod
    def after(total: Tensor, norm: nn.Module) -> Tensor:
        """Normalise the sum."""
        return norm(total)


class PreNorm(Residual):
    """``x + dropout(sublayer(norm(x)))`` (Xiong et al. 2020, "On Layer Normalization", figure 1).

    The residual path runs through untouched, from the embeddings to the top. A stack of these
    usually has one more normalisation at its end.
    """

    @staticmethod
    def before(x: Tensor, norm: nn.Module) -> Tensor:
        """Normalise what the sublayer is given."""
        return norm(x)


def make_norm(config: TransformerConfig) -> nn.Module:
    """Our normalisation or, with "sdpa", PyTorch's: the same numbers.

    PyTorch's layer normalisation is one kernel. Its RMSNorm, though less arithmetic, is several on
    a CPU, and can be the slower of the two.
    """
    fused = config.attn_implementation == "sdpa"
    if config.normalization == "rms_norm":
        rms_norm = nn.RMSNorm if fused else RMSNorm
        return rms_norm(config.hidden_size, eps=config.layer_norm_eps)
    layer_norm = nn.LayerNorm if fused else LayerNorm
    return layer_norm(config.hidden_size, eps=config.layer_norm_eps)


def _at_least_float32(x: Tensor) -> Tensor:
    """A square of 300 is infinite in float16, and bfloat16 loses the small differences."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
