"""Exercise 5 of assignment 3: a test that finds wrong implementations of the feed-forward layer."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

from grading.content.feed_forward import harnesses
from grading.content.feed_forward.sections import COMMON
from grading.exercise import Case, Part, Question
from grading.exercise.edits import edited

from .versions import PLAIN, RIGHT, SHOWN_BY, WRONG


def test_feed_forward(feed_forward):
    """Raise an exception if ``feed_forward(x, w_1, b_1, w_2, b_2)`` is wrong."""
    generator = torch.Generator().manual_seed(5)
    shapes = ((3, 4, 6), (9, 6), (9,), (6, 9), (6,))  # three sequences of four tokens
    arguments = [torch.randn(shape, generator=generator) for shape in shapes]
    x, w_1, b_1, w_2, b_2 = arguments
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)

    given = [tensor.clone() for tensor in arguments]
    given[2].requires_grad_()  # its gradient needs no other argument, so they may be changed
    output = feed_forward(*given)
    assert torch.allclose(output, expected, rtol=1e-5, atol=1e-5)
    for after, before in zip(given, arguments, strict=True):
        assert torch.equal(after, before)
    output.sum().backward()
    assert given[2].grad.abs().sum() > 0


def _test_cases(generator: torch.Generator) -> list[Case]:
    def draw(pool):
        return pool[int(torch.randint(len(pool), (), generator=generator))]

    def case(title, part, source, shown_by="", hidden=False):
        arguments = (("source", source),)
        examine = harnesses.examine_test
        return Case(title, part, arguments, harness=examine, shown_by=shown_by, hidden=hidden)

    left = dict(RIGHT)

    def right(title, *names, hidden=False):
        return case(f"right: {title}", "core", left.pop(draw(names)), hidden=hidden)

    in_other_ways = []

    def wrong(title, part, name):  # each way when it counts, one of them to practise
        order = torch.randperm(len(WRONG[name]), generator=generator).tolist()
        first, *others = (edited(PLAIN, WRONG[name][place]) for place in order)
        for number, source in enumerate(others, 2):
            another = f"wrong: {title}, way {number}"
            in_other_ways.append(case(another, part, source, SHOWN_BY[name], hidden=True))
        return case(f"wrong: {title}", part, first, SHOWN_BY[name])

    cases = [
        right("two lines of code", "plain", "linear"),
        right("einsum", "einsum"),
        right("loops", "loop"),
        right("convolutions", "convolution"),
        right("another order of adding up", "neurons", "halves"),
        right("works on copies of its own", "own copy", "float64"),
        wrong("no activation", "core", "no activation"),
        wrong("the activation at the end", "core", "late"),
        wrong("another activation", "core", "another activation"),
        wrong("the input is added", "core", "residual"),
        wrong("the tanh form", "fine", "tanh"),
        wrong("a constant of GELU is rounded", "fine", "constant"),
        wrong("no bias in the first map", "fine", "first bias"),
        wrong("the second bias times 0, or times 2", "fine", "second bias"),
        wrong("the first bias after the activation", "fine", "late bias"),
        wrong("mixes the tokens of a sequence", "rules", "tokens mixed"),
        wrong("mixes the sequences of a batch", "rules", "sequences mixed"),
        wrong("exchanges the tokens of a sequence", "rules", "order"),
        wrong("exchanges the sequences of a batch", "rules", "sequences exchanged"),
        wrong("changes x", "rules", "input changed"),
        wrong("changes x, then uses it", "rules", "input changed first"),
        *(  # a clone of one of them does not show what happens to the others
            case(
                f"wrong: changes a weight or a bias, {number}",
                "rules",
                edited(PLAIN, way),
                SHOWN_BY["weights changed"],
                hidden=number > 4,
            )
            for number, way in enumerate(WRONG["weights changed"], 1)
        ),
        wrong("no gradient comes back", "rules", "detached"),
        *(right(title, title, hidden=True) for title in list(left)),
    ]
    return cases + in_other_ways


def _closely(feed_forward: Callable, dtype: torch.dtype) -> None:
    """Compare with ``nn.Linear`` formulas by ``assert_close``, and each argument's gradient."""
    shapes = ((2, 5, 3), (8, 3), (8,), (3, 8), (3,))
    ours = [torch.randn(shape, dtype=dtype).requires_grad_() for shape in shapes]
    theirs = [tensor.detach().clone().requires_grad_() for tensor in ours]
    x, w_1, b_1, w_2, b_2 = ours
    expected = torch.special.ndtr(x @ w_1.mT + b_1) * (x @ w_1.mT + b_1) @ w_2.mT + b_2
    output = feed_forward(*[tensor * 1 for tensor in theirs])
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
    gradients = torch.autograd.grad(output.square().sum(), theirs)
    for one, other in zip(
        torch.autograd.grad(expected.square().sum(), ours), gradients, strict=True
    ):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3)
    copies = [tensor.detach().clone() for tensor in theirs]
    feed_forward(*copies)
    for copied, tensor in zip(copies, theirs, strict=True):
        torch.testing.assert_close(copied, tensor.detach(), rtol=0, atol=0)


