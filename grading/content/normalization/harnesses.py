"""Harnesses of assignment 4: how its classes and functions are put to work.

Released with the assignment. Each gets the student's class or function first and returns a plain
value, or raises a `Finding` whose sentence is shown as it is. Nothing here holds an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading.check import Finding, loaded, weighted

# ---- Modules -----------------------------------------------------------------------------------


def run_on(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> Tensor:
    """Build, load and run; ``x`` is an argument of its own, and its gradient alone is taken."""
    return loaded(cls, init, state).eval().requires_grad_(False)(x)


def fresh_state(cls: type, init: list) -> list[dict[str, Tensor]]:
    """What the weights of two modules are before anything was learned."""
    return [
        {name: parameter.detach() for name, parameter in cls(*init).named_parameters()}
        for _ in range(2)
    ]


def run_in_float64(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> Tensor:
    """Move the loaded module to float64, and run it on numbers of that kind."""
    return loaded(cls, init, state).eval().double()(x.double())


def gradients_reach(
    cls: type, init: list, state: dict[str, Tensor], x: Tensor
) -> dict[str, Tensor | None]:
    """Each parameter's gradient for a fixed loss, or None."""
    module = loaded(cls, init, state).eval()
    weighted(module(x)).sum().backward()
    return {name: parameter.grad for name, parameter in module.named_parameters()}


def evaluate_twice(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> list[Tensor]:
    """What two calls with the same input give in evaluation mode."""
    module = loaded(cls, init, state).eval()
    return [module(x.clone()), module(x)]


_PARTS = ("self_attn.out_proj", "linear2")  # the last matrix of attention and of feed-forward


def _silenced(state: dict[str, Tensor], *parts: str) -> dict[str, Tensor]:
    """The weights, with zeros for the last layer of a part, which then has nothing to drop."""
    return {
        name: torch.zeros_like(tensor) if name.startswith(parts) else tensor
        for name, tensor in state.items()
    }


def evaluate_and_train(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> list[Tensor]:
    """Evaluation with the rate of dropout and with the rate 0.

    Then evaluation with both parts silenced, and evaluation and training with one of them, and with
    none. What is not silenced brings its last bias, the same for every token.
    """
    module, plain = (loaded(cls, [*init[:-1], rate], state).eval() for rate in (init[-1], 0.0))
    results = [module(x.clone()), plain(x.clone())]
    biases = _silenced(state, *(f"{part}.weight" for part in _PARTS))
    for silenced in (_PARTS, _PARTS[1:], _PARTS[:1], ("no part",)):
        module.load_state_dict(_silenced(biases, *silenced))
        results.append(module.eval()(x.clone()))
        if silenced != _PARTS:
            with torch.no_grad():
                results.append(module.train()(x.clone()))
    return results


def train_twice(
    cls: type, init: list, state: dict[str, Tensor], x: Tensor
) -> dict[str, list[Tensor]]:
    """Results in training mode, with one part silenced, or the other, or both, or the rate 0."""
    attention, feed_forward = _PARTS
    modules = {rate: loaded(cls, [*init[:-1], rate], state).train() for rate in (0.0, init[-1])}

    def results(*silenced: str, rate: float = init[-1], calls: int = 4) -> list[Tensor]:
        """Results in training mode."""
        module = modules[rate]
        module.load_state_dict(_silenced(state, *silenced))
        return [module(x.clone()) for _ in range(calls)]

    return {
        "a rate of zero": results(rate=0.0, calls=2),
        "both silenced": results(attention, feed_forward, calls=2),
        "attention alone": results(feed_forward),
        "feed-forward alone": results(attention),
    }


# ---- Stacks ------------------------------------------------------------------------------------


def run_stack(
    function: Callable,
    x: Tensor,
    sublayers: list[dict[str, Tensor]],
    norms: list[dict[str, Tensor]],
    placement: str,
) -> Tensor:
    """Make modules of the weights and call ``function`` with them."""
    return function(x, [_sublayer(s) for s in sublayers], [_norm(n) for n in norms], placement)


def run_stack_twice(
    function: Callable,
    x: Tensor,
    sublayers: list[dict[str, Tensor]],
    norms: list[dict[str, Tensor]],
    placement: str,
) -> list[Any]:
    """Call ``function`` twice with the same two lists; bring the second result and lengths."""
    parts, normalisations = [_sublayer(s) for s in sublayers], [_norm(n) for n in norms]
    function(x.clone(), parts, normalisations, placement)
    lengths = [len(parts), len(normalisations)]
    if lengths != [len(sublayers), len(norms)]:
        return [None, lengths]
    return [function(x, parts, normalisations, placement), lengths]


def _sublayer(state: dict[str, Tensor]) -> nn.Module:
    linear = nn.Linear(state["weight"].size(1), state["weight"].size(0))
    linear.load_state_dict(state)
    return nn.Sequential(linear, nn.Tanh())


def _norm(state: dict[str, Tensor]) -> nn.Module:
    norm = nn.LayerNorm(state["weight"].numel())
    norm.load_state_dict(state)
    return norm


# ---- Folded weights ----------------------------------------------------------------------------

State = dict[str, Tensor]


def first_state(function: Callable, before: State, norm: State, after: State) -> State:
    """The weights that take the place of ``before``."""
    return _two_states(function(before, norm, after))[0]


def second_state(function: Callable, before: State, norm: State, after: State) -> State:
    """The weights that take the place of ``after``."""
    return _two_states(function(before, norm, after))[1]


def without_a_bias(
    function: Callable, before: State, norm: State, after: State
) -> list[tuple[State, State]]:
    """The new weights, and what they would be if ``before`` had a bias of zeros."""
    zeros = before["weight"].new_zeros(len(before["weight"]))
    biased = {**before, "bias": zeros}
    return [_two_states(function(given, norm, after)) for given in (before, biased)]


def folded_output(
    function: Callable, before: State, norm: State, after: State, x: Tensor, eps: float
) -> Tensor:
    """Run the folded model: a linear layer, RMSNorm without a gain, a linear layer."""
    first, second = _two_states(function(before, norm, after))
    hidden = F.linear(x, first["weight"], first.get("bias"))
    hidden = F.rms_norm(hidden, (hidden.size(-1),), eps=eps)
    return F.linear(hidden, second["weight"], second.get("bias"))


def _two_states(value: object) -> tuple[State, State]:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise Finding("Return two dictionaries: `return new_before, new_after`.")
    for name, state in zip(("first", "second"), value, strict=True):
        if not isinstance(state, dict) or not all(isinstance(t, Tensor) for t in state.values()):
            raise Finding(f"The {name} of the two returned values must be a dictionary of tensors.")
        if "weight" not in state:
            raise Finding(f"The {name} dictionary has no `weight`.")
    return tuple(value)
