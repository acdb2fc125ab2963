"""One call of what a student wrote, described as a plain value. Runs beside the student's code."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from typing import Any, TypedDict

import torch

from grading.check.values import MAX_SENTENCE, digest, printable


class PlainCall(TypedDict):
    """What every call has."""

    name: str
    arguments: list[Any]


class Call(PlainCall, total=False):
    """What is called in a case; see :func:`run_call`."""

    strided: bool
    cotangents: list[torch.Tensor]
    again: list[list[Any]]
    harness: Any
    source: str


class CallResult(TypedDict, total=False):
    """What happened in one call; which keys there are depends on ``status``.

    ``after`` comes from where the call was done; elsewhere ``changed`` is concluded from it.
    """

    status: str
    value: Any
    after: list[str]
    changed: list[str]
    gradients: dict[str, torch.Tensor | None] | None
    type: str
    text: str
    found: str | None
    where: list[list[Any]]
    unjudged: bool  # a finding of what its judge could conclude nothing from


MOST_LINES = 5  # of the notebook's own code that are told of an error


class Finding(Exception):  # noqa: N818 - a finding, not an error
    """Raised by a harness: a sentence about what the student's object does, shown as it is."""


def run_call(namespace: dict[str, Any], call: Call) -> CallResult:
    """Call a function of ``namespace`` once and describe what happened as a plain value.

    Args:
        namespace: where the function is looked up, as a notebook's globals.
        call: ``name`` of the function; ``arguments``, a list of ``[name, value]`` in order;
            optionally ``strided`` (pass tensors that are not contiguous), ``cotangents`` (what
            each output counts in a loss, whose gradients for the tensors in the arguments come
            back too), ``again`` (values for further calls, after which the first is made once more:
            the value is a list of all results) and ``harness``: a function that is given the
            student's object (a class, a test, a function to be called more than once) before the
            arguments, and called in its place.

    Returns:
        ``status`` is ``"value"`` (with ``value``, a digest of each argument ``after`` the call, and
        ``gradients``), ``"finding"`` (a harness's sentence, ``text``), ``"error"`` (with ``type``,
        ``text`` and, if it came from there, ``where`` in the notebook) or ``"missing"``.
    """
    function = namespace.get(call["name"])
    if not callable(function):
        return {"status": "missing", "found": None if function is None else type(function).__name__}
    names = [name for name, _ in call["arguments"]]
    given = [_fresh(value, call) for _, value in call["arguments"]]
    leaves = dict(leaf for both in zip(names, given, strict=True) for leaf in _leaves(*both))
    try:
        # a notebook may have switched gradients off; a function that does so itself is left alone
        with torch.inference_mode(False), torch.enable_grad():
            value = _called_once(function, given, call)
            if "again" in call and value is not None:
                value = [value]
                for values in (*call["again"], [argument for _, argument in call["arguments"]]):
                    value.append(
                        _called_once(function, [_fresh(item, call) for item in values], call)
                    )
            gradients = _gradients(value, leaves, call)
    except Finding as finding:
        return {"status": "finding", "text": printable(finding, MAX_SENTENCE)}
    except BaseException as error:  # whatever a submission may raise, SystemExit included
        failed: CallResult = {"status": "error", "type": _named(type(error)), "text": _named(error)}
        where = _where(error, namespace)
        return {**failed, "where": where} if where else failed
    after = [digest(value) for value in given]
    return {"status": "value", "value": value, "after": after, "gradients": gradients}


def _called_once(function: Any, given: list[Any], call: Call) -> Any:
    # no seed that a student would set; those of other devices would take longer than the call
    torch.default_generator.manual_seed(7_919_113)
    harness = call.get("harness")
    return harness(function, *given) if harness else function(*given)


def _named(error: BaseException | type[BaseException]) -> str:
    try:
        return printable(error.__name__ if isinstance(error, type) else error)
    except BaseException:  # even asking it for its name may fail
        return ""


def _where(error: BaseException, namespace: dict[str, Any]) -> list[list[Any]]:
    """The lines of the notebook that an error came through: number in its cell, function, text."""
    found: list[list[Any]] = []
    try:
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if trace.tb_frame.f_globals is namespace:
                text = linecache.getline(code.co_filename, trace.tb_lineno)
                found.append([trace.tb_lineno, printable(code.co_name, 80), printable(text, 200)])
            trace = trace.tb_next
    except BaseException:  # a notebook may have put anything in its place
        return []
    return [line for line in found if line[2]][-MOST_LINES:]


def _fresh(value: Any, call: Call) -> Any:
    if isinstance(value, dict):
        return {key: _fresh(item, call) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(_fresh(item, call) for item in value)
    if not isinstance(value, torch.Tensor):
        return value
    value = value.clone()
    if call.get("strided") and value.dim() > 1:
        value = value.transpose(-2, -1).contiguous().transpose(-2, -1)
    return value.requires_grad_(bool(call.get("cotangents")) and value.is_floating_point())


def _gradients(
    value: Any, leaves: dict[str, torch.Tensor], call: Call
) -> dict[str, torch.Tensor | None] | None:
    cotangents = call.get("cotangents")
    outputs = value if isinstance(value, tuple | list) else [value]
    if cotangents and call.get("harness"):  # it may bring more than the outputs, behind them
        outputs = outputs[: len(cotangents)]
    if not cotangents or len(outputs) != len(cotangents):
        return None
    loss = torch.zeros(())
    for output, cotangent in zip(outputs, cotangents, strict=True):
        if not isinstance(output, torch.Tensor) or output.shape != cotangent.shape:
            return None
        loss = loss + (output * cotangent).sum()
    if not loss.requires_grad:
        return dict.fromkeys(leaves)
    found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
    return dict(zip(leaves, found, strict=True))


def _leaves(name: str, value: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors in an argument whose gradients are taken, each under what a student writes."""
    if isinstance(value, torch.Tensor) and value.requires_grad:
        yield name, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(f'{name}["{key}"]', item)
    elif isinstance(value, tuple | list):
        for place, item in enumerate(value):
            yield from _leaves(f"{name}[{place}]", item)
