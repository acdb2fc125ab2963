"""Exercise 5 of assignment 3: a test that finds wrong implementations of the feed-forward layer."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

from grading.content.feed_forward import harnesses
from grading.content.feed_forward.sections import ACTIVATIONS, ALONE, COMMON, FORMS
from grading.exercise import Case, Exercise, Mistake, Part
from grading.exercise.edits import Edits, edited


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


_HEAD = "def feed_forward(x, w_1, b_1, w_2, b_2):\n"


def _source(*lines: str) -> str:
    """The source of an implementation from the lines of its body."""
    return _HEAD + "".join(f"    {line}\n" for line in lines)


_PLAIN = _source(
    "wide = x @ w_1.T + b_1",
    "output = F.gelu(wide) @ w_2.T + b_2",
    "return output",
)
_RIGHT = {
    "plain": _PLAIN,
    "linear": _source("return F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)"),
    "einsum": _source(
        "wide = torch.einsum('bth,wh->btw', x, w_1) + b_1",
        "wide = 0.5 * wide * (1 + torch.erf(wide / 2**0.5))",
        "return torch.einsum('btw,hw->bth', wide, w_2) + b_2",
    ),
    "loop": _source(
        "rows = []",
        "for tokens in x:",
        "    rows.append(torch.stack([w_2 @ F.gelu(w_1 @ t + b_1) + b_2 for t in tokens]))",
        "return torch.stack(rows)",
    ),
    "convolution": _source(
        "wide = F.gelu(F.conv1d(x.transpose(-2, -1), w_1[:, :, None], b_1))",
        "return F.conv1d(wide, w_2[:, :, None], b_2).transpose(-2, -1)",
    ),
    "float64": _source(
        "wide = F.gelu(x.double() @ w_1.double().T + b_1.double())",
        "return (wide @ w_2.double().T + b_2.double()).to(x.dtype)",
    ),
    "neurons": _source(
        "output = b_2.expand_as(x)",
        "for j in range(len(w_1)):",
        "    on = F.gelu((x * w_1[j]).sum(-1, keepdim=True) + b_1[j])",
        "    output = output + on * w_2[:, j]",
        "return output",
    ),
    "halves": _source(
        "one, two = slice(0, len(w_1) // 2), slice(len(w_1) // 2, None)",
        "parts = [F.gelu(x @ w_1[s].T + b_1[s]) @ w_2[:, s].T for s in (one, two)]",
        "return b_2 + parts[0] + parts[1]",
    ),
    "own copy": _source(
        "wide = x.clone() @ w_1.T",
        "wide = wide + b_1",
        "output = F.gelu(wide) @ w_2.clone().T",
        "output += b_2",
        "return output",
    ),
}
# The wrong ones are edits of the plain one.
_TANH = "(0.5 * wide * (1 + torch.tanh((2 / math.pi) ** 0.5 * (wide + 0.044715 * wide**3))))"
_WRONG = {
    "no activation": [[("F.gelu(wide)", "wide")]],
    "late": [[("F.gelu(wide)", "wide"), ("return output", "return F.gelu(output)")]],
    "another activation": [[("gelu", name)] for name in ("relu", "silu", "leaky_relu")],
    "residual": [
        [("return output", f"return {added}")] for added in ("x + output", "output + x / 2")
    ],
    "tanh": [
        [("F.gelu(wide)", "F.gelu(wide, approximate='tanh')")],
        [("F.gelu(wide)", _TANH)],
    ],
    "constant": [
        [("F.gelu(wide)", f"(0.5 * wide * (1 + torch.erf(wide / {constant})))")]
        for constant in (1.41, 1.418)
    ],
    "first bias": [[(" + b_1", "")]],
    # none of them without a gradient for it, which would show where biases are zero, too
    "second bias": [[("+ b_2", f"+ {times} * b_2")] for times in (0, 2)],
    "late bias": [[(" + b_1", ""), ("F.gelu(wide)", "(F.gelu(wide) + b_1)")]],
    # through `data` autograd does not notice it
    # once it is used, so that the result is right; or before, so that it fits the changed one
    "input changed": [
        [("    return", f"    {change}\n    return")]
        for change in ("x.data.mul_(2)", "x.data += output.data")
    ],
    "input changed first": [[("    wide", "    x.data.mul_(2)\n    wide")]],
    "weights changed": [
        [(f"    {before}", f"    {change}\n    {before}")]
        for before in ("return", "wide")
        for change in ("w_1.data.mul_(0.5)", "b_2.data += 1", "w_2.data.neg_()", "b_1.data -= 2")
    ],
    "detached": [
        [("return output", "return output.detach()")],
        [("def feed_forward", "@torch.no_grad()\ndef feed_forward")],
    ],
    "tokens mixed": [
        [("    wide", f"    x = x + {share} * (x.mean(1, keepdim=True) - x)\n    wide")]
        for share in (0.1, 0.3)
    ],
    "order": [
        [("return output", "return output.flip(1)")],
        [("return output", "return output.roll(1, 1)")],
    ],
    "sequences mixed": [
        [("    wide", f"    x = x + {share} * (x.mean(0, keepdim=True) - x)\n    wide")]
        for share in (0.1, 0.3)
    ]
    + [[("return output", "return output[:1].expand_as(output)")]],
    "sequences exchanged": [[("return output", "return output.flip(0)")]],
}


_NUMBERS = "numbers compared with the right ones, place by place"
_FINE = "a tolerance of about 1e-5, where the numbers before the activation lie between −3 and 3"
_CLONES = "clones of all arguments, compared after the call"
_SHOWN_BY = {
    "no activation": _NUMBERS,
    "late": _NUMBERS,
    "another activation": _NUMBERS,
    "residual": _NUMBERS,
    "tanh": _FINE,
    "constant": _FINE,
    "first bias": "biases that are not zero",
    "second bias": "biases that are not zero",
    "late bias": "biases that are not zero",
    "tokens mixed": f"{_NUMBERS}, for several different tokens",
    "order": f"{_NUMBERS}, for several different tokens",
    "sequences mixed": f"{_NUMBERS}, for several different sequences",
    "sequences exchanged": f"{_NUMBERS}, for several different sequences",
    "input changed": _CLONES,
    "input changed first": _CLONES,
    "weights changed": _CLONES,
    "detached": "an argument that requires a gradient, and `backward()`",
}


def _test_cases(generator: torch.Generator) -> list[Case]:
    def draw(pool):
        return pool[int(torch.randint(len(pool), (), generator=generator))]

    def case(title, part, source, shown_by="", hidden=False):
        arguments = (("source", source),)
        examine = harnesses.examine_test
        return Case(title, part, arguments, harness=examine, shown_by=shown_by, hidden=hidden)

    left = dict(_RIGHT)

    def right(title, *names, hidden=False):
        return case(f"right: {title}", "core", left.pop(draw(names)), hidden=hidden)

    in_other_ways = []

    def wrong(title, part, name):  # each way when it counts, one of them to practise
        order = torch.randperm(len(_WRONG[name]), generator=generator).tolist()
        first, *others = (edited(_PLAIN, _WRONG[name][place]) for place in order)
        for number, source in enumerate(others, 2):
            another = f"wrong: {title}, way {number}"
            in_other_ways.append(case(another, part, source, _SHOWN_BY[name], hidden=True))
        return case(f"wrong: {title}", part, first, _SHOWN_BY[name])

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
                edited(_PLAIN, way),
                _SHOWN_BY["weights changed"],
                hidden=number > 4,
            )
            for number, way in enumerate(_WRONG["weights changed"], 1)
        ),
        wrong("no gradient comes back", "rules", "detached"),
        *(right(title, title, hidden=True) for title in list(left)),
    ]
    return cases + in_other_ways


def _examine_tokens(feed_forward):
    """Look only at whether tokens are treated by themselves."""
    arguments = [torch.randn(s) for s in ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))]
    x = arguments[0].clone()
    whole = feed_forward(*(tensor.clone() for tensor in arguments))
    for b in range(2):
        for t in range(3):
            one = feed_forward(x[b : b + 1, t : t + 1], *arguments[1:])
            assert torch.allclose(one[0, 0], whole[b, t], atol=1e-5)


def _never_fails(feed_forward):
    """Catch what a failed ``assert`` raises."""
    try:
        test_feed_forward(feed_forward)
    except Exception:
        return


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


_NUMBERS_AGREE = "assert torch.allclose(output, expected, rtol=1e-5, atol=1e-5)"
_LARGER = "((2, 16, 8), (32, 8), (32,), (8, 32), (8,))"
_SAME_ARGUMENTS = """\
    for after, before in zip(given, arguments, strict=True):
        assert torch.equal(after, before)
