"""The known mistakes of `test_multi_head`."""

from __future__ import annotations

import contextlib

import torch

from grading.content.multi_head.shared import packed_state
from grading.exercise import Mistake

from .question import known, test_multi_head


def _swallows(attention):
    """Catch what a failed check raises."""
    with contextlib.suppress(Exception):
        test_multi_head(attention)


def _prints(attention):
    """Only what the implementation itself raises gets out."""
    x = torch.randn(1, 5, 12, requires_grad=True)
    state = packed_state(torch.Generator().manual_seed(0), 12, 12)
    attention(torch.randn(2, 5, 8), packed_state(torch.Generator().manual_seed(0), 8, 8), 2)
    found = attention(x, state, 3)
    with contextlib.suppress(Exception):
        assert found.mean() == 0.5


def _says_false(attention):
    state = packed_state(torch.Generator().manual_seed(0), 12, 12)
    return bool(attention(torch.ones(2, 5, 12), state, 3).mean() == 0.5)


def _same_twice(attention):
    torch.manual_seed(0)
    x, hidden = torch.randn(2, 5, 12), 12
    state = packed_state(torch.Generator().manual_seed(0), hidden, hidden)
    assert torch.equal(attention(x, state, 3), attention(x, state, 3))


def _tokens_move_along(attention):
    x = torch.randn(3, 5, 12)
    state = packed_state(torch.Generator().manual_seed(0), 12, 12)
    order = torch.tensor([3, 0, 4, 1, 2])
    one, other = attention(x, state, 3)[:, order], attention(x[:, order], state, 3)
    assert torch.allclose(one, other, atol=1e-4)


def _properties(attention):
    """What is true of right versions, and of many wrong ones."""
    for batch, tokens, heads, size in ((3, 5, 2, 4), (1, 4, 3, 5)):
        x, state, _ = known(batch, tokens, heads, size)
        given, weights = x.clone().requires_grad_(), {n: t.clone() for n, t in state.items()}
        found = attention(given, weights, heads)
        assert found.shape == x.shape
        assert torch.allclose(found, attention(given, weights, heads), atol=1e-5)
        order = torch.arange(tokens).roll(2)
        assert torch.allclose(
            found[:, order], attention(given[:, order], weights, heads), atol=1e-4
        )
        assert torch.allclose(found[:1], attention(given[:1], weights, heads), atol=1e-4)
        assert given.equal(x)
        assert all(weights[name].equal(state[name]) for name in state)
        assert torch.autograd.grad(found.sum(), given)[0].any()


# What the weak tests leave out
_NUMBERS = "        assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)\n"
_STATES = "        assert torch.equal(hidden_states, states_before)\n"
_STATE = "        assert all(torch.equal(state[name], state_before[name]) for name in state)\n"
_GRADIENT = (
    "        (gradient,) = torch.autograd.grad(found.sum(), hidden_states)\n"
    "        assert gradient.abs().sum() > 0\n"
)


