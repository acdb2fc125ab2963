"""Low-rank adaptation: fine-tuning that leaves the weights alone and learns a small correction.

What fine-tuning adds to a matrix is assumed to have a low rank, so two thin matrices are trained in
its place (Hu et al. 2022, "LoRA", section 4.1). One body then serves many tasks, each of which
brings along a file of a few hundred kilobytes.
"""

from __future__ import annotations

import copy

import torch
from jaxtyping import Float
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A frozen linear map plus a trained one of low rank, which starts as zero.

    Args:
        linear: the map to adapt; its weights are frozen.
        rank: rank of the correction ``up.weight @ down.weight``, ``[out, in]``.
        alpha: the correction is multiplied by ``alpha / rank``, so that a learning rate that is
            good for one rank is about as good for another.
    """

    def __init__(self, linear: nn.Linear, rank: int = 8, alpha: float = 16.0) -> None:
        super().__init__()
        self.linear = linear.requires_grad_(False)
        like = {"device": linear.weight.device, "dtype": linear.weight.dtype}
        self.down = nn.Linear(linear.in_features, rank, bias=False, **like)
        self.up = nn.Linear(rank, linear.out_features, bias=False, **like)
        nn.init.zeros_(self.up.weight)
        self.scale = alpha / rank

    def forward(self, x: Float[Tensor, "*batch inputs"]) -> Float[Tensor, "*batch outputs"]:
        """Map ``[..., in]`` to ``[..., out]``."""
        return self.linear(x) + self.scale * self.up(self.down(x))

    @torch.no_grad()
    def merged(self) -> nn.Linear:
        """Return an ordinary linear map with the correction added to its weights."""
        linear = copy.deepcopy(self.linear)
        linear.weight += self.scale * self.up.weight @ self.down.weight
        return linear


def add_lora(module: nn.Module, rank: int = 8, alpha: float = 16.0) -> nn.Module:
    """Freeze a module, and give every linear map in it a correction; the module is changed.

    Raises:
        ValueError: if the rank is below 1.
    """
    if rank < 1:
        raise ValueError(f"rank is {rank}; expected at least 1.")
    module.requires_grad_(False)
    for name, linear in list(module.named_modules()):
        if isinstance(linear, nn.Linear):
            module.set_submodule(name, LoRALinear(linear, rank, alpha))
    return module


def merge_lora(module: nn.Module) -> nn.Module:
    """Add all corrections to the weights that they correct; the module is changed."""
    for name, part in list(module.named_modules()):
        if isinstance(part, LoRALinear):
            module.set_submodule(name, part.merged())
    return module


def lora_state(module: nn.Module) -> dict[str, Tensor]:
    """Return what was trained, under the names that it has in ``module.state_dict()``."""
    trained = {name for name, parameter in module.named_parameters() if parameter.requires_grad}
    return {name: tensor for name, tensor in module.state_dict().items() if name in trained}
