"""Exercise 5: a test of multi-head attention that catches the wrong versions."""

from __future__ import annotations

import torch
from torch import nn

from grading import check
from grading.content.drawing import one_of
from grading.content.multi_head.sections import COMMON
from grading.content.multi_head.shared import loop_over_heads
from grading.exercise import Case, Part, Question
from grading.exercise.edits import edited

from .versions import CHANGED_BEFORE, CORRECT, HIDDEN, RIGHT, SHOWN_BY, WRONG


def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    for batch, tokens, heads, head_size in ((3, 5, 2, 4), (1, 5, 3, 4)):
        hidden = heads * head_size
        hidden_states = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) / 2,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        names = ("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias")
        peer.load_state_dict(dict(zip(names, state.values(), strict=True)))
        expected, _ = peer(hidden_states, hidden_states, hidden_states)
        states_before = hidden_states.detach().clone()
        state_before = {name: tensor.clone() for name, tensor in state.items()}

        found = attention(hidden_states, state, heads)

        assert found.shape == expected.shape
        assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
        assert torch.equal(hidden_states, states_before)
        assert all(torch.equal(state[name], state_before[name]) for name in state)
        (gradient,) = torch.autograd.grad(found.sum(), hidden_states)
        assert gradient.abs().sum() > 0


def _test_cases(generator: torch.Generator) -> list[Case]:
    def case(title: str, part: str, source: str, shown_by: str = "", hidden: bool = False) -> Case:
        name = one_of(generator, "attention", "multi_head", "attend", "self_attention")
        source = source.strip().replace("NAME", name) + "\n"
        arguments = (("name", name), ("source", source))
        return Case(
            title, part, arguments, harness=check.run_test, shown_by=shown_by, hidden=hidden
        )

    accepted = [case(f"right: {title}", "core", source) for title, source in CORRECT.items()]
    rejected = []
    again = [
        case(f"right: {title}", "core", source, hidden=True) for title, source in HIDDEN.items()
    ]
    for title, part, ways in WRONG:
        # Each way when it counts, one of them to practise; but where each changes another tensor,
        # who looks at some of them only is told at once.
        each = title in ("W_O or its bias is changed in place", CHANGED_BEFORE)
        order = torch.randperm(len(ways), generator=generator).tolist()
        first, *others = (edited(RIGHT, ways[place]) for place in order)
        rejected.append(case(f"wrong: {title}", part, first, SHOWN_BY[title]))
        again += [
            case(f"wrong: {title}, way {number}", part, source, SHOWN_BY[title], hidden=not each)
            for number, source in enumerate(others, 2)
        ]
    return accepted + rejected + again


def _by_hand(attention):
    """Another test: without PyTorch's module, and without `assert`."""
    torch.manual_seed(3)
    for batch, tokens, heads, size in ((2, 6, 3, 5), (1, 4, 4, 2), (3, 1, 2, 3)):
        hidden = heads * size
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) * 0.5,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden),
            "output.bias": torch.randn(hidden),
        }
        before = {name: tensor.clone() for name, tensor in state.items()}
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        numbers = x.detach().clone()
        found = attention(x, state, heads)
        if list(found.shape) != [batch, tokens, hidden]:
            raise ValueError("shape")
        exact = {name: tensor.double() for name, tensor in before.items()}
        if (found - loop_over_heads(numbers.double(), exact, heads)).abs().max().item() > 1e-3:
            raise ValueError("numbers")
        if not x.equal(numbers) or any(not state[name].equal(before[name]) for name in before):
            raise ValueError("changed")
        found.sum().backward()
        if x.grad is None or not x.grad.any():
            raise ValueError("no gradient")


def known(batch, tokens, heads, size):
    """Hidden states, weights, and what PyTorch's module makes of them."""
    generator = torch.Generator().manual_seed(1)
    hidden = heads * size
    x = torch.randn(batch, tokens, hidden, generator=generator)
    peer = nn.MultiheadAttention(hidden, heads, batch_first=True).eval()
    with torch.no_grad():
        for parameter in peer.parameters():
            scale = 0.5 if parameter.dim() > 1 else 1.0
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * scale)
        state = {
            "query_key_value.weight": peer.in_proj_weight.detach(),
            "query_key_value.bias": peer.in_proj_bias.detach(),
            "output.weight": peer.out_proj.weight.detach(),
            "output.bias": peer.out_proj.bias.detach(),
        }
        return x, state, peer(x, x, x)[0]


def _in_three_steps(attention):
    for batch, tokens, heads, size in ((3, 5, 2, 3), (1, 5, 3, 4), (2, 5, 3, 4)):
        x, state, expected = known(batch, tokens, heads, size)
        result = attention(x, state, heads)
        assert result.shape == x.shape
        assert (result - expected).abs().max() < 1e-3
    x, state, _ = known(2, 4, 3, 2)
    given, weights = x.clone(), {name: tensor.clone() for name, tensor in state.items()}
    attention(given, weights, 3)
    assert given.equal(x)
    assert all(weights[name].equal(state[name]) for name in state)
    attention(given.requires_grad_(), weights, 3).mean().backward()
    assert given.grad.any()


def _with_testing_module(attention):
    for batch, tokens, heads, size in ((2, 7, 4, 4), (1, 7, 3, 4)):
        x, state, expected = known(batch, tokens, heads, size)
        given = {name: tensor.clone() for name, tensor in state.items()}
        y = x.clone().requires_grad_()
        result = attention(y, given, heads)
        torch.testing.assert_close(result.detach(), expected, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close((y.detach(), given), (x, state), rtol=0.0, atol=0.0)
        result.square().sum().backward()


def _wider(attention):
    for batch, tokens, heads, size in ((4, 3, 2, 6), (1, 3, 3, 6), (4, 3, 5, 6)):
        x, state, expected = known(batch, tokens, heads, size)
        y, weights = x.clone(), {name: t.clone() for name, t in state.items()}
        for tensor in (y, *weights.values()):
            tensor.requires_grad_()
        result = attention(y, weights, heads)
        assert list(result.shape) == [batch, tokens, heads * size]
        assert torch.allclose(result, expected, rtol=1e-3, atol=1e-3)
        assert torch.equal(y, x)
        assert all(torch.equal(weights[name], state[name]) for name in state)
        assert result.requires_grad
        assert torch.autograd.grad(result.sum(), y)[0].norm() > 0


QUESTION = Question(
    id="test_multi_head",
    mixed=True,
    title="Write the test that catches it",
    signature="test_multi_head(attention)",
    reference=test_multi_head,
    cases=_test_cases,
    parts=(
        Part("core", "right versions pass; wrong heads, W_O, softmax and scale do not", 2),
        Part("biases", "a missing bias is caught", 1),
        Part("habits", "side effects, chance, no gradient, some sizes only", 1),
    ),
    minutes=40,
    draws=3,  # each has every kind of version
    difficulty=3,
    section=COMMON,
    alternatives={
        "by hand, with raise": _by_hand,
        "in three steps": _in_three_steps,
        "with torch.testing": _with_testing_module,
        "wider": _wider,
    },
)
