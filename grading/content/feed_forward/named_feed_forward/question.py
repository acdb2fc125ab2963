"""Exercise 1 of assignment 3: the feed-forward layer as one function of a checkpoint and a name."""

from __future__ import annotations

import math
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading.check import gradient_of_each
from grading.content.defaults import called_again
from grading.content.drawing import draw_sizes, normal
from grading.content.feed_forward import harnesses
from grading.content.feed_forward.sections import LAYER
from grading.content.feed_forward.shared import draw_width
from grading.exercise import Case, Part, Question


def relu(x):
    """Set negative numbers to 0."""
    return x.clamp(min=0)


def gelu(x):
    """Compute the exact GELU, that of BERT."""
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def gelu_new(x):
    """Compute GELU by tanh, that of GPT-2."""
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def silu(x):
    """Compute SiLU, also called Swish."""
    return x * torch.sigmoid(x)


def named_feed_forward(hidden_states, state, activation="gelu"):
    """Apply the feed-forward layer with the weights of ``state``."""
    activations = {"relu": relu, "gelu": gelu, "gelu_new": gelu_new, "silu": silu}
    if activation not in activations:
        raise ValueError(f"No activation {activation!r}; there are {', '.join(activations)}.")
    act = activations[activation]
    w_1, b_1 = state["intermediate.dense.weight"], state.get("intermediate.dense.bias")
    w_2, b_2 = state["output.dense.weight"], state.get("output.dense.bias")
    wide = F.linear(hidden_states, w_1, b_1)  # [..., wide]
    wide = act(wide)
    output = F.linear(wide, w_2, b_2)  # [..., hidden]
    return output


def _bert_state(generator, hidden, wide, bias=True, dtype=torch.float32) -> dict[str, Tensor]:
    state = {}
    for name, out, into in (("intermediate.dense", wide, hidden), ("output.dense", hidden, wide)):
        state[f"{name}.weight"] = normal(generator, out, into).to(dtype)
        if bias:
            state[f"{name}.bias"] = normal(generator, out).to(dtype)
    return state


def _named_cases(generator: torch.Generator) -> list[Case]:
    def draw(activation, front, bias=True, dtype=torch.float32, without=(), square=False):
        """Arguments whose hidden states have ``front`` axes before the last one.

        If ``square``, there are as many tokens and neurons as numbers in a token.
        """
        *shape, hidden = draw_sizes(generator, front + 1, low=3)
        wide = draw_width(generator)
        if square:
            shape[-1] = wide = hidden
        state = _bert_state(generator, hidden, wide, bias, dtype)
        for name in without:
            del state[f"{name}.bias"]
        x = normal(generator, *shape, hidden).to(dtype)
        return (("hidden_states", x), ("state", state), ("activation", activation))

    def far_apart(activation, front):
        """Arguments with neurons at ±100 beside the others, where ``exp`` overflows."""
        drawn = draw(activation, front)
        drawn[1][1]["intermediate.dense.bias"][:2] = torch.tensor([100.0, -100.0])
        drawn[1][1]["output.dense.weight"][:, :2] *= 0.01
        return drawn

    # The large part of the hidden states falls away, and with it the digits that float32 has lost.
    fine = draw("gelu", 1, dtype=torch.float64)
    fine[0][1].add_(1e4)
    first_map = fine[1][1]["intermediate.dense.weight"]
    first_map -= first_map.mean(dim=-1, keepdim=True)
    # So does that of the neurons, which float32 must not hold either.
    fine[1][1]["intermediate.dense.bias"].add_(1e4)
    second_map = fine[1][1]["output.dense.weight"]
    second_map -= second_map.mean(dim=-1, keepdim=True)
    one = draw("gelu", 2, square=True)
    one = (("hidden_states", one[0][1][:1]), *one[1:])
    alone = draw("relu", 1)
    alone = (("hidden_states", alone[0][1][:1]), *alone[1:])
    zeros = draw("gelu", 1)  # biases of zeros are there, and learn
    for name in ("intermediate.dense", "output.dense"):
        zeros[1][1][f"{name}.bias"].zero_()
    repeated = Case("called again with other numbers", "core", draw("gelu", 3))
    repeated = called_again(generator, repeated)
    return [
        Case("gelu, a batch of sequences", "core", draw("gelu", 2)),
        Case("relu, a sequence of one token", "core", alone),
        Case("a single token, no activation named: gelu", "core", draw("gelu", 0)[:2]),
        Case("a batch of one, all other sizes equal, transposed views", "core", one, strided=True),
        repeated,
        Case("gelu_new, neurons at ±100", "forms", far_apart("gelu_new", 2)),
        Case("silu, neurons at ±100", "forms", far_apart("silu", 1)),
        Case(
            "gradients, biases of zeros",
            "corner",
            zeros,
            gradient=True,
            harness=gradient_of_each,
        ),
        Case("no biases in the state", "corner", draw("relu", 1, bias=False), gradient=True),
        Case("no bias in the first map", "corner", draw("gelu", 1, without=["intermediate.dense"])),
        Case("no bias in the second map", "corner", draw("relu", 1, without=["output.dense"])),
        Case("float64, small differences of large numbers", "corner", fine),
        Case("float64, no biases", "corner", draw("relu", 2, bias=False, dtype=torch.float64)),
        *(
            Case(title, "corner", draw(names, 1), harness=harnesses.refusal)
            for title, names in (
                ("an unknown activation", ["gleu", ""]),
                ("functions of PyTorch", ["tanh", "elu"]),
                (
                    "other names of the four, names that hold one",
                    ["swish", "gelu_pytorch_tanh", "gelu_fast", "relu6", "leaky_relu"],
                ),
                ("capital letters and spaces", ["GELU", "ReLU", " silu"]),
            )
        ),
    ]


