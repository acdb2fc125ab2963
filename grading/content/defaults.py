"""What every exercise needs, made of one drawn call: cases, and the mistakes that they show.

An exercise that says with ``draw`` how the arguments of a call are drawn has all of this by itself,
but for what it refuses (``without``) and for mistakes that its bank has under the same name. What
needs numbers is left out where no argument is a tensor of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch

from grading.check import gradient_of_each
from grading.content.common import changed_in_place, cut_off, kept
from grading.content.drawing import redrawn
from grading.exercise import Case, Mistake, Question
from grading.exercise.edits import Edits

Draw = Callable[[torch.Generator], dict[str, Any]]


def called_again(generator: torch.Generator, case: Case) -> Case:
    """The case with a second call, with other numbers of the same shapes."""
    others = tuple(redrawn(generator, value) for _, value in case.arguments)
    return replace(case, again=(others,))


def default_cases(question: Question, draw: Draw, generator: torch.Generator) -> list[Case]:
    """The question's own cases, and behind them the others, each with arguments of its own."""
    cases = question.cases(generator)
    first, last = question.parts[0].id, question.parts[-1].id

    def drawn() -> tuple[tuple[str, Any], ...]:
        return tuple(draw(generator).items())

    def others() -> Iterator[tuple[str, Case]]:
        yield "views", Case("transposed views", first, drawn(), strided=True)
        gradients = Case("gradients", last, drawn(), gradient=True, harness=gradient_of_each)
        yield "gradients", gradients
        doubled = tuple((name, _double(value)) for name, value in drawn())
        yield "float64", Case("float64", last, doubled)

    if _numbers(draw):
        cases += [case for name, case in others() if name not in question.without]
    if "again" not in question.without:
        again = Case("called again with other numbers", first, drawn())
        while any(_shapes(again) == _shapes(other) for other in cases):  # nothing is kept yet
            again = replace(again, arguments=drawn())
        cases.append(called_again(generator, again))
    return cases


def default_mistakes(question: Question, draw: Draw) -> list[Mistake]:
    """What shows in these cases, as edits that leave the reference as it is, and call it."""
    early = question.points - question.parts[-1].points if len(question.parts) > 1 else 0
    found = {}
    if "again" not in question.without:
        sizes = 'str([getattr(value, "shape", value) for value in given])'
        found["again"] = kept(
            _around(question, f"    return kept.setdefault({sizes}, right(*given))", "kept={}")
        )
    numbers = _numbers(draw)
    if numbers:
        place, argument = next(iter(numbers.items()))
        found["unchanged"] = changed_in_place(
            argument,
            _around(
                question,
                f"    result = right(*given)\n    given[{place}].data.neg_()\n    return result",
            ),
        )
        found["views"] = Mistake(
            "needs_contiguous",
            "It fails for tensors that are views of others, as `transpose` gives them: `view` "
            "needs numbers that lie in a row. Use `reshape`.",
            _around(question, f"    given[{place}].view(-1)\n    return right(*given)"),
            any_error=True,
        )
        name = f"def {question.id}("
        found["gradients"] = cut_off([(name, f"@torch.no_grad()\n{name}")], points=early)
        found["float64"] = Mistake(
            "always_float32",
            "It is computed in float32 whatever comes in: float64 loses half of its digits, or "
            "meets a tensor of another type.",
            _around(
                question,
                "    given = [\n"
                "        value.float() if torch.is_tensor(value) and value.is_floating_point() "
                "else value\n"
                "        for value in given\n"
                "    ]\n"
                "    return right(*given)",
            ),
            points=early,
        )
    return [mistake for name, mistake in found.items() if name not in question.without]


def _around(question: Question, body: str, more: str = "") -> Edits:
    """The reference under the name ``right``, and in its place a function that calls it."""
    arguments = f"*given, {more}" if more else "*given"
    name = f"def {question.id}("
    return [(name, f"def {question.id}({arguments}):\n{body}\n\n\ndef right(")]


def _numbers(draw: Draw) -> dict[int, str]:
    """Which arguments are tensors of floating point numbers: their places and names."""
    arguments = draw(torch.Generator().manual_seed(0))
    return {
        place: name
        for place, (name, value) in enumerate(arguments.items())
        if isinstance(value, torch.Tensor) and value.is_floating_point()
    }


def _double(value: Any) -> Any:
    floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if floating else value


def _shapes(case: Case) -> list[Any]:
    return [getattr(value, "shape", None) for _, value in case.arguments]
