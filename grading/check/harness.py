"""Harnesses: what is called in a student's place where one call of a function does not do.

A harness is given the student's object (a class, a test) before the arguments of the case. These
serve several assignments; what one alone needs is in its `harnesses.py`. They hold no answer and
run beside the student's code.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import CodeType
from typing import Any

import torch

from grading.check.call import Call, Finding, run_call
from grading.check.values import Opaque, describe, pack, quoted


def run_module(
    cls: type, init: list[Any], state: dict[str, torch.Tensor], inputs: list[Any]
) -> Any:
    """Build ``cls(*init)``, load ``state`` and return what it gives in evaluation mode."""
    return loaded(cls, init, state).eval()(*inputs)


def run_modules(
    cls: type,
    init: list[Any],
    state: dict[str, torch.Tensor],
    inputs: list[Any],
    others: list[Any],
    other_state: dict[str, torch.Tensor],
    between: list[Any] | None = None,
) -> list[Any]:
    """Use two modules of the same sizes, each with its own weights, beside each other.

    Args:
        between: inputs of one more call of the first, in which other arguments are left out.

    Returns:
        What the first gives for ``inputs``, for ``others`` (of the same shapes) and, if there is
        something, for ``between``, the second for ``inputs``, and the first for ``inputs`` again:
        what is kept from an earlier call shows.
    """
    one, other = (loaded(cls, init, weights).eval() for weights in (state, other_state))
    more = [] if between is None else [(one, between)]
    calls = [(one, inputs), (one, others), *more, (other, inputs), (one, inputs)]
    return [module(*copied(given)) for module, given in calls]


def copied(value: Any) -> Any:
    """Return a value whose tensors are copies: no call is given what an earlier one has changed."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return type(value)(map(copied, value)) if isinstance(value, tuple | list) else value


def weighted(output: torch.Tensor) -> torch.Tensor:
    """Give each number a weight of its own, from -1 to 1; their sum or mean is a fixed loss."""
    return output * torch.linspace(-1, 1, output.numel()).view(output.shape)


def train_module(
    cls: type, init: list[Any], state: dict[str, torch.Tensor], inputs: list[Any]
) -> dict[str, Any]:
    """Build and load as :func:`run_module`; return each parameter's gradient for a fixed loss.

    Raises:
        Finding: if a parameter gets no gradient.
    """
    module = loaded(cls, init, state).eval()  # without dropout, but with gradients
    output = module(*inputs)
    output = output[0] if isinstance(output, tuple | list) else output
    if output.requires_grad:
        weighted(output).sum().backward()
    parameters = dict(module.named_parameters())
    unreached = [name for name, p in parameters.items() if p.grad is None]
    if unreached:
        raise Finding(f"No gradient reaches {quoted(unreached)}.")
    return {name: parameter.grad for name, parameter in parameters.items()}


def calls_in_training(
    cls: type, init: list[Any], state: dict[str, torch.Tensor], inputs: list[Any]
) -> dict[str, Any]:
    """Use a module twice in training mode: what it gives, and which weights it has afterwards.

    For modules that leave nothing to chance: both results are those of evaluation mode, and a call
    is no reason for a weight to change.
    """
    return _two_calls(loaded(cls, init, state).train(), state, inputs)


def gradient_of_each(function: Callable[..., Any], *given: Any) -> tuple[Any, ...]:
    """What comes out where one tensor alone requires a gradient; once for each of the tensors."""
    tensors = [tensor for value in given for tensor in _tensors_of(value)]
    results = [function(*(_detached(value, wanted) for value in given)) for wanted in tensors]
    return tuple(
        output
        for result in results
        for output in (result if isinstance(result, tuple | list) else [result])
    )


def _tensors_of(value: Any) -> list[torch.Tensor]:
    values = value.values() if isinstance(value, dict) else [value]
    return [v for v in values if isinstance(v, torch.Tensor) and v.is_floating_point()]


def _detached(value: Any, wanted: torch.Tensor) -> Any:
    """The same, where no tensor but the one that is wanted has a gradient."""
    if isinstance(value, dict):
        return {name: _detached(item, wanted) for name, item in value.items()}
    return value.detach() if isinstance(value, torch.Tensor) and value is not wanted else value


