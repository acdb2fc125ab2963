"""Exercise 2: the weights of Flax's attention in the layout of PyTorch's."""

from __future__ import annotations

import torch
from torch import nn

from grading.content.drawing import normal, redrawn
from grading.content.multi_head.sections import PACKED
from grading.exercise import Case, Part, Question


def flax_to_torch(state):
    """The state of Flax's attention in the layout of `nn.MultiheadAttention`."""
    out = state["out.kernel"]  # [heads, head_size, hidden]
    parts = ("query", "key", "value")
    weights = [state[f"{part}.kernel"].permute(1, 2, 0).flatten(0, 1) for part in parts]
    zeros = out.new_zeros(out.shape[:2])
    biases = [state.get(f"{part}.bias", zeros).flatten() for part in parts]
    return {
        "in_proj_weight": torch.cat(weights),
        "in_proj_bias": torch.cat(biases),
        "out_proj.weight": out.flatten(0, 1).T,
        "out_proj.bias": state.get("out.bias", out.new_zeros(out.size(-1))),
    }


def _flax_cases(generator: torch.Generator) -> list[Case]:
    def case(
        title, part="core", heads=None, size=None, dtype=torch.float32, bias=True, again=False,
        **options,
    ):  # fmt: skip
        n_h, n_s = (torch.randperm(2, generator=generator) + 2).tolist()
        heads, size = heads or n_h, size or n_s
        hidden = heads * size
        state = {}
        for name in ("query", "key", "value"):
            state[f"{name}.kernel"] = normal(generator, hidden, heads, size).to(dtype)
            state[f"{name}.bias"] = normal(generator, heads, size).to(dtype)
        state["out.kernel"] = normal(generator, heads, size, hidden).to(dtype)
        state["out.bias"] = normal(generator, hidden).to(dtype)
        if not bias:
            state = {name: tensor for name, tensor in state.items() if "kernel" in name}
        order = sorted(state) if heads % 2 else list(state)
        state = {name: state[name] for name in order}
        if again:
            options["again"] = ((redrawn(generator, state),),)
        return Case(title, part, (("state", state),), **options)

    return [
        case("weights and biases"),
        case("a single head", heads=1),
        case("five heads of one number", heads=5, size=1),
        case("tensors that are transposed views", strided=True),
        case("called again with other weights", heads=4, size=4, again=True),
        case("a layer without biases", "none", bias=False),
        case("a layer without biases, float64", "none", bias=False, dtype=torch.float64),
    ]


def _loop_flax(state):
    heads, size, hidden = state["out.kernel"].shape
    dtype = state["out.kernel"].dtype
    weight = torch.empty(3 * hidden, hidden, dtype=dtype)
    bias = torch.zeros(3 * hidden, dtype=dtype)
    out = torch.empty(hidden, hidden, dtype=dtype)
    for place, part in enumerate(("query", "key", "value")):
        for head in range(heads):
            first = place * hidden + head * size
            weight[first : first + size] = state[f"{part}.kernel"][:, head].T
            if f"{part}.bias" in state:
                bias[first : first + size] = state[f"{part}.bias"][head]
    for head in range(heads):
        out[:, head * size : (head + 1) * size] = state["out.kernel"][head].T
    return {
        "in_proj_weight": weight,
        "in_proj_bias": bias,
        "out_proj.weight": out,
        "out_proj.bias": state.get("out.bias", torch.zeros(hidden, dtype=dtype)),
    }


def _einsum_flax(state):
    kernels = torch.stack([state[f"{part}.kernel"] for part in ("query", "key", "value")])
    out = torch.einsum("hdo->ohd", state["out.kernel"])
    new = kernels.new_zeros
    bias = [state.get(f"{part}.bias", new(out.shape[1:])) for part in ("query", "key", "value")]
    return {
        "out_proj.weight": out.reshape(out.size(0), -1).contiguous(),
        "out_proj.bias": state["out.bias"].clone() if "out.bias" in state else new(out.size(0)),
        "in_proj_weight": torch.einsum("pihd->phdi", kernels).reshape(-1, out.size(0)),
        "in_proj_bias": torch.stack(bias).reshape(-1),
    }


def _by_a_module(state):
    """PyTorch's module is built and filled; a state of parameters comes back."""
    heads, _, hidden = state["out.kernel"].shape
    module = nn.MultiheadAttention(hidden, heads, dtype=state["out.kernel"].dtype)
    module.load_state_dict(_loop_flax(state))
    return module.state_dict()


def _parameters(state):
    return {name: nn.Parameter(tensor) for name, tensor in _einsum_flax(state).items()}


QUESTION = Question(
    id="flax_to_torch",
    title="Weights from another country",
    signature="flax_to_torch(state)",
    reference=flax_to_torch,
    cases=_flax_cases,
    parts=(
        Part("core", "all four tensors of PyTorch's layout", 2),
        Part("none", "a layer that was trained without biases", 1),
    ),
    minutes=15,
    difficulty=2,
    section=PACKED,
    alternatives={
        "loop over heads": _loop_flax,
        "einsum": _einsum_flax,
        "by PyTorch's module": _by_a_module,
        "parameters": _parameters,
    },
)
