"""The position-wise feed-forward layer (Vaswani et al. 2017, section 3.3, equation 2).

Attention mixes tokens; this layer thinks about each token alone: a linear map to a wider vector
(four times as wide in BERT and GPT-2), a nonlinear function, and a linear map back. The same
weights serve every position, so it is also a convolution of width 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from solutions.config import AnyConfig, TransformerConfig


def relu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """``max(0, x)``: the activation of the original Transformer."""
    return x.clamp(min=0)


def gelu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """``x * P(a standard normal number is below x)`` (Hendrycks and Gimpel 2016); BERT's."""
    return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def gelu_tanh(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """The approximation of GELU by tanh; GPT-2's. Off by up to 5e-4, enough to fail at 1e-5."""
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def silu(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """``x * sigmoid(x)``, also called Swish; the gate of SwiGLU."""
    return x * torch.sigmoid(x)


# The names that Hugging Face gives them. The functions above say what is computed; the layers run
# PyTorch's, which do the same in one pass over memory.
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_new": partial(F.gelu, approximate="tanh"),
    "gelu_pytorch_tanh": partial(F.gelu, approximate="tanh"),
    "silu": F.silu,
}


def activation(name: str) -> Callable[[Tensor], Tensor]:
    """Look an activation up by its Hugging Face name, such as ``"gelu"`` or ``"gelu_new"``.

    Raises:
        ValueError: if no activation has that name.
    """
    if name not in ACTIVATIONS:
        raise ValueError(f"No activation {name!r}; expected one of {', '.join(ACTIVATIONS)}.")
    return ACTIVATIONS[name]


class FeedForward(nn.Module):
    """``output(activation(intermediate(x)))``, for each token by itself, then dropout."""

    def __init__(self, config: AnyConfig) -> None:
        super().__init__()
        config = TransformerConfig.from_config(config)
        self.intermediate = nn.Linear(config.hidden_size, config.intermediate_size)
        self.activation = activation(config.hidden_act)
        self.output = nn.Linear(config.intermediate_size, config.hidden_size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self, hidden_states: Float[Tensor, "*batch hidden"]
    ) -> Float[Tensor, "*batch hidden"]:
        """Map ``[..., hidden]`` to ``[..., hidden]``; no token sees another."""
        expanded = self.activation(self.intermediate(hidden_states))  # [..., intermediate]
        return self.dropout(self.output(expanded))


class SwiGLU(nn.Module):
    """A gated feed-forward layer (Shazeer 2020, "GLU Variants Improve Transformer", equation 6).

    ``output(silu(gate(x)) * intermediate(x))``, without biases, as in Llama: one map proposes
    numbers, the other decides how much of each passes. Three matrices instead of two, so
    ``intermediate_size`` is usually set to 8/3 of ``hidden_size`` instead of 4 times it, which
    costs the same.
    """

    def __init__(self, config: AnyConfig) -> None:
        super().__init__()
        config = TransformerConfig.from_config(config)
        self.gate = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.intermediate = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.output = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self, hidden_states: Float[Tensor, "*batch hidden"]
    ) -> Float[Tensor, "*batch hidden"]:
        """Map ``[..., hidden]`` to ``[..., hidden]``; no token sees another."""
        expanded = F.silu(self.gate(hidden_states)) * self.intermediate(hidden_states)
        return self.dropout(self.output(expanded))  # expanded: [..., intermediate]


class ConvolutionFeedForward(nn.Module):
    """A feed-forward layer written as two convolutions of width 1 over the sequence.

    Args:
        feed_forward: the layer whose weights are copied. ``nn.Linear`` keeps
            ``[out, in]``, ``nn.Conv1d`` ``[out, in, width]``: the same numbers, one axis more.
    """

    def __init__(self, feed_forward: FeedForward) -> None:
        super().__init__()
        self.intermediate = _as_convolution(feed_forward.intermediate)
        self.activation = feed_forward.activation
        self.output = _as_convolution(feed_forward.output)
        self.dropout = nn.Dropout(feed_forward.dropout.p)
        self.train(feed_forward.training)

    def forward(
        self, hidden_states: Float[Tensor, "batch tokens hidden"]
    ) -> Float[Tensor, "batch tokens hidden"]:
        """Give exactly what the copied layer gives for ``[batch, tokens, hidden]``."""
        channels_first = hidden_states.transpose(1, 2)  # [batch, hidden, tokens]
        expanded = self.activation(
            self.intermediate(channels_first)
        )  # [batch, intermediate, tokens]
        return self.dropout(self.output(expanded).transpose(1, 2))  # [batch, tokens, hidden]


def _as_convolution(linear: nn.Linear) -> nn.Conv1d:
    convolution = nn.Conv1d(linear.in_features, linear.out_features, kernel_size=1)
    convolution.to(linear.weight.device, linear.weight.dtype)
    convolution.load_state_dict({"weight": linear.weight[:, :, None], "bias": linear.bias})
    return convolution