def calls_in_evaluation(
    cls: type, init: list[Any], state: dict[str, torch.Tensor], inputs: list[Any]
) -> dict[str, Any]:
    """The same in evaluation mode."""
    return _two_calls(loaded(cls, init, state).eval(), state, inputs)


def _two_calls(
    module: torch.nn.Module, state: dict[str, torch.Tensor], inputs: list[Any]
) -> dict[str, Any]:
    first, second = (module(*copied(inputs)) for _ in range(2))
    weights = module.state_dict()
    return {
        "the first call": first,
        "the second call": second,
        "the weights afterwards": {name: weights[name] for name in state},
    }


def run_test(test: Callable[[Any], object], name: str, source: str) -> str:
    """Run a student's test on an implementation: the text ``accepted`` or ``rejected``.

    Args:
        test: takes the implementation and raises an exception if it finds it wrong.
        name: of the implementation in ``source``.
        source: Python code; it may use ``torch``, ``F``, ``nn`` and ``math``.
    """
    namespace = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "math": math}
    exec(_compiled(source), namespace)
    try:
        result = test(namespace[name])
    except NotImplementedError:  # the exercise as it was released
        raise
    except Exception:
        return "rejected"
    if isinstance(result, bool):
        raise Finding("Your test returned a bool. It must raise an error instead: use `assert`.")
    return "accepted"


@functools.cache
def _compiled(source: str) -> CodeType:
    return compile(source, "<version>", "exec")


def loaded(cls: type, init: list[Any], state: dict[str, torch.Tensor]) -> torch.nn.Module:
    """Build ``cls(*init)`` and load ``state``; buffers of the module's own are left alone.

    Raises:
        Finding: if it is no module, or its parameters are not those of ``state``.
    """
    module = cls(*init)
    if not isinstance(module, torch.nn.Module):
        raise Finding(
            f"It made {describe(Opaque(type(module).__name__))}; expected an `nn.Module`."
        )
    own = module.state_dict()
    missing = [name for name in state if name not in own]
    if missing:
        if not own:
            raise Finding(
                "Its `state_dict()` is empty: no weight is seen. Those in a plain list or "
                "dictionary are not; those of a module that is assigned to `self`, or stands in an "
                "`nn.ModuleList` or `nn.ModuleDict`, are. Where do yours stand?"
            )
        raise Finding(
            f"Its `state_dict()` lacks {quoted(missing)}; it has {quoted(list(own))}. Weights are "
            "loaded under the names that the exercise gives them, which follow from the names of "
            "the attributes of `self`; modules in a plain list are not seen."
        )
    added = [name for name, _ in module.named_parameters() if name not in state]
    if added:
        raise Finding(f"It has the parameters {quoted(added)}, which should not be there.")
    for name, tensor in state.items():
        if own[name].shape != tensor.shape:
            raise Finding(
                f"`{name}` has the shape {list(own[name].shape)}; expected {list(tensor.shape)}."
            )
    module.load_state_dict(state, strict=False)  # it may have buffers of its own
    return module


def packed_call(namespace: dict[str, Any], call: Call) -> bytes:
    """Do :func:`run_call` and pack the outcome, whatever object the function returned.

    A harness may be named, with the ``source`` that defines it, if these modules do not.
    """
    if isinstance(call.get("harness"), str):
        call = call.copy()
        call["harness"] = harness_named(call["harness"], call.get("source", ""))
    outcome = run_call(namespace, call)
    try:
        return pack(outcome)
    except BaseException:  # an object that fights being looked at
        return pack({**outcome, "value": Opaque(type(outcome.get("value")).__name__)})


def harness_named(name: str, source: str = "") -> Callable[..., Any]:
    """Return the harness ``name`` of these modules, or of a ``source`` that may use their names."""
    namespace = globals()
    if source:
        namespace = {**namespace, "__name__": "harnesses"}
        exec(compile(source, "harnesses.py", "exec"), namespace)
    harness: Callable[..., Any] = namespace[name]
    return harness
