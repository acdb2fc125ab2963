"""Exercise 5: a test of multi-head attention that catches the wrong versions."""

from __future__ import annotations

import contextlib

import torch
from torch import nn

from grading import check
from grading.content.drawing import one_of
from grading.content.multi_head.sections import COMMON
from grading.content.multi_head.shared import loop_over_heads, packed_state
from grading.exercise import Case, Exercise, Mistake, Part
from grading.exercise.edits import Edits, edited


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


# ---- The versions that a student's test is run on ----

_RIGHT = """
def NAME(hidden_states, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    heads = num_attention_heads
    size = hidden // heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    query, key, value = packed.chunk(3, dim=-1)
    query = query.reshape(batch, tokens, heads, size).transpose(1, 2)
    key = key.reshape(batch, tokens, heads, size).transpose(1, 2)
    value = value.reshape(batch, tokens, heads, size).transpose(1, 2)
    scores = query @ key.transpose(-2, -1) / math.sqrt(size)
    weights = scores.softmax(dim=-1)
    context = weights @ value
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    output = F.linear(context, state["output.weight"], state["output.bias"])
    return output
"""

_LOOP = """
def NAME(hidden_states, state, num_attention_heads):
    hidden = hidden_states.size(-1)
    size = hidden // num_attention_heads
    weights, biases = state["query_key_value.weight"], state["query_key_value.bias"]
    linears = list(zip(weights.split(size), biases.split(size)))
    output = state["output.bias"]
    for head in reversed(range(num_attention_heads)):
        query, key, value = (
            hidden_states @ weight.T + bias for weight, bias in linears[head::num_attention_heads]
        )
        weights = torch.softmax(query @ key.mT * size**-0.5, -1)
        columns = state["output.weight"][:, head * size : (head + 1) * size]
        output = output + (weights @ value) @ columns.T
    return output
"""

_EINSUM = """
def NAME(hidden_states, state, num_attention_heads):
    double = {name: tensor.double() for name, tensor in state.items()}
    sizes = (3, num_attention_heads, -1)
    weight = double["query_key_value.weight"].unflatten(0, sizes)
    bias = double["query_key_value.bias"].unflatten(0, sizes)
    packed = torch.einsum("bti,phdi->pbthd", hidden_states.double(), weight)
    query, key, value = packed + bias[:, None, None]
    scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(query.size(-1))
    context = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), value).flatten(2)
    return F.linear(context, double["output.weight"], double["output.bias"]).float()
"""

_LIBRARY = """
def NAME(hidden_states, state, num_attention_heads):
    time_first = hidden_states.transpose(0, 1)
    output, _ = F.multi_head_attention_forward(
        time_first, time_first, time_first, hidden_states.size(-1), num_attention_heads,
        state["query_key_value.weight"], state["query_key_value.bias"], None, None, False, 0.0,
        state["output.weight"], state["output.bias"], need_weights=False,
    )
    return output.transpose(0, 1)
"""

_FUSED = """
def NAME(hidden_states, state, num_attention_heads):
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    parts = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    context = F.scaled_dot_product_attention(*parts).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
"""

_MODULE = """
def NAME(hidden_states, state, num_attention_heads):
    hidden, dtype = hidden_states.size(-1), hidden_states.dtype
    module = nn.MultiheadAttention(hidden, num_attention_heads, batch_first=True, dtype=dtype)
    module.load_state_dict(
        {
            "in_proj_weight": state["query_key_value.weight"],
            "in_proj_bias": state["query_key_value.bias"],
            "out_proj.weight": state["output.weight"],
            "out_proj.bias": state["output.bias"],
        }
    )
    return module(hidden_states, hidden_states, hidden_states, need_weights=False)[0]
"""

_NO_KEY_BIAS = _RIGHT.replace(
    "    packed = F",
    "    bias = bias * (torch.arange(3 * hidden) // hidden != 1)\n    packed = F",
)

_THREE_PRODUCTS = _RIGHT.replace(
    "    packed = F.linear(hidden_states, weight, bias)\n"
    "    query, key, value = packed.chunk(3, dim=-1)\n",
    "    parts = zip(weight.chunk(3), bias.chunk(3))\n"
    "    query, key, value = (hidden_states @ matrix.T + offset for matrix, offset in parts)\n",
)

