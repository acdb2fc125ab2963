"""Versions that a student's test judges: right ones to accept, and wrong ones to reject."""

from __future__ import annotations

from grading.exercise.edits import Edits

# ---- The versions that a student's test is run on ----

RIGHT = """
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

_NO_KEY_BIAS = RIGHT.replace(
    "    packed = F",
    "    bias = bias * (torch.arange(3 * hidden) // hidden != 1)\n    packed = F",
)

_THREE_PRODUCTS = RIGHT.replace(
    "    packed = F.linear(hidden_states, weight, bias)\n"
    "    query, key, value = packed.chunk(3, dim=-1)\n",
    "    parts = zip(weight.chunk(3), bias.chunk(3))\n"
    "    query, key, value = (hidden_states @ matrix.T + offset for matrix, offset in parts)\n",
)

_OWN_SOFTMAX = RIGHT.replace(
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


CHANGED_BEFORE = "a tensor in state is changed before it is used"
_MERGE = "context.transpose(1, 2).reshape(batch, tokens, hidden)"

# What a wrong version does, the part that it belongs to, and ways to write it: edits of `RIGHT`.
WRONG: list[tuple[str, str, list[Edits]]] = [
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
        CHANGED_BEFORE,  # so that the result fits the changed one
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

CORRECT = {
    "packed": RIGHT,
    "fused": _FUSED,
    "heads one by one": _LOOP,
    "einsum in float64": _EINSUM,
    "PyTorch's own function": _LIBRARY,
    "a module that is filled with copies of the weights": _MODULE,
    "without the bias of the keys, which no output shows": _NO_KEY_BIAS,
}
HIDDEN = {  # right versions that are not among the public cases
    "packed, once more": RIGHT,
    "three products": _THREE_PRODUCTS,
    "a softmax of its own": _OWN_SOFTMAX,
}


_HEADS = "two heads or more, and several tokens"
_LARGE = "several tokens and heads, and weights with which the scores of a row differ by 1 or more"
SHOWN_BY = {
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
    CHANGED_BEFORE: "a copy of `state`, made before the call",
    "hidden_states are changed before they are used": "a copy of hidden_states, made before",
    "dropout is alive": "numbers compared to about 1e-4",
    "cut off from autograd": "hidden_states that require a gradient, and `backward()`",
    "hidden_states are cut off from autograd": "hidden_states that require a gradient, and a look "
    "at that gradient, not at the state's",
    "always two heads": "a number of heads other than two",
    "always three heads": "a number of heads other than three",
    "a batch of one loses its first axis": "a batch of one, and a look at the shape",
}