def _loop_named(hidden_states, state, activation="gelu"):
    if hidden_states.dim() > 1:
        rows = [_loop_named(row, state, activation) for row in hidden_states]
        return torch.stack(rows)
    x, root = hidden_states, math.sqrt(2 / math.pi)
    functions = {
        "relu": lambda x: torch.maximum(x, torch.zeros_like(x)),
        "gelu": lambda x: x * torch.special.ndtr(x),
        "gelu_new": lambda x: x / 2 + x / 2 * torch.tanh(root * x * (1 + 0.044715 * x * x)),
        "silu": lambda x: x / (1 + torch.exp(-x)),
    }
    if activation not in functions:
        raise ValueError(activation)
    x = state["intermediate.dense.weight"] @ x + state.get("intermediate.dense.bias", 0)
    x = functions[activation](x)
    return state["output.dense.weight"] @ x + state.get("output.dense.bias", 0)


def _module_named(hidden_states, state, activation="gelu"):
    functions = {
        "relu": nn.ReLU(),
        "gelu": nn.GELU(),
        "gelu_new": nn.GELU(approximate="tanh"),
        "silu": nn.SiLU(),
    }
    if activation not in functions:
        raise ValueError(f"{activation} is not one of {list(functions)}")
    wide, hidden = state["intermediate.dense.weight"].shape
    sizes = {"intermediate.dense.": (hidden, wide), "output.dense.": (wide, hidden)}
    for number, (start, (into, out)) in enumerate(sizes.items()):
        own = {k[len(start) :]: v for k, v in state.items() if start in k}
        linear = nn.Linear(into, out, bias="bias" in own, dtype=hidden_states.dtype)
        hidden_states = functions[activation](hidden_states) if number else hidden_states
        hidden_states = torch.func.functional_call(linear, own, hidden_states)
    return hidden_states


def _library_named(hidden_states, state, activation="gelu"):
    if activation in ("relu", "gelu", "silu"):
        activate = getattr(F, activation)
    elif activation == "gelu_new":
        activate = partial(F.gelu, approximate="tanh")
    else:
        raise ValueError(activation)
    for number, name in enumerate(("intermediate.dense", "output.dense")):
        x = hidden_states if number == 0 else activate(x)
        x = F.linear(x, state[f"{name}.weight"], state.get(f"{name}.bias"))
    return x


def _float64_named(hidden_states, state, activation="gelu"):
    state = {name: tensor.double() for name, tensor in state.items()}
    return _library_named(hidden_states.double(), state, activation).to(hidden_states.dtype)


def _einsum_named(hidden_states, state, activation="gelu"):
    w_1, w_2 = state["intermediate.dense.weight"], state["output.dense.weight"]
    b_1 = state.get("intermediate.dense.bias", torch.zeros(w_1.size(0), dtype=w_1.dtype))
    b_2 = state.get("output.dense.bias", torch.zeros(w_2.size(0), dtype=w_2.dtype))
    wide = torch.einsum("...h,wh->...w", hidden_states, w_1) + b_1
    if activation == "gelu":
        wide = wide * 0.5 * (1 + torch.erf(wide / math.sqrt(2)))
    elif activation == "gelu_new":
        wide = F.gelu(wide, approximate="tanh")
    elif activation == "relu":
        wide = wide * (wide > 0)
    elif activation == "silu":
        wide = wide * wide.sigmoid()
    else:
        raise ValueError("unknown")
    return torch.einsum("...w,hw->...h", wide, w_2) + b_2


QUESTION = Question(
    id="named_feed_forward",
    title="One function for four models",
    signature='named_feed_forward(hidden_states, state, activation="gelu")',
    reference=named_feed_forward,
    helpers=(relu, gelu, gelu_new, silu),
    cases=_named_cases,
    parts=(
        Part("core", "GELU and ReLU, for any shape", 2),
        Part("forms", "GPT-2's GELU and SiLU", 1),
        Part("corner", "missing biases, float64, gradients, unknown names", 1),
    ),
    minutes=15,
    difficulty=1,
    section=LAYER,
    alternatives={
        "a loop over tokens": _loop_named,
        "modules": _module_named,
        "in float64": _float64_named,
        "einsum": _einsum_named,
        "library functions": _library_named,
    },
)
