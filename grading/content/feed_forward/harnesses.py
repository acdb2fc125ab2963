"""Harnesses of assignment 3: answers that are more than one call. Released with the assignment.

They hold no answer: each uses the student's object in a certain way and gives back what it did, for
`judges.py`, or raises a :class:`Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from grading.check import Finding, copied, loaded, quoted, weighted


def refusal(function: Callable, hidden_states: Tensor, state: dict, activation: list[str]) -> str:
    """Call with names that are no activations: only a ``ValueError`` is right."""
    for name in activation:
        _only_a_value_error(function, hidden_states, state, name)
    return "ValueError"


def _only_a_value_error(
    function: Callable, hidden_states: Tensor, state: dict, activation: str
) -> None:
    try:
        result = function(hidden_states, state, activation)
    except ValueError:
        return
    except NotImplementedError:
        raise
    except Exception as error:
        raise Finding(
            f"For the unknown activation '{activation}' it raised {type(error).__name__}; raise a "
            "`ValueError` that says which name was not understood."
        ) from error
    if isinstance(result, Exception):
        raise Finding(
            f"For the unknown activation '{activation}' it returned an error; it must be raised."
        )
    raise Finding(
        f"For the unknown activation '{activation}' it returned a result without a word; raise a "
        "`ValueError`."
    )


def to_be_saved(move: Callable, state: dict[str, Tensor], source: str, target: str) -> dict:
    """Move weights; bring them with how they lie in memory, and as they are a moment later.

    Meanwhile other numbers stand in the state that was given: who shares its memory has them, too.
    """
    moved = move(state, source, target)
    named = moved if isinstance(moved, dict) else {}
    tensors = {name: t for name, t in named.items() if isinstance(t, Tensor)}
    copies = {name: tensor.clone() for name, tensor in tensors.items()}
    given = [tensor.clone() for tensor in state.values()]
    for tensor in state.values():
        tensor.data.add_(1.0)
    later = {name: tensor.clone() for name, tensor in tensors.items()}
    for tensor, numbers in zip(state.values(), given, strict=True):
        tensor.data.copy_(numbers)
    return {
        "moved": {**named, **copies} if isinstance(moved, dict) else moved,
        "strides": {name: list(tensor.stride()) for name, tensor in tensors.items()},
        "later": later,
    }


def memory_of(
    move: Callable, state: dict[str, Tensor], source: str, targets: list[str]
) -> list[dict | None]:
    """As :func:`to_be_saved`, for each target, and again where the old weights are views.

    Which numbers are right, and whether any are, is not asked here.
    """
    views = {
        name: tensor.transpose(0, 1).contiguous().transpose(0, 1) if tensor.dim() > 1 else tensor
        for name, tensor in copied(state).items()
    }
    return [_memory_of(move, old, source, target) for target in targets for old in (state, views)]


def _memory_of(move: Callable, state: dict[str, Tensor], source: str, target: str) -> dict | None:
    try:
        return to_be_saved(move, state, source, target)
    except NotImplementedError:
        raise
    except Exception:
        return None


def side_by_side(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> dict:
    """Build a module of each layout with the same weights, and then use one after the other.

    The interleaved one is used again with other weights, as it is after a step of training. All
    calls are made without gradients, as where a model is evaluated.
    """
    modules = {
        name: loaded(cls, [*init, interleaved], state).eval()
        for name, interleaved in (("halves", False), ("interleaved", True))
    }
    others = {name: rows.flip(0) for name, rows in state.items()}
    with torch.no_grad():
        results = {name: module(*copied(inputs)) for name, module in modules.items()}
        modules["interleaved"].load_state_dict(others, strict=False)
        later = modules["interleaved"](*copied(inputs))
    return {**results, "interleaved, with other weights": later}


def gradients_reach(
    cls: type, init: list, state: dict[str, Tensor], inputs: list
) -> list[dict | None]:
    """For either layout: what comes out in both modes, and the gradients of a fixed loss.

    And what comes out once all weights have changed, as they do in a step of training, there and
    where the module is evaluated again. Or None where nothing comes out: which result is right, and
    whether there is one, is for other cases to say.
    """
    layouts = (init, [*init[:2], False])
    return [_gradients_reach(cls, layout, state, inputs) for layout in layouts]


def _gradients_reach(cls: type, init: list, state: dict[str, Tensor], inputs: list) -> dict | None:
    module, other = loaded(cls, init, state).train(), loaded(cls, init, state).eval()
    held = {name: parameter.detach().flip(0) for name, parameter in module.named_parameters()}
    try:
        evaluated = other(*copied(inputs))
        output = module(*copied(inputs))
        if output.requires_grad:
            weighted(output).sum().backward()
        gradients = {name: parameter.grad for name, parameter in module.named_parameters()}
        steps = {name: rows.flip(0) for name, rows in state.items()}
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                parameter.copy_(held[name])
        other.load_state_dict(steps, strict=False)
        results = [output, evaluated, module(*copied(inputs)), other(*copied(inputs))]
        # Evaluated without gradients before a step and after it; what is loaded later is asked of
        # interleaved rows elsewhere, and not for this point.
        module, other = (loaded(cls, init, state).eval() for _ in range(2))
        with torch.no_grad():
            module(*copied(inputs)), other(*copied(inputs))
            for name, parameter in module.train().named_parameters():
                parameter.copy_(held[name])
            if init[2]:
                other.load_state_dict(steps, strict=False)
            else:
                other = loaded(cls, init, steps).eval()
            results += [module.eval()(*copied(inputs)), other(*inputs)]
    except NotImplementedError:
        raise
    except Exception:
        return None
    return {"gradients": gradients, "results": [result.detach() for result in results]}


def run_twice(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> list[Tensor]:
    """What two calls with the same input give in evaluation mode."""
    module = loaded(cls, init, state).eval()
    return [module(x.clone()), module(x)]


def change_one_token(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> list[Tensor]:
    """What comes out, and what comes out when one token of one sequence is another."""
    module = loaded(cls, init, state).eval()
    changed = x.clone()
    changed[0, 1] += 1.0
    return [module(x.clone()), module(changed)]


def train_with_dropout(cls: type, init: list, state: dict[str, Tensor], x: Tensor) -> list[Tensor]:
    """What comes out in evaluation and in training mode, twice each; and there with a rate of 0.

    And what two layers add in training mode if the update of either is 1 everywhere.

    Raises:
        Finding: if a parameter of these two gets no gradient there.
    """
    module, plain = loaded(cls, init, state), loaded(cls, [*init[:-1], 0.0], state)
    ones = {
        name.replace(".0.", f".{layer}."): torch.full_like(tensor, name.endswith("back.bias"))
        for layer in (0, 1)
        for name, tensor in state.items()
    }
    both = loaded(cls, [*init[:2], 2, *init[3:]], ones)
    with torch.no_grad():
        right, again = (module.eval()(x.clone()) for _ in range(2))
        output, another = (module.train()(x.clone()) for _ in range(2))
        zero_rate = plain.train()(x.clone())
    result = both.train()(x.clone())
    if result.requires_grad:
        result.sum().backward()
    unreached = [name for name, p in both.named_parameters() if p.grad is None]
    if unreached:
        raise Finding(f"In training mode no gradient reaches {quoted(unreached)}.")
    return [right, again, output, another, zero_rate, result.detach() - x]


def examine_test(test: Callable, source: str) -> str:
    """Run a student's test on the implementation in ``source``: ``accepted`` or ``rejected``."""
    names = {"torch": torch, "nn": nn, "F": nn.functional, "math": math}
    exec(source, names)
    try:
        answer = test(names["feed_forward"])
    except NotImplementedError:
        raise
    except Exception:
        return "rejected"
    if isinstance(answer, bool | Tensor):
        raise Finding(
            "It returned a value and raised nothing. A test rejects by raising an exception: write "
            "`assert …` instead of `return …`."
        )
    return "accepted"
