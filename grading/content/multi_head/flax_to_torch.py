"""Exercise 2: the weights of Flax's attention in the layout of PyTorch's."""

from __future__ import annotations

import torch
from torch import nn

from grading.content.common import kept
from grading.content.drawing import normal, redrawn
from grading.content.multi_head.sections import ONE_HEAD, OUTPUT, PACKED, UNSEEN
from grading.exercise import Case, Exercise, Mistake, Part


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


EXERCISE = Exercise(
    id="flax_to_torch",
    title="Weights from another country",
    signature="flax_to_torch(state)",
    reference=flax_to_torch,
    combined=(
        "not_transposed",
        "interleaved",
        "key_first",
        "head_by_head",
        "out_not_transposed",
        "out_interleaved",
        "crash_without_bias",
    ),
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
        kept(
            [
                ("(state):", "(state, kept={}):"),
                (
                    '    out = state["out.kernel"]',
                    '    sizes = (len(state), state["out.kernel"].shape)\n'
                    "    state = kept.setdefault(sizes, state)\n"
                    '    out = state["out.kernel"]',
                ),
            ]
        ),
        Mistake(
            "not_transposed",
            "The kernels of query, key and value are not transposed: Flax computes x · kernel and "
            "keeps [in, out], PyTorch keeps [out, in]. As hidden is heads × head_size, the shapes "
            "do not complain.",
            [("permute(1, 2, 0).flatten(0, 1)", "flatten(1)")],
            section=ONE_HEAD,
        ),
        Mistake(
            "interleaved",
            "The rows of query, key and value come in the order [head_size, heads]; all rows of "
            "head 0 come first, then all of head 1. (`kernel.T` reverses all three axes.)",
            [("permute(1, 2, 0)", "permute(2, 1, 0)")],
        ),
        Mistake(
            "reshaped",
            "The kernels were brought to their shape with `reshape` while the axis to be moved "
            "stood in the middle, which mixes heads and inputs. Bring the axes in order first: "
            "`permute(1, 2, 0)`.",
            [("permute(1, 2, 0).flatten(0, 1)", "transpose(0, 1).reshape(-1, out.size(-1))")],
        ),
        Mistake(
            "key_first",
            "The rows are stacked as key, query, value; the order is query, key, value.",
            [('("query", "key", "value")', '("key", "query", "value")')],
        ),
        Mistake(
            "value_second",
            "The rows are stacked as query, value, key; the order is query, key, value.",
            [('("query", "key", "value")', '("query", "value", "key")')],
        ),
        Mistake(
            "head_by_head",
            "The rows are stacked head by head: query, key and value of head 0, then those of head "
            "1. In PyTorch all query rows come first, then all key rows, then all value rows.",
            [
                (
                    "torch.cat(weights)",
                    "torch.stack(weights).unflatten(1, out.shape[:2]).transpose(0, 1).flatten(0, "
                    "2)",
                ),
                (
                    "torch.cat(biases)",
                    "torch.stack(biases).unflatten(1, out.shape[:2]).transpose(0, 1).flatten()",
                ),
            ],
        ),
        Mistake(
            "biases_swapped",
            "The biases are flattened from [head_size, heads]; they are [heads, head_size] "
            "already, and all numbers of head 0 come first.",
            [("zeros).flatten()", "zeros).T.flatten()")],
        ),
        Mistake(
            "bias_of_part",
            "Key and value got the bias of the query.",
            [('f"{part}.bias"', '"query.bias"')],
        ),
        Mistake(
            "bias_of_key",
            "Query and value got the bias of the key.",
            [('f"{part}.bias"', '"key.bias"')],
        ),
        Mistake(
            "query_scaled",
            "The weights of the query are divided by √head_size. PyTorch's module divides by "
            "itself when it runs, so the numbers move as they are.",
            [("    zeros =", "    weights[0] = weights[0] / out.size(1) ** 0.5\n    zeros =")],
        ),
        Mistake(
            "query_and_bias_scaled",
            "Weights and bias of the query are divided by √head_size. PyTorch's module divides by "
            "itself when it runs, so the numbers move as they are.",
            [
                (
                    "    zeros =",
                    "    weights[0] = weights[0] / out.size(1) ** 0.5\n    zeros =",
                ),
                (
                    "    return {",
                    "    biases[0] = biases[0] / out.size(1) ** 0.5\n    return {",
                ),
            ],
        ),
        Mistake(
            "in_bias_dropped",
            "The biases of query, key and value are zeros although the layer has some.",
            [("torch.cat(biases)", "torch.zeros_like(torch.cat(biases))")],
            section=ONE_HEAD,
        ),
        Mistake(
            "key_bias_dropped",
            "The bias of the keys is zeros although the layer has one. No output would show it, "
            "but the state is not the same: a transfer carries every number.",
            [("    return {", "    biases[1] = torch.zeros_like(biases[1])\n    return {")],
            section=UNSEEN,
        ),
        Mistake(
            "out_bias_dropped",
            "The output's bias is zeros although the layer has one.",
            [('state.get("out.bias", out.new_zeros(out.size(-1)))', "out.new_zeros(out.size(-1))")],
            section=OUTPUT,
        ),
        Mistake(
            "all_biases_dropped",
            "All biases are zeros although the layer has some.",
            [
                ("torch.cat(biases)", "torch.zeros_like(torch.cat(biases))"),
                (
                    'state.get("out.bias", out.new_zeros(out.size(-1)))',
                    "out.new_zeros(out.size(-1))",
                ),
            ],
            section=ONE_HEAD,
        ),
        Mistake(
            "out_not_transposed",
            "The kernel of the output is not transposed: [heads · head_size, hidden] must become "
            "[hidden, heads · head_size].",
            [(".T,", ",")],
            section=OUTPUT,
        ),
        Mistake(
            "out_interleaved",
            "The columns of the output's weight come in the order [head_size, heads]; all columns "
            "of head 0 come first.",
            [("out.flatten(0, 1)", "out.transpose(0, 1).flatten(0, 1)")],
            section=OUTPUT,
        ),
        Mistake(
            "names_kept",
            "The tensors have other names than `nn.MultiheadAttention` gives them: they must be "
            "in_proj_weight, in_proj_bias, out_proj.weight and out_proj.bias.",
            [
                ('"out_proj.weight"', '"out_proj_weight"'),
                ('"out_proj.bias"', '"out_proj_bias"'),
            ],
        ),
        Mistake(
            "not_stacked",
            "Query, key and value stand on an axis of their own, [3, hidden, hidden]; put their "
            "rows behind each other, [3 · hidden, hidden], with `torch.cat`.",
            [
                ("torch.cat(weights)", "torch.stack(weights)"),
                ("torch.cat(biases)", "torch.stack(biases)"),
            ],
        ),
        Mistake(
            "side_by_side",
            "Query, key and value stand side by side, [hidden, 3 · hidden]; put their rows behind "
            "each other, with `torch.cat` along the first axis.",
            [("torch.cat(weights)", "torch.cat(weights, dim=1)")],
        ),
        Mistake(
            "bias_left_out_of_heads",
            "The bias keeps its axes [heads, head_size]; PyTorch has one axis for it.",
            [("zeros).flatten()", "zeros)")],
        ),
        Mistake(
            "half_precision",
            "The dtype has changed to float32; a transfer keeps it.",
            [
                (
                    '    out = state["out.kernel"]',
                    "    state = {name: tensor.float() for name, tensor in state.items()}\n"
                    '    out = state["out.kernel"]',
                )
            ],
            points=2,
        ),
        Mistake(
            "output_zeros_of_one_head",
            "The zeros for a missing bias of the output are as many as one head is wide, or as "
            "there are heads; that bias has a number for each of the hidden ones.",
            [("out.new_zeros(out.size(-1))", "out.new_zeros(out.size(1))")],
            other_forms=([("out.new_zeros(out.size(-1))", "out.new_zeros(out.size(0))")],),
            points=2,
        ),
        Mistake(
            "float32_zeros",
            "The zeros for missing biases are float32 whatever the dtype of the kernels is: give "
            "`torch.zeros` the kernel's `dtype`, or use `kernel.new_zeros`.",
            [
                ("out.new_zeros(out.shape[:2])", "torch.zeros(out.shape[:2])"),
                ("out.new_zeros(out.size(-1))", "torch.zeros(out.size(-1))"),
            ],
            points=2,
        ),
        Mistake(
            "biases_left_out",
            "For a layer without biases the two biases are left out; PyTorch's module has them "
            "and would refuse the state. A missing bias is a bias of zeros.",
            [
                ("    return {", "    new = {"),
                (
                    "\n    }",
                    "\n    }\n"
                    '    if "out.bias" not in state:\n'
                    '        del new["in_proj_bias"], new["out_proj.bias"]\n'
                    "    return new",
                ),
            ],
            points=2,
        ),
        Mistake(
            "biases_none",
            "For a layer without biases the two biases are None; a missing bias is a bias of "
            "zeros.",
            [
                ("torch.cat(biases)", 'torch.cat(biases) if "query.bias" in state else None'),
                ('state.get("out.bias", out.new_zeros(out.size(-1)))', 'state.get("out.bias")'),
            ],
            points=2,
        ),
        Mistake(
            "bias_of_one_part",
            "For a layer without biases `in_proj_bias` has hidden zeros; it needs 3 · hidden, for "
            "query, key and value.",
            [("torch.cat(biases)", 'torch.cat(biases) if "query.bias" in state else biases[0]')],
            points=2,
        ),
        Mistake(
            "one_bias_for_both",
            "For a layer without biases there is one bias of hidden zeros and no other. "
            "`in_proj_bias` needs 3 · hidden of them, and `out_proj.bias` must not be left out.",
            [
                ("    return {", "    new = {"),
                ("torch.cat(biases)", 'torch.cat(biases) if "query.bias" in state else biases[0]'),
                (
                    "\n    }",
                    "\n    }\n"
                    '    if "out.bias" not in state:\n'
                    '        del new["out_proj.bias"]\n'
                    "    return new",
                ),
            ],
            points=2,
        ),
        Mistake(
            "error_everywhere",
            "It ends with an error in every case, with and without biases: read the error of the "
            "first case.",
            [('state["out.kernel"]', 'state["output.kernel"]')],
            any_error=True,
        ),
        Mistake(
            "crash_without_bias",
            "It fails on a layer without biases: its state has the four kernels and nothing else.",
            [('state.get(f"{part}.bias", zeros)', 'state[f"{part}.bias"]')],
            points=2,
            any_error=True,
        ),
    ),
)