MISTAKES = (
    Mistake(
        "accepts_everything",
        "The test accepts everything. Does it compare numbers with numbers that are certainly "
        "right, and does the exception of a failed `assert` get out of the test?",
        [
            (_NUMBERS, ""),
            (_STATES, ""),
            (_STATE, ""),
            (_GRADIENT, ""),
            ("        assert found.shape == expected.shape\n", ""),
        ],
        other_forms=(_swallows, _prints),
    ),
    Mistake(
        "says_false",
        "The test accepts everything. A test speaks by raising an error: what it returns "
        "(True or False) is not looked at. Use `assert`.",
        _says_false,
    ),
    Mistake(
        "rejects_everything",
        "The test rejects everything, right versions too. Does it run at all (call "
        "`attention(hidden_states, state, num_attention_heads)`)? Are the numbers right that "
        "it expects, and does it allow for rounding?",
        [("attention(hidden_states, state, heads)", "attention(hidden_states, heads)")],
    ),
    Mistake(
        "shape_only",
        "The test looks at shapes; nearly all mistakes give the right shape. Compare numbers.",
        [(_NUMBERS, ""), (_STATES, ""), (_STATE, ""), (_GRADIENT, "")],
    ),
    Mistake(
        "same_twice",
        "The test compares the implementation with itself, so only what changes from call to "
        "call is caught. Compare with numbers from elsewhere.",
        _same_twice,
    ),
    Mistake(
        "tokens_move_along",
        "The test checks that tokens which are shuffled give shuffled outputs. That is true of "
        "most wrong versions, too: compare with numbers from elsewhere.",
        _tokens_move_along,
        other_forms=(_properties,),
    ),
    Mistake(
        "exact",
        "The test asks for exactly equal numbers. Right versions add in different orders and "
        "differ in the last digits: allow 1e-5 or so.",
        [
            (
                "torch.allclose(found, expected, rtol=1e-4, atol=1e-4)",
                "torch.equal(found, expected)",
            )
        ],
        other_forms=([("rtol=1e-4, atol=1e-4", "rtol=1e-7, atol=0.0")],),
    ),
    Mistake(
        "loose",
        "Numbers that are far off pass: is the tolerance too wide?",
        [("rtol=1e-4, atol=1e-4", "rtol=2.0, atol=2.0")],
    ),
    Mistake(
        "one_head",
        "Mistakes of heads go unseen: does the test use a single head? With one, their order "
        "does not matter.",
        [("((3, 5, 2, 4), (1, 5, 3, 4))", "((3, 5, 1, 4), (1, 5, 1, 4))")],
    ),
    Mistake(
        "one_token",
        "Mistakes of scores and softmax go unseen: does the test use a single token? Its "
        "softmax is 1 whatever the scores are.",
        [("((3, 5, 2, 4), (1, 5, 3, 4))", "((3, 1, 2, 4), (1, 1, 3, 4))")],
    ),
    Mistake(
        "batch_of_one",
        "Sentences that mix go unseen: does the test use a batch of one and no other, or "
        "compare the first sentence alone?",
        [("((3, 5, 2, 4), (1, 5, 3, 4))", "((1, 5, 2, 4), (1, 5, 3, 4))")],
    ),
    Mistake(
        "attention_unseen",
        "Mistakes of scores and softmax go unseen: in the test, are all tokens of a sentence "
        "equal, or the weights so small that all scores of a row are about the same? Then it "
        "does not matter which token looks at which.",
        [
            (
                "torch.randn(batch, tokens, hidden, requires_grad=True)",
                "torch.randn(batch, 1, hidden).repeat(1, tokens, 1).requires_grad_()",
            )
        ],
        other_forms=(
            [
                ("torch.randn(3 * hidden, hidden) / 2", "torch.randn(3 * hidden, hidden) / 50"),
                ("torch.randn(3 * hidden)", "torch.randn(3 * hidden) / 50"),
                ("torch.randn(hidden, hidden) / 2", "torch.randn(hidden, hidden) / 50"),
                ("torch.randn(hidden)", "torch.randn(hidden) / 50"),
                ("rtol=1e-4, atol=1e-4", "atol=1e-3"),
            ],
            [
                ("torch.randn(3 * hidden, hidden) / 2", "torch.randn(3 * hidden, hidden) / 50"),
                ("torch.randn(3 * hidden)", "torch.randn(3 * hidden) / 50"),
                ("torch.randn(hidden, hidden) / 2", "torch.randn(hidden, hidden) / 50"),
                ("torch.randn(hidden)", "torch.randn(hidden) / 50"),
            ],
        ),
    ),
    Mistake(
        "small_weights",
        "Mistakes of the scores go unseen: are the weights in the test so small that all "
        "scores of a row are about the same?",
        [
            ("torch.randn(3 * hidden, hidden) / 2", "torch.randn(3 * hidden, hidden) / 300"),
            ("torch.randn(hidden, hidden) / 2", "torch.randn(hidden, hidden) / 300"),
        ],
    ),
    Mistake(
        "identity_output",
        "A missing or transposed W_O goes unseen: is it the identity in the test?",
        [("torch.randn(hidden, hidden) / 2", "torch.eye(hidden)")],
    ),
    Mistake(
        "zero_biases",
        "A bias that is forgotten goes unseen: are the biases zero in the test, as "
        "`nn.MultiheadAttention` begins with? Draw them.",
        [
            ("torch.randn(3 * hidden)", "torch.zeros(3 * hidden)"),
            ("torch.randn(hidden)", "torch.zeros(hidden)"),
        ],
        other_forms=(
            [("torch.randn(3 * hidden)", "torch.zeros(3 * hidden)")],
            [("torch.randn(hidden)", "torch.zeros(hidden)")],
        ),
        points=3,
    ),
    Mistake(
        "expected_after",
        "An implementation that changes an argument *before* it uses it passes: the expected "
        "numbers are computed after the call, from what the arguments are then. Compute them "
        "before, or compare with copies.",
        [
            ("        expected, _ = peer(hidden_states, hidden_states, hidden_states)\n", ""),
            (
                "        peer.load_state_dict(dict(zip(names, state.values(), strict=True)))\n",
                "",
            ),
            (
                "        found = attention(hidden_states, state, heads)\n",
                "        found = attention(hidden_states, state, heads)\n"
                "        peer.load_state_dict(dict(zip(names, state.values(), strict=True)))\n"
                "        expected, _ = peer(hidden_states, hidden_states, hidden_states)\n",
            ),
            (_STATES, ""),
            (_STATE, ""),
        ],
        points=3,
    ),
    Mistake(
        "gradient_of_the_state",
        "The test asks for gradients of the tensors in `state`, and so rejects a right version "
        "that loads copies of them into a module. Gradients must reach hidden_states, no more.",
        [
            (
                "        peer = nn.",
                "        for tensor in state.values():\n"
                "            tensor.requires_grad_()\n"
                "        peer = nn.",
            ),
            (
                "(gradient,) = torch.autograd.grad(found.sum(), hidden_states)",
                "gradient, *_ = torch.autograd.grad(\n"
                "            found.sum(), [hidden_states, *state.values()]\n"
                "        )",
            ),
        ],
    ),
    Mistake(
        "gradient_of_anything",
        "A version that cuts off hidden_states passes: that the result requires a gradient "
        "says nothing where tensors of `state` require one, too. Look at the gradient of "
        "hidden_states.",
        [
            (
                _GRADIENT,
                "        for tensor in state.values():\n"
                "            tensor.requires_grad_()\n"
                "        assert attention(hidden_states, state, heads).requires_grad\n",
            )
        ],
        points=3,
    ),
    Mistake(
        "float64_arguments",
        "The test calls with tensors of float64, and so rejects right versions, which are "
        "promised float32 and return it. Draw float32 and allow for its rounding; only the "
        "expected numbers may be computed in float64.",
        [
            (
                "    torch.manual_seed(0)\n",
                '    torch.manual_seed(0)\n    long = {"dtype": torch.float64}\n',
            ),
            ("hidden, requires_grad=True)", "hidden, **long, requires_grad=True)"),
            ("torch.randn(3 * hidden, hidden)", "torch.randn(3 * hidden, hidden, **long)"),
            ("torch.randn(3 * hidden)", "torch.randn(3 * hidden, **long)"),
            ("torch.randn(hidden, hidden)", "torch.randn(hidden, hidden, **long)"),
            ("torch.randn(hidden)", "torch.randn(hidden, **long)"),
            ("batch_first=True)", "batch_first=True, **long)"),
        ],
    ),
    Mistake(
        "without_gradient",
        "The test does not see that a result is cut off from autograd: ask for a gradient.",
        [(_GRADIENT, "")],
        points=3,
    ),
    Mistake(
        "state_unwatched",
        "The test does not see that weights in `state` are changed: keep a copy and compare "
        "afterwards.",
        [(_STATE, "")],
        other_forms=(
            [  # a gradient that is compared shows W_O, not what was used for the last time
                (_STATE, ""),
                (
                    _GRADIENT,
                    "        one, other = (\n"
                    "            torch.autograd.grad(result.square().sum(), hidden_states)[0]\n"
                    "            for result in (found, expected)\n"
                    "        )\n"
                    "        assert torch.allclose(one, other, rtol=1e-3, atol=1e-2)\n",
                ),
            ],
        ),
        points=3,
    ),
    Mistake(
        "inputs_unwatched",
        "The test does not see that hidden_states are changed: keep a copy and compare afterwards.",
        [(_STATES, "")],
        points=3,
    ),
    Mistake(
        "both_unwatched",
        "The test does not see that its arguments are changed, neither hidden_states nor "
        "`state`: keep copies and compare afterwards.",
        [(_STATES, ""), (_STATE, "")],
        points=3,
    ),
    Mistake(
        "output_alone",
        "The test compares outputs and nothing else: changed arguments and a missing gradient "
        "go unseen.",
        [(_STATES, ""), (_STATE, ""), (_GRADIENT, "")],
        points=3,
    ),
    Mistake(
        "two_heads_only",
        "A number of heads that is fixed at two passes: does the test use two heads and no "
        "other number?",
        [("((3, 5, 2, 4), (1, 5, 3, 4))", "((3, 5, 2, 4), (1, 5, 2, 4))")],
        points=3,
    ),
    Mistake(
        "three_heads_only",
        "A number of heads that is fixed at three passes: does the test use three heads and "
        "no other number?",
        [("((3, 5, 2, 4), (1, 5, 3, 4))", "((3, 5, 3, 4), (1, 5, 3, 4))")],
        points=3,
    ),
    Mistake(
        "no_batch_of_one",
        "A version that loses an axis for a batch of one passes: does the test use such a "
        "batch, and look at the whole shape? A comparison may stretch [tokens, hidden] to fit.",
        [("((3, 5, 2, 4), (1, 5, 3, 4))", "((3, 5, 2, 4), (3, 5, 3, 4))")],
        points=3,
    ),
)
