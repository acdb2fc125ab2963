"""Exercise 3 of assignment 3: the weights of one layer, moved between three layouts."""

from __future__ import annotations

import copy

import torch
from torch import nn

from grading.content.defaults import called_again
from grading.content.drawing import draw_sizes, normal
from grading.content.feed_forward import harnesses
from grading.content.feed_forward.sections import CONVOLUTION
from grading.content.feed_forward.shared import draw_width
from grading.exercise import Case, Part, Question

_NAMES = {
    "linear": ("intermediate", "output"),
    "gpt2": ("c_fc", "c_proj"),
    "convolution": ("wider", "back"),
}


def move_weights(state, source, target):
    """Return the weights of ``state`` in the layout ``target``."""
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    moved = {}
    for old, new in zip(names[source], names[target], strict=True):
        weight = state[f"{old}.weight"]
        if source == "gpt2":
            weight = weight.transpose(0, 1)  # [out, in]
        if source == "convolution":
            weight = weight.squeeze(-1)
        if target == "gpt2":
            weight = weight.transpose(0, 1)  # [in, out]
        if target == "convolution":
            weight = weight.unsqueeze(-1)
        moved[f"{new}.weight"] = weight.clone(memory_format=torch.contiguous_format)
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    return moved


def _move_cases(generator: torch.Generator) -> list[Case]:
    def draw(source, target, hidden=None, wide=None, bias=True, dtype=torch.float32):
        hidden = hidden or draw_sizes(generator, 1, low=3)[0]
        wide = wide or draw_width(generator)
        state = {}
        for name, out, into in zip(_NAMES[source], (wide, hidden), (hidden, wide), strict=True):
            weight = normal(generator, out, into).to(dtype)
            if source == "gpt2":
                weight = weight.T.contiguous()
            if source == "convolution":
                weight = weight.unsqueeze(-1)
            state[f"{name}.weight"] = weight
            if bias:
                state[f"{name}.bias"] = normal(generator, out).to(dtype)
        return (("state", state), ("source", source), ("target", target))

    saved = {"harness": harnesses.to_be_saved}
    zero = draw("gpt2", "linear", 5, 5, dtype=torch.float64)
    zero[0][1]["c_proj.bias"].zero_()  # a bias all the same
    other_order = draw("linear", "gpt2")
    other_order = (("state", dict(reversed(other_order[0][1].items()))), *other_order[1:])
    repeated = Case("gpt2 → linear, called again", "core", draw("gpt2", "linear", hidden=8))
    repeated = called_again(generator, repeated)
    return [
        Case("linear → gpt2, in another order", "core", other_order),
        Case("gpt2 → linear", "core", draw("gpt2", "linear")),
        Case("gpt2 → linear, as wide as the input, a bias of zeros, float64", "core", zero),
        Case(
            "linear → gpt2, as wide as the input, float64",
            "core",
            draw("linear", "gpt2", 6, 6, dtype=torch.float64),
        ),
        repeated,
        Case("linear → convolution", "convolution", draw("linear", "convolution")),
        Case(
            "convolution → linear, one neuron", "convolution", draw("convolution", "linear", wide=1)
        ),
        Case(
            "gpt2 → convolution, as wide as the input, float64",
            "convolution",
            draw("gpt2", "convolution", 6, 6, dtype=torch.float64),
        ),
        Case(
            "convolution → gpt2, float64",
            "convolution",
            draw("convolution", "gpt2", dtype=torch.float64),
        ),
        Case("no biases", "file", draw("gpt2", "linear", bias=False)),
        Case("gpt2 → linear, to be saved", "file", draw("gpt2", "linear"), **saved),
        Case(
            "gpt2 → all three, one neuron, where the numbers lie",
            "file",
            draw("gpt2", list(_NAMES), wide=1),
            harness=harnesses.memory_of,
        ),
        Case(
            "linear → linear, to be saved, float64",
            "file",
            draw("linear", "linear", dtype=torch.float64),
            **saved,
        ),
        Case(
            "gpt2 → gpt2, from transposed views, to be saved",
            "file",
            draw("gpt2", "gpt2"),
            strided=True,
            **saved,
        ),
        Case(
            "linear → all three, no biases, where the numbers lie",
            "file",
            draw("linear", list(_NAMES), bias=False),
            harness=harnesses.memory_of,
        ),
        Case(
            "convolution → all three, where the numbers lie",
            "file",
            draw("convolution", list(_NAMES)),
            harness=harnesses.memory_of,
        ),
        Case(
            "convolution → convolution, float64",
            "convolution",
            draw("convolution", "convolution", dtype=torch.float64),
        ),
    ]