_OWN_SOFTMAX = _RIGHT.replace(
    "scores.softmax(dim=-1)",
    "(scores - scores.logsumexp(dim=-1, keepdim=True)).exp()",
)

_BIAS_LINE = "    packed = F"


def _without_bias(place: int) -> list[Edits]:
    """Two ways to lose the bias of query (0) or value (2)."""
    name = ("query", "key", "value")[place]
    third = f"bias[{place} * hidden : {place + 1} * hidden]"
    return [
        [(_BIAS_LINE, f"    bias = bias.clone()\n    {third} = 0.0\n{_BIAS_LINE}")],
        [(f"{name} = {name}.", f"{name} = ({name} - {third}).")],
    ]


def _cut(new: str) -> Edits:
    """Cut query, key and value into heads in another way."""
    old = "reshape(batch, tokens, heads, size).transpose(1, 2)"
    return [(f"{name}.{old}", f"{name}.{new}") for name in ("query", "key", "value")]


_CHANGED_BEFORE = "a tensor in state is changed before it is used"
_MERGE = "context.transpose(1, 2).reshape(batch, tokens, hidden)"

# What a wrong version does, the part that it belongs to, and ways to write it: edits of `_RIGHT`.
_WRONG: list[tuple[str, str, list[Edits]]] = [
    (
        "only head 0 is used",
        "core",
        [
            [("weights @ value", "(weights @ value)[:, :1].expand(-1, heads, -1, -1)")],
            [("weights @ value", "(weights @ value) * (torch.arange(heads) == 0)[:, None, None]")],
        ],
    ),
    (
        "W_O is missing",
        "core",
        [
            [("return output", "return context")],
            [('F.linear(context, state["output.weight"],', "context + (")],
        ],
    ),
    (
        "W_O is transposed",
        "core",
        [
            [('state["output.weight"],', 'state["output.weight"].T,')],
            [('F.linear(context, state["output.weight"],', '(context @ state["output.weight"] +')],
        ],
    ),
    (
        "interleaved heads",
        "core",
        [
            _cut("reshape(batch, tokens, size, heads).permute(0, 3, 1, 2)"),
            [(_MERGE, "context.permute(0, 2, 3, 1).reshape(batch, tokens, hidden)")],
        ],
    ),
    (
        "heads cut by reshape without transpose",
        "core",
        [_cut("reshape(batch, heads, tokens, size)")],
    ),
    (
        "heads merged without transposing back",
        "core",
        [[(_MERGE, "context.reshape(batch, tokens, hidden)")]],
    ),
    (
        "query, key and value cut from each head's piece",
        "core",
        [
            [("packed.chunk(3, dim=-1)", "packed.unflatten(-1, (heads, 3, size)).unbind(3)")],
            [
                (
                    "F.linear(hidden_states, weight, bias)",
                    "F.linear(hidden_states, weight, bias)"
                    ".unflatten(-1, (heads, 3, size)).transpose(2, 3).flatten(2)",
                )
            ],
        ],
    ),
    (
        "query and key exchanged",
        "core",
        [[("query @ key.", "key @ query.")], [("query, key, value = p", "key, query, value = p")]],
    ),
    ("softmax over the queries", "core", [[("softmax(dim=-1)", "softmax(dim=-2)")]]),
    ("softmax over the heads", "core", [[("softmax(dim=-1)", "softmax(dim=1)")]]),
    (
        "scores divided by √hidden",
        "core",
        [[("math.sqrt(size)", "math.sqrt(hidden)")]],
    ),
    (
        "scores not divided by √head_size",
        "core",
        [[(" / math.sqrt(size)", "")], [("math.sqrt(size)", "size")]],
    ),
    (
        "all sentences get the attention weights of the first",
        "core",
        [
            [("weights @ value", "weights[:1] @ value")],
            [("softmax(dim=-1)", "softmax(dim=-1)[0].expand_as(scores)")],
        ],
    ),
    (
        "the results of the sentences are exchanged",
        "core",
        [
            [("return output", "return output.roll(1, 0)")],
            [("return output", "return output.flip(0)")],
        ],
    ),
    ("no bias for the queries", "biases", _without_bias(0)),
    ("no bias for the values", "biases", _without_bias(2)),
    (
        "no bias for the output",
        "biases",
        [[(', state["output.bias"])', ")")]],
    ),
    (
        "weights in state are changed in place",
        "habits",
        [
            [
                (
                    _BIAS_LINE,
                    "    weight.data[:hidden] /= math.sqrt(size)\n"
                    f"    bias.data[:hidden] /= math.sqrt(size)\n{_BIAS_LINE}",
                ),
                (" / math.sqrt(size)", ""),
            ],
            [("return output", "bias.data += 0.5\n    return output")],
        ],
    ),
    (  # a copy of one tensor does not show what happens to others
        "W_O or its bias is changed in place",
        "habits",
        [
            [("return output", f"{change}\n    return output")]
            for change in ('state["output.weight"].data *= 0.5', 'state["output.bias"].data += 1.0')
        ],
    ),
    (
        _CHANGED_BEFORE,  # so that the result fits the changed one
        "habits",
        [
            [(_BIAS_LINE, f"    state[{name!r}].data += 0.3\n{_BIAS_LINE}")]
            for name in (
                "query_key_value.weight",
                "query_key_value.bias",
                "output.weight",
                "output.bias",
            )
        ],
    ),
    (
        "hidden_states are changed in place",
        "habits",
        [
            [("return output", "hidden_states.data += output.data\n    return output")],
            [("return output", "hidden_states.data.mul_(2.0)\n    return output")],
        ],
    ),
    (
        "hidden_states are changed before they are used",
        "habits",
        [[(_BIAS_LINE, f"    hidden_states.data.mul_(2.0)\n{_BIAS_LINE}")]],
    ),
    (
        "dropout is alive",
        "habits",
        [
            [("weights @ value", "F.dropout(weights, 0.3) @ value")],
            [("F.linear(context,", "F.linear(F.dropout(context, 0.4),")],
        ],
    ),
    (
        "cut off from autograd",
        "habits",
        [
            [("return output", "return output.detach()")],
            [("return output", "return output.data")],
        ],
    ),
    (  # the tensors of the state still get theirs
        "hidden_states are cut off from autograd",
        "habits",
        [[("F.linear(hidden_states,", "F.linear(hidden_states.detach(),")]],
    ),
    ("always two heads", "habits", [[("heads = num_attention_heads", "heads = 2")]]),
    ("always three heads", "habits", [[("heads = num_attention_heads", "heads = 3")]]),
    (
        "a batch of one loses its first axis",
        "habits",
        [
            [("return output", "return output.squeeze(0)")],
            [("return output", "return output[0] if batch == 1 else output")],
        ],
    ),
]

