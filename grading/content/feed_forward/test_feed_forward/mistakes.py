"""The known mistakes of `test_feed_forward`."""

from __future__ import annotations

import torch

from grading.content.feed_forward.sections import ACTIVATIONS, ALONE, FORMS
from grading.exercise import Mistake
from grading.exercise.edits import Edits

from .question import test_feed_forward


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


COMBINED = (
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
)

MISTAKES = (
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
)