def _move_with_modules(state, source, target):
    """Fill modules of PyTorch and read their state, one map at a time."""
    moved = {}
    for old, new in zip(_NAMES[source], _NAMES[target], strict=True):
        weight, bias = state[f"{old}.weight"], state.get(f"{old}.bias")
        weight = weight.permute(1, 0) if source == "gpt2" else weight.flatten(1)
        out, into = weight.shape
        like = {"bias": bias is not None, "dtype": weight.dtype}
        if target == "convolution":
            module, weight = nn.Conv1d(into, out, kernel_size=1, **like), weight[:, :, None]
        elif target == "linear":
            module = nn.Linear(into, out, **like)
        else:
            module, weight = nn.Linear(out, into, bias=False, dtype=weight.dtype), weight.T
            module.bias = None if bias is None else nn.Parameter(torch.empty_like(bias))
        with torch.no_grad():
            module.weight.copy_(weight)
            if bias is not None:
                module.bias.copy_(bias)
        moved |= {f"{new}.{key}": value.detach() for key, value in module.state_dict().items()}
    return moved


def _move_with_table(state, source, target):
    """Through the layout of ``nn.Linear``, with a function for each step, on a deep copy."""
    state = copy.deepcopy(state)
    into = {
        "linear": lambda w: w,
        "gpt2": lambda w: torch.einsum("io->oi", w),
        "convolution": lambda w: w[..., 0],
    }
    out = {
        "linear": lambda w: w,
        "gpt2": lambda w: torch.einsum("oi->io", w),
        "convolution": lambda w: w[..., None],
    }
    renamed = dict(zip(_NAMES[source], _NAMES[target], strict=True))
    moved = {}
    for name, tensor in state.items():
        module, kind = name.rsplit(".", 1)
        if kind == "weight":
            tensor = out[target](into[source](tensor))
        moved[f"{renamed[module]}.{kind}"] = tensor.contiguous()
    return moved


def _move_by_loop(state, source, target):
    moved = {}
    for old, new in zip(_NAMES[source], _NAMES[target], strict=True):
        weight = state[f"{old}.weight"]
        if source == "gpt2":
            weight = torch.stack(list(weight.unbind(1)))
        elif source == "convolution":
            weight = weight.sum(-1)
        else:
            weight = torch.empty(weight.shape, dtype=weight.dtype).copy_(weight)
        if target == "gpt2":
            weight = torch.stack(list(weight.unbind(1)))
        elif target == "convolution":
            weight = weight.reshape(*weight.shape, 1)
        moved[new + ".weight"] = weight
        if old + ".bias" in state:
            moved[new + ".bias"] = state[old + ".bias"] * 1
    return moved


def _move_with_array(state, source, target):
    moved = {}
    for name, tensor in state.items():
        tensor = torch.from_numpy(tensor.numpy().copy())
        module, kind = name.split(".")
        if kind == "weight":
            tensor = tensor.swapaxes(0, 1) if (source == "gpt2") != (target == "gpt2") else tensor
            if source == "convolution" != target:
                tensor = tensor.squeeze(2)
            if target == "convolution" != source:
                tensor = tensor.unsqueeze(2)
        place = _NAMES[source].index(module)
        moved[f"{_NAMES[target][place]}.{kind}"] = torch.clone(
            tensor, memory_format=torch.contiguous_format
        )
    return moved


def _move_to_parameters(state, source, target):
    moved = _move_by_loop(state, source, target)
    return {name: nn.Parameter(tensor) for name, tensor in moved.items()}


QUESTION = Question(
    id="move_weights",
    title="Moving house",
    signature="move_weights(state, source, target)",
    reference=move_weights,
    cases=_move_cases,
    parts=(
        Part("core", "between nn.Linear and GPT-2", 2),
        Part("convolution", "to and from a convolution of width 1", 1),
        Part("file", "ready to be saved, with or without biases", 1),
    ),
    minutes=20,
    difficulty=2,
    section=CONVOLUTION,
    alternatives={
        "modules": _move_with_modules,
        "a table of functions": _move_with_table,
        "loops": _move_by_loop,
        "through another library": _move_with_array,
        "parameters": _move_to_parameters,
    },
)
