"""Weights from another country."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from grading.content.drawing import normal
from grading.content.multi_head.packed_attention import raises
from grading.content.multi_head.sections import ONE_HEAD, OUTPUT, PACKED, UNSEEN
from grading.content.multi_head.shared import State
from grading.exercise import Case, Exercise, Mistake, Part


def _flax_variant(wrong: frozenset[str] = frozenset()):
    """The state of Flax's attention as that of PyTorch's, with the mistakes that are asked for."""

    def rows(kernel: Tensor) -> Tensor:  # [hidden, heads, head_size] -> [heads * head_size, hidden]
        if "not_transposed" in wrong:
            return kernel.flatten(1)
        if "interleaved" in wrong:
            return kernel.permute(2, 1, 0).flatten(0, 1)
        if "reshaped" in wrong:
            return kernel.transpose(0, 1).reshape(-1, kernel.size(0))
        return kernel.permute(1, 2, 0).flatten(0, 1)

    def flax_to_torch(state):
        parts = ["query", "key", "value"]
        if "key_first" in wrong:
            parts = ["key", "query", "value"]
        if "value_second" in wrong:
            parts = ["query", "value", "key"]
        kernel = state["out.kernel"]  # [heads, head_size, hidden]
        hidden = kernel.size(-1)
        weight = [rows(state[f"{part}.kernel"]) for part in parts]
        none = torch.zeros(kernel.shape[:2], dtype=kernel.dtype)
        bias = [state.get(f"{part}.bias", none) for part in parts]
        if "biases_swapped" in wrong:
            bias = [offset.T for offset in bias]
        bias = [offset.flatten() for offset in bias]
        if "bias_of_part" in wrong:
            bias = [bias[0]] * 3
        if "head_by_head" in wrong:
            heads = kernel.size(0)
            weight, bias = (
                [
                    piece
                    for head in zip(*(part.chunk(heads) for part in parts), strict=True)
                    for piece in head
                ]
                for parts in (weight, bias)
            )
        out = kernel.flatten(0, 1)
        if "out_interleaved" in wrong:
            out = kernel.transpose(0, 1).flatten(0, 1)
        out_bias = state.get("out.bias", torch.zeros(hidden, dtype=kernel.dtype))
        return {
            "in_proj_weight": torch.cat(weight),
            "in_proj_bias": torch.zeros_like(torch.cat(bias))
            if "in_bias_dropped" in wrong
            else torch.cat(bias),
            "out_proj.weight": out if "out_not_transposed" in wrong else out.T,
            "out_proj.bias": torch.zeros_like(out_bias)
            if "out_bias_dropped" in wrong
            else out_bias,
        }

    return flax_to_torch


_flax_to_torch = _flax_variant()


def _flax_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part="core", heads=None, dtype=torch.float32, bias=True, **options):
        n_h, size = (torch.randperm(2, generator=generator) + 2).tolist()
        heads = heads or n_h
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
        return Case(title, part, (("state", {name: state[name] for name in order}),), **options)

    return [
        case("weights and biases"),
        case("a single head", heads=1),
        case("five heads", heads=5),
        case("tensors that are transposed views", strided=True),
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
    return {name: nn.Parameter(tensor) for name, tensor in _flax_to_torch(state).items()}


def _renamed(change: Callable[[dict], dict]):
    return lambda state: change(_flax_to_torch(state))


def _biases(state, missing: Callable[[State], State]):
    return _flax_to_torch(state) if "out.bias" in state else missing(_flax_to_torch(state))


def _with_scaled_query(state: State, *scaled: str) -> State:
    root = math.sqrt(state["query.kernel"].size(-1))
    return {name: t / root if name in scaled else t for name, t in state.items()}


def _crash_without_bias(state):
    state["query.bias"], state["out.bias"]
    return _flax_to_torch(state)


EXERCISE = Exercise(
    id="flax_to_torch",
    title="Weights from another country",
    signature="flax_to_torch(state)",
    reference=_flax_to_torch,
    variant=_flax_variant,
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
    mistakes=(
        Mistake(
            "not_transposed",
            "The kernels of query, key and value are not transposed: Flax computes x · kernel and "
            "keeps [in, out], PyTorch keeps [out, in]. As hidden is heads × head_size, the shapes "
            "do not complain.",
            section=ONE_HEAD,
        ),
        Mistake(
            "interleaved",
            "The rows of query, key and value come in the order [head_size, heads]; all rows of "
            "head 0 come first, then all of head 1. (`kernel.T` reverses all three axes.)",
        ),
        Mistake(
            "reshaped",
            "The kernels were brought to their shape with `reshape` while the axis to be moved "
            "stood in the middle, which mixes heads and inputs. Bring the axes in order first: "
            "`permute(1, 2, 0)`.",
            _flax_variant(frozenset({"reshaped"})),
        ),
        Mistake(
            "key_first",
            "The rows are stacked as key, query, value; the order is query, key, value.",
        ),
        Mistake(
            "value_second",
            "The rows are stacked as query, value, key; the order is query, key, value.",
            _flax_variant(frozenset({"value_second"})),
        ),
        Mistake(
            "head_by_head",
            "The rows are stacked head by head: query, key and value of head 0, then those of head "
            "1. In PyTorch all query rows come first, then all key rows, then all value rows.",
        ),
        Mistake(
            "biases_swapped",
            "The biases are flattened from [head_size, heads]; they are [heads, head_size] "
            "already, and all numbers of head 0 come first.",
            _flax_variant(frozenset({"biases_swapped"})),
        ),
        Mistake(
            "bias_of_part",
            "Key and value got the bias of the query.",
            _flax_variant(frozenset({"bias_of_part"})),
        ),
        Mistake(
            "bias_of_key",
            "Query and value got the bias of the key.",
            lambda state: _flax_to_torch(
                {
                    name: state["key.bias"] if name in ("query.bias", "value.bias") else tensor
                    for name, tensor in state.items()
                }
            ),
        ),
        Mistake(
            "query_scaled",
            "The weights of the query are divided by √head_size. PyTorch's module divides by "
            "itself when it runs, so the numbers move as they are.",
            lambda state: _flax_to_torch(_with_scaled_query(state, "query.kernel")),
        ),
        Mistake(
            "query_and_bias_scaled",
            "Weights and bias of the query are divided by √head_size. PyTorch's module divides by "
            "itself when it runs, so the numbers move as they are.",
            lambda state: _flax_to_torch(_with_scaled_query(state, "query.kernel", "query.bias")),
        ),
        Mistake(
            "in_bias_dropped",
            "The biases of query, key and value are zeros although the layer has some.",
            _flax_variant(frozenset({"in_bias_dropped"})),
            section=ONE_HEAD,
        ),
        Mistake(
            "key_bias_dropped",
            "The bias of the keys is zeros although the layer has one. No output would show it, "
            "but the state is not the same: a transfer carries every number.",
            lambda state: (
                _flax_to_torch({**state, "key.bias": torch.zeros_like(state["key.bias"])})
                if "key.bias" in state
                else _flax_to_torch(state)
            ),
            section=UNSEEN,
        ),
        Mistake(
            "out_bias_dropped",
            "The output's bias is zeros although the layer has one.",
            _flax_variant(frozenset({"out_bias_dropped"})),
            section=OUTPUT,
        ),
        Mistake(
            "all_biases_dropped",
            "All biases are zeros although the layer has some.",
            _flax_variant(frozenset({"in_bias_dropped", "out_bias_dropped"})),
            section=ONE_HEAD,
        ),
        Mistake(
            "out_not_transposed",
            "The kernel of the output is not transposed: [heads · head_size, hidden] must become "
            "[hidden, heads · head_size].",
            section=OUTPUT,
        ),
        Mistake(
            "out_interleaved",
            "The columns of the output's weight come in the order [head_size, heads]; all columns "
            "of head 0 come first.",
            section=OUTPUT,
        ),
        Mistake(
            "names_kept",
            "The tensors have other names than `nn.MultiheadAttention` gives them: they must be "
            "in_proj_weight, in_proj_bias, out_proj.weight and out_proj.bias.",
            _renamed(
                lambda new: {name.replace("out_proj.", "out_proj_"): new[name] for name in new}
            ),
        ),
        Mistake(
            "not_stacked",
            "Query, key and value stand on an axis of their own, [3, hidden, hidden]; put their "
            "rows behind each other, [3 · hidden, hidden], with `torch.cat`.",
            _renamed(
                lambda new: {
                    **new,
                    "in_proj_weight": new["in_proj_weight"].unflatten(0, (3, -1)),
                    "in_proj_bias": new["in_proj_bias"].unflatten(0, (3, -1)),
                }
            ),
        ),
        Mistake(
            "side_by_side",
            "Query, key and value stand side by side, [hidden, 3 · hidden]; put their rows behind "
            "each other, with `torch.cat` along the first axis.",
            _renamed(
                lambda new: {
                    **new,
                    "in_proj_weight": torch.cat(new["in_proj_weight"].chunk(3), dim=1),
                }
            ),
        ),
        Mistake(
            "bias_left_out_of_heads",
            "The bias keeps its axes [heads, head_size]; PyTorch has one axis for it.",
            _renamed(
                lambda new: {**new, "in_proj_bias": new["in_proj_bias"].unsqueeze(1)},
            ),
        ),
        Mistake(
            "half_precision",
            "The dtype has changed to float32; a transfer keeps it.",
            lambda state: {name: tensor.float() for name, tensor in _flax_to_torch(state).items()},
            points=2,
        ),
        Mistake(
            "float32_zeros",
            "The zeros for missing biases are float32 whatever the dtype of the kernels is: give "
            "`torch.zeros` the kernel's `dtype`, or use `kernel.new_zeros`.",
            lambda state: _biases(
                state,
                lambda new: {
                    name: tensor.float() if "bias" in name else tensor
                    for name, tensor in new.items()
                },
            ),
            points=2,
        ),
        Mistake(
            "biases_left_out",
            "For a layer without biases the two biases are left out; PyTorch's module has them "
            "and would refuse the state. A missing bias is a bias of zeros.",
            lambda state: _biases(
                state,
                lambda new: {name: tensor for name, tensor in new.items() if "bias" not in name},
            ),
            points=2,
        ),
        Mistake(
            "biases_none",
            "For a layer without biases the two biases are None; a missing bias is a bias of "
            "zeros.",
            lambda state: _biases(
                state,
                lambda new: {
                    name: None if "bias" in name else tensor for name, tensor in new.items()
                },
            ),
            points=2,
        ),
        Mistake(
            "bias_of_one_part",
            "For a layer without biases `in_proj_bias` has hidden zeros; it needs 3 · hidden, for "
            "query, key and value.",
            lambda state: _biases(
                state, lambda new: {**new, "in_proj_bias": new["out_proj.bias"].clone()}
            ),
            points=2,
        ),
        Mistake(
            "error_everywhere",
            "It ends with an error in every case, with and without biases: read the error of the "
            "first case.",
            raises,
            any_error=True,
        ),
        Mistake(
            "crash_without_bias",
            "It fails on a layer without biases: its state has the four kernels and nothing else.",
            _crash_without_bias,
            points=2,
            any_error=True,
        ),
    ),
)