_CORRECT = {
    "packed": _RIGHT,
    "fused": _FUSED,
    "heads one by one": _LOOP,
    "einsum in float64": _EINSUM,
    "PyTorch's own function": _LIBRARY,
    "a module that is filled with copies of the weights": _MODULE,
    "without the bias of the keys, which no output shows": _NO_KEY_BIAS,
}
_HIDDEN = {  # right versions that are not among the public cases
    "packed, once more": _RIGHT,
    "three products": _THREE_PRODUCTS,
    "a softmax of its own": _OWN_SOFTMAX,
}


_HEADS = "two heads or more, and several tokens"
_LARGE = "several tokens and heads, and weights with which the scores of a row differ by 1 or more"
_SHOWN_BY = {
    "only head 0 is used": _HEADS,
    "W_O is missing": "a W_O of random numbers",
    "W_O is transposed": "a W_O of random numbers, not symmetric",
    "interleaved heads": _HEADS,
    "heads cut by reshape without transpose": _HEADS,
    "heads merged without transposing back": _HEADS,
    "query, key and value cut from each head's piece": _HEADS,
    "query and key exchanged": _LARGE,
    "softmax over the queries": _LARGE,
    "softmax over the heads": _LARGE,
    "scores divided by √hidden": _LARGE,
    "scores not divided by √head_size": _LARGE,
    "all sentences get the attention weights of the first": "several different sentences",
    "the results of the sentences are exchanged": "numbers compared one by one, for two sentences",
    "no bias for the queries": "biases that are not zero",
    "no bias for the values": "biases that are not zero",
    "no bias for the output": "biases that are not zero",
    "weights in state are changed in place": "a copy of `state`, compared after the call",
    "W_O or its bias is changed in place": "a copy of `state`, compared after the call",
    "hidden_states are changed in place": "a copy of hidden_states, compared after the call",
    _CHANGED_BEFORE: "a copy of `state`, made before the call",
    "hidden_states are changed before they are used": "a copy of hidden_states, made before",
    "dropout is alive": "numbers compared to about 1e-4",
    "cut off from autograd": "hidden_states that require a gradient, and `backward()`",
    "hidden_states are cut off from autograd": "hidden_states that require a gradient, and a look "
    "at that gradient, not at the state's",
    "always two heads": "a number of heads other than two",
    "always three heads": "a number of heads other than three",
    "a batch of one loses its first axis": "a batch of one, and a look at the shape",
}