"""
_WANTS_GRADIENT = """\
    given[2].requires_grad_()  # its gradient needs no other argument, so they may be changed
"""
_HAS_GRADIENT = """\
    output.sum().backward()
    assert given[2].grad.abs().sum() > 0
"""


def _times(factor: str, places: str) -> Edits:
    """Some of the arguments are much smaller."""
    unpacked = "    x, w_1, b_1, w_2, b_2 = arguments\n"
    scaled = f"    for place in ({places},):\n        arguments[place] *= {factor}\n"
    return [(unpacked, scaled + unpacked)]


EXERCISE = Exercise(
    id="test_feed_forward",
    mixed=True,
    title="Write the test that catches it",
    signature="test_feed_forward(feed_forward)",
    reference=test_feed_forward,
    combined=(
        "tanh_expected",
        "loose",
        "zero_biases",
        "one_token",
        "one_sequence",
        "x_unseen",
        "weights_unseen",
        "arguments_unseen",
        "no_gradient_checked",
        "values_only",
    ),
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
    mistakes=(
        Mistake(
            "accepts_everything",
            "Your test accepts every implementation. Does it compare the numbers, not the shape "
            "alone, and does the exception of a failed `assert` get out of the function?",
            [
                (_NUMBERS_AGREE, "assert output.shape == expected.shape"),
                (_SAME_ARGUMENTS, ""),
                (_WANTS_GRADIENT, ""),
                (_HAS_GRADIENT, ""),
            ],
            equivalent=(_never_fails,),
        ),
        Mistake(
            "numbers_unseen",
            "Your test sees changed arguments and lost gradients, and no wrong number: compare the "
            "output with the right one, in an `assert` (what is printed rejects nothing).",
            [(_NUMBERS_AGREE, "assert output.shape == expected.shape")],
        ),
        Mistake(
            "returns_a_value",
            "Your test returns what it found; nobody looks at that. It rejects by raising an "
            "exception: write `assert …` instead of `return …`.",
            [("assert torch.allclose", "return torch.allclose")],
        ),
        Mistake(
            "rejects_everything",
            "Your test rejects every implementation, right ones too. Is the expected value the "
            "right one (exact GELU, weights transposed), does the call follow the statement, and "
            "does the tolerance leave room for rounding, about 1e-5?",
            [("F.linear(x, w_1, b_1)", "F.linear(x, w_1.T, b_1)")],
        ),
        Mistake(
            "tight_for_large_numbers",
            "Right versions are rejected: the comparison leaves too little room for rounding. It "
            "grows with the numbers, and numbers that are rounded before they are compared may lie "
            "on two sides of a border. Draw numbers around 1, and allow a difference of about "
            "1e-5, relative, too (`rtol`).",
            [
                (
                    "torch.randn(shape, generator=generator)",
                    "10 * torch.randn(shape, generator=generator)",
                ),
                (_NUMBERS_AGREE, "assert (output - expected).abs().max() <= 1e-6"),
            ],
            other_forms=(
                [
                    ("((3, 4, 6), (9, 6), (9,), (6, 9), (6,))", _LARGER),
                    (
                        _NUMBERS_AGREE,
                        "assert torch.equal(*((t * 1e5).round() for t in (output, expected)))",
                    ),
                ],
            ),
        ),
        Mistake(
            "tanh_expected",
            "Your test takes the tanh form for the right one: it rejects the exact GELU. "
            "`F.gelu(x)` is exact.",
            [("F.linear(x, w_1, b_1))", 'F.linear(x, w_1, b_1), approximate="tanh")')],
            section=FORMS,
        ),
        Mistake(
            "loose",
            "The tanh form of GELU and a rounded constant get through: the tolerance is too wide, "
            "or the numbers before the activation are so small or so large that the forms agree. "
            "Ask for 1e-5, on numbers between −3 and 3.",
            [("rtol=1e-5, atol=1e-5", "rtol=1e-2, atol=1e-2")],
            points=3,
            section=FORMS,
        ),
        Mistake(
            "small_numbers",
            "The tanh form of GELU gets through: the numbers before the activation are so small "
            "that both forms agree. Draw numbers between −3 and 3.",
            [
                (
                    "    x, w_1, b_1, w_2, b_2 = arguments\n",
                    "    x, w_1, b_1, w_2, b_2 = arguments\n"
                    "    for tensor in (w_1, b_1):\n"
                    "        tensor *= 0.05\n",
                )
            ],
            points=3,
            section=FORMS,
        ),
        Mistake(
            "tiny_numbers",
            "Wrong versions get through because numbers are tiny: what they change is less than "
            "the tolerance. Draw all numbers around 1, as `torch.randn` does.",
            _times("0.005", "0, 1, 2, 3, 4"),
            other_forms=(
                _times("0.001", "0, 1, 2, 3, 4"),
                _times("0.01", "0, 1, 2, 3, 4"),
                _times("0.001", "1, 2, 3, 4"),
                _times("0.000001", "0"),
            ),
            section=ACTIVATIONS,
        ),
        Mistake(
            "fewer_axes",
            "Your test also calls it with a sequence or a token alone, without the axes in front. "
            "Three axes are promised; right versions may refuse fewer.",
            [
                (
                    "    output.sum().backward()\n",
                    "    feed_forward(x[0, 0], w_1, b_1, w_2, b_2)\n    output.sum().backward()\n",
                )
            ],
            other_forms=(
                [
                    (
                        "    output.sum().backward()\n",
                        "    feed_forward(x[0], w_1, b_1, w_2, b_2)\n    output.sum().backward()\n",
                    )
                ],
            ),
        ),
        Mistake(
            "zero_biases",
            "What is wrong with a bias gets through: with biases of zero nobody can see it. Draw "
            "the biases, too.",
            [("    x, w_1", "    arguments[2].zero_(), arguments[4].zero_()\n    x, w_1")],
            points=3,
        ),
        Mistake(
            "one_bias_unseen",
            "What is wrong with one of the two biases gets through: is it zero in your test, or "
            "taken away before the comparison? Draw both, and compare the output as it is.",
            [("    x, w_1", "    arguments[4].zero_()\n    x, w_1")],
            other_forms=([("    x, w_1", "    arguments[2].zero_()\n    x, w_1")],),
            points=3,
        ),
        Mistake(
            "one_token",
            "An implementation that mixes tokens gets through: that shows only in a sequence of "
            "several tokens that differ, and by more than the tolerance.",
            [(" 4, 6)", " 1, 6)")],
            points=3,
            section=ALONE,
        ),
        Mistake(
            "one_sequence",
            "An implementation that mixes the sequences of a batch gets through: that shows only "
            "in a batch of several sequences that differ, and by more than the tolerance.",
            [("((3,", "((1,")],
            points=3,
            section=ALONE,
        ),
        Mistake(
            "x_unseen",
            "An implementation that changes `x` gets through: keep a clone of it, and compare "
            "after the call.",
            [("zip(given, arguments", "zip(given[1:], arguments[1:]")],
            points=3,
        ),
        Mistake(
            "weights_unseen",
            "An implementation that changes a weight or a bias gets through: keep clones of all "
            "arguments, and compare after the call.",
            [("zip(given, arguments", "zip(given[:1], arguments[:1]")],
            points=3,
        ),
        Mistake(
            "arguments_unseen",
            "Implementations that change their arguments get through: keep clones of all of them, "
            "and compare after the call.",
            [(_SAME_ARGUMENTS, "")],
            points=3,
        ),
        Mistake(
            "no_gradient_checked",
            "An implementation that is cut off from autograd gets through: give it a tensor that "
            "requires gradients, call `backward()` on what it returns, as it is, and see whether "
            "a gradient has come.",
            [(_WANTS_GRADIENT, ""), (_HAS_GRADIENT, "")],
            points=3,
        ),
        Mistake(
            "values_only",
            "Implementations that change their arguments or lose the gradient get through: compare "
            "the arguments with clones after the call, and call `backward()`.",
            [(_SAME_ARGUMENTS, ""), (_WANTS_GRADIENT, ""), (_HAS_GRADIENT, "")],
            points=3,
        ),
        Mistake(
            "only_tokens",
            "Your test looks only at whether each token is treated by itself. Compare the numbers "
            "with the right ones, too.",
            _examine_tokens,
            section=ALONE,
        ),
        Mistake(
            "expected_after",
            "An implementation that changes an argument *before* it uses it gets through: the "
            "expected value is computed after the call, from what the arguments are then. Compute "
            "it before, or keep clones of all arguments.",
            [
                ("    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)\n", ""),
                (
                    "    output = feed_forward(*given)\n",
                    "    output = feed_forward(*given)\n"
                    "    x, w_1, b_1, w_2, b_2 = given\n"
                    "    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)\n",
                ),
                (_SAME_ARGUMENTS, ""),
            ],
            points=3,
        ),
        Mistake(
            "large_numbers",
            "Other activations get through: of numbers as large as these GELU makes what ReLU "
            "does, or the tolerance is wider than the difference. Draw numbers between −3 and 3, "
            "and ask for 1e-5.",
            [
                (
                    "torch.randn(shape, generator=generator)",
                    "100 * torch.randn(shape, generator=generator)",
                ),
                ("rtol=1e-5, atol=1e-5", "rtol=1e-4, atol=1e-2"),
            ],
            section=ACTIVATIONS,
        ),
        Mistake(
            "sums_compared",
            "Tokens or sequences that are exchanged get through: sums or averages are compared, "
            "and not the numbers place by place.",
            [
                (
                    _NUMBERS_AGREE,
                    "assert torch.allclose(output.sum((0, 1)), expected.sum((0, 1)), atol=1e-4)",
                )
            ],
            other_forms=(
                [
                    (
                        _NUMBERS_AGREE,
                        "assert torch.allclose(output.sum(0), expected.sum(0), atol=1e-4)",
                    )
                ],
                [
                    (
                        _NUMBERS_AGREE,
                        "assert torch.allclose(output.sum(1), expected.sum(1), atol=1e-4)",
                    )
                ],
                [
                    (
                        _NUMBERS_AGREE,
                        "assert torch.allclose(output.sum(), expected.sum(), atol=1e-4)",
                    )
                ],
            ),
            points=3,
            section=ALONE,
        ),
        Mistake(
            "no_negative_numbers",
            "Missing and other activations get through: for large positive numbers GELU gives "
            "back what it gets. Draw numbers of both signs, as `torch.randn` does.",
            [
                (
                    "torch.randn(shape, generator=generator)",
                    "9 * torch.rand(shape, generator=generator)",
                )
            ],
            other_forms=(
                [
                    (
                        "    x, w_1, b_1, w_2, b_2 = arguments\n",
                        "    arguments = [t.abs() + 1 for t in arguments[:3]] + arguments[3:]\n"
                        "    x, w_1, b_1, w_2, b_2 = arguments\n",
                    ),
                    ("rtol=1e-5, atol=1e-5", "rtol=1e-4, atol=1e-4"),
                ],
            ),
            section=ACTIVATIONS,
        ),
    ),
)
