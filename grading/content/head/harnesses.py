"""Harnesses of assignment 7: how a training loop is watched, and a loss that counts nothing.

Released with the assignment. The harness gets the student's function first and returns a plain
value. Nothing here holds an answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from grading.check import Finding, copied


class Watched(nn.Module):
    """A model that knows in which epoch its weight, and in which its buffer, was last changed.

    The buffer counts, as that of a batch norm does, in whole numbers.
    """

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2))
        self.register_buffer("batches", torch.zeros(1, dtype=torch.int64))
        self.dropout = nn.Dropout(0.5)
        self.loaded = False

    def load_state_dict(self, *arguments, **options):
        """Remember that weights were loaded."""
        self.loaded = True
        return super().load_state_dict(*arguments, **options)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Scale, with dropout."""
        return self.dropout(x * self.weight)


def on_copies(function: Callable, *arguments: Any) -> Any:
    """A call whose arguments are nobody else's."""
    return function(*copied(arguments))


def backward(
    function: Callable,
    logits_a: torch.Tensor,
    labels_a: torch.Tensor,
    logits_b: torch.Tensor,
    labels_b: torch.Tensor,
) -> dict:
    """A loss of nothing but padding, and the gradients that `backward()` makes of it."""
    logits = [logits_a.requires_grad_(), logits_b.requires_grad_()]
    loss = function(logits[0], labels_a, logits[1], labels_b)
    if not isinstance(loss, torch.Tensor):
        raise Finding(f"It returned {loss!r}; expected a tensor."[:200])
    if not loss.requires_grad:
        raise Finding("The loss does not hang on the logits, so `backward()` fails.")
    loss.sum().backward()
    return {
        "loss": loss.detach(),
        "gradients": [torch.zeros_like(z) if z.grad is None else z.grad for z in logits],
    }


MOST_EPOCHS = 60


def _run(
    function: Callable, losses: list[float], epochs: int, patience: int, new: bool = False
) -> tuple:
    model, trained, modes = Watched(), [], {"training": [], "validation": []}
    losses = [float(loss) for loss in losses]  # "NaN" is written as text

    def train_one_epoch(given: nn.Module) -> None:
        if len(trained) >= MOST_EPOCHS:
            raise Finding("It never stops: the epochs in all are limited, too.")
        if given is not model:
            raise Finding("`train_one_epoch` was called with another model than the one given.")
        if not torch.is_grad_enabled():
            raise Finding("Nothing can be trained while gradients are switched off (`no_grad`).")
        modes["training"].append([module.training for module in given.modules()])
        trained.append(len(trained) + 1)
        with torch.no_grad():
            given.weight.add_(1.0)
            given.batches.add_(1)

    def validation_loss(given: nn.Module) -> float:
        if given is not model:
            raise Finding("`validation_loss` was called with another model than the one given.")
        if not trained:
            raise Finding("It asked for the validation loss before the first epoch.")
        modes["validation"].append([module.training for module in given.modules()])
        return losses[(len(trained) - 1) % len(losses)]

    model.train(new)  # a model that was loaded is in evaluation mode
    history = function(model, train_one_epoch, validation_loss, epochs, patience)
    return model, len(trained), modes, history


def stops(function: Callable, losses: list[float], epochs: int, patience: int) -> dict:
    """How many epochs are trained, and which history comes back."""
    _, trained, _, history = _run(function, losses, epochs, patience)
    if isinstance(history, list | tuple):
        history = ["NaN" if math.isnan(loss) else float(loss) for loss in history]
    return {"epochs trained": trained, "history": history}


def keeps(function: Callable, losses: list[float], epochs: int, patience: int) -> dict:
    """The model's weights and buffers in the end."""
    model, trained, _, _ = _run(function, losses, epochs, patience)
    return {"state": dict(model.state_dict()), "epochs": trained, "loaded": model.loaded}


def modes(
    function: Callable, losses: list[float], epochs: int, patience: int, new: bool = False
) -> dict:
    """Which modules were in training mode whenever it was trained and evaluated, and are now."""
    model, _, found, _ = _run(function, losses, epochs, patience, new)
    return {**found, "left": [[module.training for module in model.modules()]]}