def _test_cases(generator: torch.Generator) -> list[Case]:
    def case(title: str, part: str, source: str, shown_by: str = "", hidden: bool = False) -> Case:
        name = one_of(generator, "attention", "multi_head", "attend", "self_attention")
        source = source.strip().replace("NAME", name) + "\n"
        arguments = (("name", name), ("source", source))
        return Case(
            title, part, arguments, harness=check.run_test, shown_by=shown_by, hidden=hidden
        )

    accepted = [case(f"right: {title}", "core", source) for title, source in _CORRECT.items()]
    rejected = []
    again = [
        case(f"right: {title}", "core", source, hidden=True) for title, source in _HIDDEN.items()
    ]
    for title, part, ways in _WRONG:
        # Each way when it counts, one of them to practise; but where each changes another tensor,
        # who looks at some of them only is told at once.
        each = title in ("W_O or its bias is changed in place", _CHANGED_BEFORE)
        order = torch.randperm(len(ways), generator=generator).tolist()
        first, *others = (edited(_RIGHT, ways[place]) for place in order)
        rejected.append(case(f"wrong: {title}", part, first, _SHOWN_BY[title]))
        again += [
            case(f"wrong: {title}, way {number}", part, source, _SHOWN_BY[title], hidden=not each)
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


def _known(batch, tokens, heads, size):
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
        x, state, expected = _known(batch, tokens, heads, size)
        result = attention(x, state, heads)
        assert result.shape == x.shape
        assert (result - expected).abs().max() < 1e-3
    x, state, _ = _known(2, 4, 3, 2)
    given, weights = x.clone(), {name: tensor.clone() for name, tensor in state.items()}
    attention(given, weights, 3)
    assert given.equal(x)
    assert all(weights[name].equal(state[name]) for name in state)
    attention(given.requires_grad_(), weights, 3).mean().backward()
    assert given.grad.any()


def _with_testing_module(attention):
    for batch, tokens, heads, size in ((2, 7, 4, 4), (1, 7, 3, 4)):
        x, state, expected = _known(batch, tokens, heads, size)
        given = {name: tensor.clone() for name, tensor in state.items()}
        y = x.clone().requires_grad_()
        result = attention(y, given, heads)
        torch.testing.assert_close(result.detach(), expected, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close((y.detach(), given), (x, state), rtol=0.0, atol=0.0)
        result.square().sum().backward()


def _wider(attention):
    for batch, tokens, heads, size in ((4, 3, 2, 6), (1, 3, 3, 6), (4, 3, 5, 6)):
        x, state, expected = _known(batch, tokens, heads, size)
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
        x, state, _ = _known(batch, tokens, heads, size)
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


EXERCISE = Exercise(
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
    mistakes=(
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
            "The test does not see that hidden_states are changed: keep a copy and compare "
            "afterwards.",
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
    ),
)