def _by_modules(feed_forward: Callable) -> None:
    first, second = nn.Linear(5, 11), nn.Linear(11, 5)
    for module in (first, second):
        nn.init.normal_(module.weight)
        nn.init.normal_(module.bias)
    x = torch.randn(4, 3, 5, requires_grad=True)
    parameters = [first.weight, first.bias, second.weight, second.bias]
    before = [p.detach().clone() for p in (x, *parameters)]
    with torch.no_grad():
        after = [p.detach().clone() for p in (x, *parameters)]
        feed_forward(*after)
    difference = feed_forward(x, *parameters) - second(F.gelu(first(x)))
    if difference.abs().max() > 2e-5:
        raise ValueError("wrong numbers")
    if not all(torch.equal(a, b) for a, b in zip(after, before, strict=True)):
        raise ValueError("an argument changed")
    if not feed_forward(x, *parameters).requires_grad:
        raise ValueError("no gradient")


def _many_sizes(feed_forward: Callable) -> None:
    for batch, tokens, hidden, wide in ((1, 1, 2, 3), (2, 3, 4, 4), (5, 2, 3, 12)):
        _closely_at(feed_forward, (batch, tokens, hidden), wide)


def _closely_at(feed_forward: Callable, shape: tuple[int, ...], wide: int) -> None:
    hidden = shape[-1]
    shapes = (shape, (wide, hidden), (wide,), (hidden, wide), (hidden,))
    arguments = [torch.randn(s) for s in shapes]
    clones = [t.clone() for t in arguments]
    x, w_1, b_1, w_2, b_2 = (t.clone().double() for t in arguments)
    expected = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2
    assert (feed_forward(*arguments) - expected).abs().max() < 1e-5
    for clone, argument in zip(clones, arguments, strict=True):
        assert (clone == argument).all()
    arguments[0].requires_grad = True
    assert feed_forward(*arguments).grad_fn is not None


def _in_float32(feed_forward: Callable) -> None:
    _closely(feed_forward, torch.float32)


def _in_float64(feed_forward: Callable) -> None:
    _closely(feed_forward, torch.float64)


QUESTION = Question(
    id="test_feed_forward",
    mixed=True,
    title="Write the test that catches it",
    signature="test_feed_forward(feed_forward)",
    reference=test_feed_forward,
    cases=_test_cases,
    parts=(
        Part("core", "accepts what is right, rejects what is plainly wrong", 2),
        Part("fine", "sees small differences and biases", 1),
        Part("rules", "sees mixing, changed arguments, lost gradients", 1),
    ),
    minutes=40,
    draws=3,  # each has every kind of version
    difficulty=3,
    section=COMMON,
    alternatives={
        "assert_close, all gradients": _in_float32,
        "in float64": _in_float64,
        "raises its own error": _by_modules,
        "many sizes": _many_sizes,
    },
)
