"""Weights in eight bits: a quarter of the bytes of float32, and a little less exact.

Each row of a matrix becomes whole numbers from -127 to 127 and one scale, the row's largest
absolute value divided by 127 (absmax quantisation; Dettmers et al. 2022, "LLM.int8()", section 2.1,
whose vector-wise scales these are). Only what is stored gets smaller: for a product the numbers are
multiplied by their scale again. The paper goes further and multiplies whole numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Quantized(NamedTuple):
    """A matrix as whole numbers ``[rows, columns]``, int8, and scales ``[rows, 1]`` or ``[1, 1]``.

    Fewer than eight bits use only a part of what int8 can hold; nothing packs them.
    """

    values: Tensor
    scale: Tensor

    def dequantize(self) -> Float[Tensor, "rows columns"]:
        """The matrix again; each number is off by at most half of its scale."""
        return self.values.to(self.scale.dtype) * self.scale


def quantize(
    weight: Float[Tensor, "rows columns"], bits: int = 8, by_row: bool = True
) -> Quantized:
    """Round a matrix to whole numbers.

    Args:
        weight: ``[rows, columns]``.
        bits: 2 to 8; the numbers go from ``-(2 ** (bits - 1) - 1)`` to its opposite.
        by_row: give each row a scale of its own; otherwise one for the whole matrix, which a single
            large weight decides.

    Raises:
        ValueError: if there are too few or too many bits.
    """
    if not 2 <= bits <= 8:
        raise ValueError(f"bits is {bits}; expected 2 to 8.")
    limit = 2 ** (bits - 1) - 1  # 127 for 8 bits
    magnitude = weight.abs()
    largest = magnitude.amax(dim=1, keepdim=True) if by_row else magnitude.amax().view(1, 1)
    scale = largest.masked_fill(largest == 0, 1.0) / limit  # a row of zeros stays one
    return Quantized((weight / scale).round().to(torch.int8), scale)


class QuantizedLinear(nn.Module):
    """A linear map whose weights are kept in eight bits; the bias stays as it is.

    Args:
        linear: the map whose weights are rounded.
        bits: see :func:`quantize`.
        by_row: see :func:`quantize`.
    """

    values: Tensor
    scale: Tensor

    def __init__(self, linear: nn.Linear, bits: int = 8, by_row: bool = True) -> None:
        super().__init__()
        values, scale = quantize(linear.weight.detach(), bits, by_row)
        self.register_buffer("values", values)  # [out, in], int8
        self.register_buffer("scale", scale)
        self.bias = linear.bias

    def forward(self, x: Float[Tensor, "*batch inputs"]) -> Float[Tensor, "*batch outputs"]:
        """Map ``[..., in]`` to ``[..., out]``."""
        weight = Quantized(self.values, self.scale).dequantize()
        return F.linear(x, weight.to(x.dtype), self.bias)


def quantize_linear_layers(module: nn.Module, bits: int = 8, by_row: bool = True) -> nn.Module:
    """Replace every linear map in a module by a quantised one; the module is changed.

    Embeddings and normalisations keep their numbers.
    """
    for name, linear in list(module.named_modules()):
        if isinstance(linear, nn.Linear):
            module.set_submodule(name, QuantizedLinear(linear, bits, by_row))
    return module
