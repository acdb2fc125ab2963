"""Harnesses of assignment 4: how its classes and functions are put to work.

Released with the assignment. Each gets the student's class or function first and returns a plain
value, or raises a `Finding` whose sentence is shown as it is. Nothing here holds an answer.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading.check import Finding, loaded

# ---- Modules -----------------------------------------------------------------------------------


def run_on(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> Tensor:
    """Build, load and run; ``x`` is an argument of its own, so that its gradient is taken."""
    return loaded(cls, init, state).eval()(x)


def fresh_state(cls: type, init: list) -> dict[str, Tensor]:
    """What a module's weights are before anything was learned."""
    first, second = (dict(cls(*init).named_parameters()) for _ in range(2))
    if any(not torch.equal(tensor, second[name]) for name, tensor in first.items()):
        raise Finding(
            "Two fresh modules differ: their weights start at random. The gain starts at 1 and the "
            "bias at 0."
        )
    return {name: parameter.detach() for name, parameter in first.items()}


def run_in_float64(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> Tensor:
    """Move the loaded module to float64, and run it on numbers of that kind."""
    return loaded(cls, init, state).eval().double()(x.double())


def gradients_reach(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> list[str]:
    """Name the parameters that a gradient reaches."""
    module = loaded(cls, init, state).eval()
    (module(x) * torch.linspace(-1, 1, x.numel()).view(x.shape)).sum().backward()
    parameters = sorted(module.named_parameters())
    unreached = [name for name, parameter in parameters if parameter.grad is None]
    if unreached:
        raise Finding(f"No gradient reaches `{unreached[0]}`.")
    return [name for name, _ in parameters]


def evaluate_twice(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> Tensor:
    """In evaluation mode the same input gives the same result."""
    module = loaded(cls, init, state).eval()
    first, second = module(x), module(x)
    if not torch.equal(first, second):
        raise Finding(
            "In evaluation mode two calls with the same input give different numbers: dropout is "
            "still alive after `eval()`."
        )
    return first


def train_twice(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> list[str]:
    """In training mode dropout falls on the result of each part, and on nothing else."""
    attention, feed_forward = "self_attn.out_proj", "linear2"

    def results(*silenced: str, rate: float = init[-1]) -> list[Tensor]:
        """Four results in training mode; a part whose last matrix is zero has nothing to drop."""
        quiet = {
            name: torch.zeros_like(tensor) if name.startswith(silenced) else tensor
            for name, tensor in state.items()
        }
        module = loaded(cls, [*init[:-1], rate], quiet).train()
        return [module(x) for _ in range(4)]

    def vary(found: list[Tensor]) -> bool:
        return any(not torch.equal(found[0], other) for other in found[1:])

    if vary(results("nothing", rate=0.0)):
        raise Finding(
            "In training mode the layer drops although it was built with dropout=0.0: the rate is "
            "not taken from the argument `dropout`."
        )
    if vary(results(attention, feed_forward)):
        raise Finding(
            "In training mode dropout falls on more than the results of the two parts: with both "
            "at zero the layer still varies. Leave the sum and the norms without dropout."
        )
    for name, other in (("attention", feed_forward), ("the feed-forward network", attention)):
        if not vary(results(other)):
            raise Finding(
                f"In training mode dropout on the result of {name} does not show: with the other "
                "part silenced the same input always gives the same numbers. Dropout must still "
                "be there, only not in evaluation."
            )
    return ["attention", "feed-forward"]


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
) -> Tensor:
    """Call ``function`` twice with the same two lists; the second result counts."""
    parts, normalisations = [_sublayer(s) for s in sublayers], [_norm(n) for n in norms]
    function(x, parts, normalisations, placement)
    if len(parts) != len(sublayers) or len(normalisations) != len(norms):
        raise Finding(
            f"After the call the lists hold {len(parts)} sublayers and {len(normalisations)} "
            f"norms; before, it was {len(sublayers)} and {len(norms)}. Leave the lists as they "
            "are: the stack is run again with the next batch."
        )
    return function(x, parts, normalisations, placement)


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
