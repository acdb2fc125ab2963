"""Write the test that catches it."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

from grading.content.feed_forward import harnesses
from grading.content.feed_forward.sections import ACTIVATIONS, ALONE, COMMON, FORMS
from grading.exercise import Case, Exercise, Mistake, Part

_HEAD = "def feed_forward(x, w_1, b_1, w_2, b_2):\n"


def _source(*lines: str) -> str:
    """The source of an implementation from the lines of its body."""
    return _HEAD + "".join(f"    {line}\n" for line in lines)


_PLAIN = _source("return F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2")
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


def _plain_with(old: str, new: str) -> str:
    assert old in _PLAIN
    return _PLAIN.replace(old, new)


def _then(*lines: str) -> str:
    """The right numbers in ``y``, and then what a wrong implementation does with them."""
    return _source("y = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2", *lines)


_TANH_LINE = "F.gelu(x @ w_1.T + b_1, approximate='tanh')"
_WRONG = {
    "no activation": [_plain_with("F.gelu(x @ w_1.T + b_1)", "(x @ w_1.T + b_1)")],
    "late": [_source("return F.gelu((x @ w_1.T + b_1) @ w_2.T + b_2)")],
    "another activation": [_plain_with("gelu", name) for name in ("relu", "silu", "leaky_relu")],
    "residual": [_then("return x + y"), _then("return y + x / 2")],
    "tanh": [
        _plain_with("F.gelu(x @ w_1.T + b_1)", _TANH_LINE),
        _source(
            "wide = x @ w_1.T + b_1",
            "inner = (2 / math.pi) ** 0.5 * (wide + 0.044715 * wide**3)",
            "return (0.5 * wide * (1 + torch.tanh(inner))) @ w_2.T + b_2",
        ),
    ],
    "constant": [
        _source(
            "wide = x @ w_1.T + b_1",
            f"return (0.5 * wide * (1 + torch.erf(wide / {constant}))) @ w_2.T + b_2",
        )
        for constant in (1.41, 1.418)
    ],
    "first bias": [_plain_with(" + b_1", "")],
    "second bias": [_plain_with(" + b_2", ""), _plain_with("+ b_2", "+ 2 * b_2")],
    "late bias": [
        _plain_with("x @ w_1.T + b_1)", "x @ w_1.T + b_1 * 0) + b_1)").replace(
            "return F.gelu", "return (F.gelu"
        )
    ],
    "input changed": [
        # through `data` autograd does not notice it
        _then("x.data.mul_(2)", "return y"),
        _then("x.data += y.data", "return y"),
    ],
    "weights changed": [
        _then("w_1.data.mul_(0.5)", "return y"),
        _then("b_2.data += 1", "return y"),
    ],
    "detached": [
        _then("return y.detach()"),
        _source("with torch.no_grad():", "    return F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2"),
    ],
    "tokens mixed": [
        _source(
            f"x = x + {share} * (x.mean(1, keepdim=True) - x)",
            "return F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2",
        )
        for share in (0.1, 0.3)
    ],
    "order": [_then("return y.flip(1)"), _then("return y.roll(1, 1)")],
    "sequences mixed": [
        _source(
            f"x = x + {share} * (x.mean(0, keepdim=True) - x)",
            "return F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2",
        )
        for share in (0.1, 0.3)
    ]
    + [_then("return y[:1].expand_as(y)")],
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
    "input changed": _CLONES,
    "weights changed": _CLONES,
    "detached": "an argument that requires a gradient, and `backward()`",
}


def _test_cases(generator: torch.Generator) -> list[Case]:
    def draw(pool):
        return pool[int(torch.randint(len(pool), (), generator=generator))]

    def case(title, part, source, shown_by=""):
        arguments = (("source", source),)
        return Case(title, part, arguments, harness=harnesses.examine_test, shown_by=shown_by)

    def right(title, part, *names):
        return case(f"right: {title}", part, _RIGHT[draw(names)])

    def wrong(title, part, name):
        return case(f"wrong: {title}", part, draw(_WRONG[name]), _SHOWN_BY[name])

    return [
        right("two lines of code", "core", "plain", "linear"),
        right("another style", "core", "einsum", "loop", "convolution"),
        right("another order of adding up", "core", "neurons", "halves"),
        right("works on copies of its own", "core", "own copy", "float64"),
        wrong("no activation", "core", "no activation"),
        wrong("the activation at the end", "core", "late"),
        wrong("another activation", "core", "another activation"),
        wrong("the input is added", "core", "residual"),
        wrong("the tanh form", "fine", "tanh"),
        wrong("a constant of GELU is rounded", "fine", "constant"),
        wrong("no bias in the first map", "fine", "first bias"),
        wrong("no bias in the second map, or twice", "fine", "second bias"),
        wrong("the first bias after the activation", "fine", "late bias"),
        wrong("mixes the tokens of a sequence", "rules", "tokens mixed"),
        wrong("mixes the sequences of a batch", "rules", "sequences mixed"),
        wrong("exchanges the tokens of a sequence", "rules", "order"),
        wrong("changes x", "rules", "input changed"),
        wrong("changes a weight or a bias", "rules", "weights changed"),
        wrong("no gradient comes back", "rules", "detached"),
    ]


def _examination(weak: frozenset[str] = frozenset()) -> Callable:
    """A test of feed-forward implementations, weak in the ways that are named."""

    def test_feed_forward(feed_forward):
        generator = torch.Generator().manual_seed(5)

        def normal(*shape):
            return torch.randn(*shape, generator=generator)

        shape = (1 if "one_sequence" in weak else 3, 1 if "one_token" in weak else 4, 6)
        arguments = [normal(*shape), normal(9, 6), normal(9), normal(6, 9), normal(6)]
        if "zero_biases" in weak:
            arguments[2].zero_(), arguments[4].zero_()
        given = [tensor.clone() for tensor in arguments]
        if not weak & {"no_gradient_checked", "values_only"}:
            # Of all gradients this one needs no other argument: changes to those stay unnoticed.
            given[2].requires_grad_()
        x, w_1, b_1, w_2, b_2 = arguments
        expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)
        if "tanh_expected" in weak:
            expected = F.linear(F.gelu(F.linear(x, w_1, b_1), approximate="tanh"), w_2, b_2)
        output = feed_forward(*given)
        tolerance = 1e-2 if "loose" in weak else 1e-5
        assert torch.allclose(output, expected, rtol=tolerance, atol=tolerance)
        for place, (is_now, was) in enumerate(zip(given, arguments, strict=True)):
            unseen = {"x_unseen"} if place == 0 else {"weights_unseen"}
            if not weak & (unseen | {"values_only", "arguments_unseen"}):
                assert torch.equal(is_now, was)
        if not weak & {"no_gradient_checked", "values_only"}:
            output.sum().backward()
            assert given[2].grad.abs().sum() > 0

    return test_feed_forward


def _examine_tokens(feed_forward):
    """Look only at whether tokens are treated by themselves."""
    arguments = [torch.randn(s) for s in ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))]
    x = arguments[0].clone()
    whole = feed_forward(*(tensor.clone() for tensor in arguments))
    for b in range(2):
        for t in range(3):
            one = feed_forward(x[b : b + 1, t : t + 1], *arguments[1:])
            assert torch.allclose(one[0, 0], whole[b, t], atol=1e-5)


def _examine_large(feed_forward):
    """Only positive numbers: GELU lets nearly everything pass."""
    x, w_1, b_1, w_2, b_2 = (
        torch.rand(s, generator=torch.Generator().manual_seed(1)) + 1
        for s in ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))
    )
    given = [t.clone().requires_grad_(t is w_1) for t in (x, w_1, b_1, w_2, b_2)]
    output = feed_forward(*given)
    expected = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2
    assert torch.allclose(output, expected, rtol=1e-4)
    assert all(map(torch.equal, given, (x, w_1, b_1, w_2, b_2)))
    output.sum().backward()


def _never_fails(feed_forward):
    try:
        _examination()(feed_forward)
    except Exception:
        return


def _examine_shape(feed_forward):
    arguments = [torch.randn(s) for s in ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))]
    assert feed_forward(*arguments).shape == (2, 3, 4)


def _always_fails(feed_forward):
    raise AssertionError


EXERCISE = Exercise(
    id="test_feed_forward",
    title="Write the test that catches it",
    signature="test_feed_forward(feed_forward)",
    reference=_examination(),
    cases=_test_cases,
    parts=(
        Part("core", "accepts what is right, rejects what is plainly wrong", 2),
        Part("fine", "sees small differences and biases", 1),
        Part("rules", "sees mixing, changed arguments, lost gradients", 1),
    ),
    minutes=25,
    difficulty=3,
    section=COMMON,
    variant=_examination,
    alternatives={
        "assert_close, all gradients": lambda feed_forward: _closely(feed_forward, torch.float32),
        "in float64": lambda feed_forward: _closely(feed_forward, torch.float64),
        "raises its own error": lambda feed_forward: _by_modules(feed_forward),
        "many sizes": lambda feed_forward: _many_sizes(feed_forward),
    },
    mistakes=(
        Mistake(
            "accepts_everything",
            "Your test accepts every implementation. Does it compare the numbers, not the shape "
            "alone, and does the exception of a failed `assert` get out of the function?",
            _never_fails,
            equivalent=(_examine_shape,),
        ),
        Mistake(
            "returns_a_value",
            "Your test returns what it found; nobody looks at that. It rejects by raising an "
            "exception: write `assert …` instead of `return …`.",
            lambda feed_forward: True,
        ),
        Mistake(
            "rejects_everything",
            "Your test rejects every implementation, right ones too. Is the expected value the "
            "right one (exact GELU, weights transposed), does the call follow the statement, and "
            "does the tolerance leave room for rounding, about 1e-5?",
            _always_fails,
        ),
        Mistake(
            "tanh_expected",
            "Your test takes the tanh form for the right one: it rejects the exact GELU. "
            "`F.gelu(x)` is exact.",
            section=FORMS,
        ),
        Mistake(
            "loose",
            "The tanh form of GELU and a rounded constant get through: the tolerance is too wide, "
            "or the numbers before the activation are so small or so large that the forms agree. "
            "Ask for 1e-5, on numbers between −3 and 3.",
            points=3,
            section=FORMS,
        ),
        Mistake(
            "zero_biases",
            "What is wrong with a bias gets through: with biases of zero nobody can see it. Draw "
            "the biases, too.",
            points=3,
        ),
        Mistake(
            "one_token",
            "An implementation that mixes tokens gets through: that shows only in a sequence of "
            "several different tokens.",
            points=3,
            section=ALONE,
        ),
        Mistake(
            "one_sequence",
            "An implementation that mixes the sequences of a batch gets through: that shows only "
            "in a batch of several different sequences.",
            points=3,
            section=ALONE,
        ),
        Mistake(
            "x_unseen",
            "An implementation that changes `x` gets through: keep a clone of it, and compare "
            "after the call.",
            points=3,
        ),
        Mistake(
            "weights_unseen",
            "An implementation that changes a weight or a bias gets through: keep clones of all "
            "arguments, and compare after the call.",
            points=3,
        ),
        Mistake(
            "arguments_unseen",
            "Implementations that change their arguments get through: keep clones of all of them, "
            "and compare after the call.",
            points=3,
        ),
        Mistake(
            "no_gradient_checked",
            "An implementation that is cut off from autograd gets through: give it a tensor that "
            "requires gradients, and call `backward()`.",
            points=3,
        ),
        Mistake(
            "values_only",
            "Implementations that change their arguments or lose the gradient get through: compare "
            "the arguments with clones after the call, and call `backward()`.",
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
            "no_negative_numbers",
            "Missing and other activations get through: for large positive numbers GELU gives "
            "back what it gets. Draw numbers of both signs, as `torch.randn` does.",
            _examine_large,
            section=ACTIVATIONS,
        ),
    ),
)


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
