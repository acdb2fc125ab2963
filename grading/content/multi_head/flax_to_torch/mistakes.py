"""The known mistakes of `flax_to_torch`."""

from __future__ import annotations

from grading.content.common import kept
from grading.content.multi_head.sections import ONE_HEAD, OUTPUT, UNSEEN
from grading.exercise import Mistake

COMBINED = (
    "not_transposed",
    "interleaved",
    "key_first",
    "head_by_head",
    "out_not_transposed",
    "out_interleaved",
    "crash_without_bias",
)

MISTAKES = (
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
                "torch.stack(weights).unflatten(1, out.shape[:2]).transpose(0, 1).flatten(0, 2)",
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
        "For a layer without biases the two biases are None; a missing bias is a bias of zeros.",
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
)
