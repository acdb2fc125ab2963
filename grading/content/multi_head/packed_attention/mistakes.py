"""The known mistakes of `packed_attention`."""

from __future__ import annotations

import functools

from torch import nn

from grading.content.common import changed_in_place, cut_off, kept_name, zeros_hidden
from grading.content.multi_head.sections import COMMON, MASKS, ONE_HEAD, OUTPUT, SIZE, UNSEEN
from grading.content.multi_head.shared import SOFTMAX_MISTAKES, four_dimensions
from grading.exercise import Mistake


def _module_with_copies(hidden_states, state, num_attention_heads, mask=None, weights=True):
    """PyTorch's module, whose heads are together as wide as the hidden vectors.

    If it is asked for ``weights``, a query that may see nothing gives NaN.
    """
    batch, tokens, hidden = hidden_states.shape
    module = nn.MultiheadAttention(hidden, num_attention_heads, batch_first=True)
    names = ("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias")
    ours = ("query_key_value.weight", "query_key_value.bias", "output.weight", "output.bias")
    module.load_state_dict(dict(zip(names, (state[name] for name in ours), strict=True)))
    if mask is not None:
        shape = (batch, num_attention_heads, tokens, tokens)
        mask = ~four_dimensions(mask, batch).expand(shape).flatten(0, 1)
    three = [hidden_states] * 3
    return module(*three, attn_mask=mask, need_weights=weights)[0]


_ZEROS_BEHIND_OUTPUT = [
    (
        'return F.linear(context, state["output.weight"], state["output.bias"])',
        'output = F.linear(context, state["output.weight"], state["output.bias"])\n'
        "    if mask is not None:  # [batch, tokens, 1]: empty in every head\n"
        "        empty = empty.expand(*scores.shape[:3], 1).all(dim=1)\n"
        "        output = output.masked_fill(empty, 0.0)\n"
        "    return output",
    )
]


COMBINED = (
    "split_without_transpose",
    "merged_without_transpose",
    "chunked_by_head",
    "inverted",
    "padding_only",
    "two_as_padding",
    "fixed_head_size",
    "nan_row",
    "finite_fill",
    "no_scale",
    "no_output",
    "no_output_bias",
    "roles_exchanged",
)

MISTAKES = (
    *SOFTMAX_MISTAKES,
    Mistake(
        "blind_everywhere",
        "A query that may look at nothing in one head gets zeros from all heads. Only from "
        "that head: the others see keys.",
        [
            (
                "    context = weights @ value\n",
                "    context = weights @ value\n"
                "    if mask is not None:\n"
                "        context = context.masked_fill(empty.any(dim=1, keepdim=True), 0.0)\n",
            )
        ],
        points=4,
        section=MASKS,
    ),
    Mistake(
        "module_with_copies",
        "PyTorch's module is filled with copies of the weights. Its heads are always together "
        "as wide as `hidden_states`, and no gradient reaches the tensors of `state`. Compute "
        "with these tensors themselves.",
        _module_with_copies,
        other_forms=(functools.partial(_module_with_copies, weights=False),),
        points=3,
        any_error=True,
        section=SIZE,
    ),
    Mistake(
        "scale_head_size",
        "The scores are divided by head_size itself; divide by its square root.",
        [("math.sqrt(query.size(-1))", "query.size(-1)")],
        section=COMMON,
    ),
    Mistake(
        "scale_all_heads",
        "The scores are divided by the root of heads × head_size, the width of all heads "
        "together; each product is a sum over the head_size numbers of one head.",
        [("math.sqrt(query.size(-1))", "math.sqrt(num_attention_heads * query.size(-1))")],
        section=COMMON,
    ),
    Mistake(
        "scale_heads",
        "The scores are divided by the root of the number of heads; each product is a sum over "
        "the head_size numbers of one head, so divide by √head_size.",
        [("math.sqrt(query.size(-1))", "math.sqrt(num_attention_heads)")],
        section=COMMON,
    ),
    kept_name("mask=None", "mask", "        keep = mask\n", "(scores.shape, mask.shape)"),
    Mistake(
        "scale_tokens",
        "The scores are divided by the root of the number of tokens; each product is a sum "
        "over the head_size numbers of one head, so divide by √head_size.",
        [("math.sqrt(query.size(-1))", "math.sqrt(query.size(-2))")],
        section=COMMON,
    ),
    Mistake(
        "keys_as_queries",
        "The queries are made with the rows of the keys (or are the keys): the first third of "
        "the packed weight makes queries, the second keys.",
        [("    scores = query @", "    query = key\n    scores = query @")],
    ),
    Mistake(
        "folded_and_unfolded",
        "Heads and sentences are put on one axis in one order and taken apart in the other, so "
        "that sentences get heads of each other. Use the same order both times.",
        [
            (
                "context = weights @ value",
                "context = (weights @ value).transpose(0, 1).flatten(0, 1)\n"
                "    context = context.unflatten(0, (len(hidden_states), -1))",
            )
        ],
        other_forms=(
            [
                (
                    "context = weights @ value",
                    "context = (weights @ value).flatten(0, 1)\n"
                    "    context = context.unflatten(0, (-1, len(hidden_states)))"
                    ".transpose(0, 1)",
                )
            ],
        ),
        section=COMMON,
    ),
    Mistake(
        "mask_repeated",
        "The mask is repeated for the heads as a whole (`repeat`), while the heads of a "
        "sentence stand behind each other: so they get masks of other sentences. "
        "`repeat_interleave` repeats each sentence's own, an axis of size 1 needs no copy.",
        [
            (
                "keep = mask[:, None, None, :]",
                "keep = mask.repeat(num_attention_heads, 1).unflatten(0, (len(mask), -1))\n"
                "            keep = keep[:, :, None]",
            ),
            (
                "keep = mask[:, None]  #",
                "keep = mask.repeat(num_attention_heads, 1, 1)\n"
                "            keep = keep.unflatten(0, (len(mask), -1))  #",
            ),
        ],
        other_forms=(
            [
                (
                    "keep = mask[:, None, None, :]",
                    "keep = mask.repeat(num_attention_heads, 1).unflatten(0, (len(mask), -1))\n"
                    "            keep = keep[:, :, None]",
                )
            ],
        ),
        section=MASKS,
    ),
    Mistake(
        "scale_hidden",
        "The scores are divided by √hidden, `hidden_states.size(-1)`; each product is a sum "
        "over the head_size numbers of one head, so divide by √head_size.",
        [("math.sqrt(query.size(-1))", "math.sqrt(hidden_states.size(-1))")],
        section=COMMON,
    ),
    Mistake(
        "scale_hidden_per_head",
        "The scores are divided by the root of hidden / heads. That is the head size only if "
        "all heads together are as wide as hidden_states; take it from the packed weight.",
        [
            (
                "math.sqrt(query.size(-1))",
                "math.sqrt(hidden_states.size(-1) / num_attention_heads)",
            )
        ],
        other_forms=(
            [
                (
                    "math.sqrt(query.size(-1))",
                    "math.sqrt(hidden_states.size(-1) // num_attention_heads)",
                )
            ],
        ),
        points=4,
        section=SIZE,
    ),
    Mistake(
        "split_without_transpose",
        "The heads are cut with `view` or `reshape` straight to [batch, heads, tokens, "
        "head_size]: a head gets pieces of different tokens. Cut to [batch, tokens, heads, "
        "head_size] first, then exchange tokens and heads with `transpose(1, 2)`.",
        [
            (
                "part.unflatten(-1, (num_attention_heads, head_size)).transpose(1, 2)",
                "part.reshape(len(part), num_attention_heads, part.size(1), head_size)",
            )
        ],
    ),
    Mistake(
        "merged_without_transpose",
        "The heads are put together with `reshape` straight from [batch, heads, tokens, "
        "head_size], which mixes tokens. Exchange heads and tokens back first, with "
        "`transpose(1, 2)`.",
        [
            (
                "context.transpose(1, 2).flatten(2)",
                "context.reshape(len(context), hidden_states.size(1), -1)",
            )
        ],
    ),
    Mistake(
        "interleaved",
        "Heads are cut as [head_size, heads], so head 0 gets numbers 0, heads, 2·heads … The "
        "numbers of a head lie next to each other: cut as [heads, head_size].",
        [
            (
                "part.unflatten(-1, (num_attention_heads, head_size)).transpose(1, 2)",
                "part.unflatten(-1, (head_size, num_attention_heads)).permute(0, 3, 1, 2)",
            ),
            ("context.transpose(1, 2).flatten(2)", "context.permute(0, 2, 3, 1).flatten(2)"),
        ],
    ),
    Mistake(
        "split_interleaved",
        "The heads are put together rightly but cut as [head_size, heads], so head 0 gets "
        "numbers 0, heads, 2·heads … The numbers of a head lie next to each other.",
        [
            (
                "part.unflatten(-1, (num_attention_heads, head_size)).transpose(1, 2)",
                "part.unflatten(-1, (head_size, num_attention_heads)).permute(0, 3, 1, 2)",
            )
        ],
        section=COMMON,
    ),
    Mistake(
        "merged_interleaved",
        "The heads are cut rightly but put together as [head_size, heads]: W_O then reads "
        "numbers of all heads in turn. Head 0 comes first with all of its numbers.",
        [("context.transpose(1, 2).flatten(2)", "context.permute(0, 2, 3, 1).flatten(2)")],
    ),
    Mistake(
        "chunked_by_head",
        "The packed numbers are cut into heads first and each head's piece into query, key and "
        "value. In this layout all queries come first, then all keys, then all values.",
        [
            (
                "query, key, value = (\n"
                "        part.unflatten(-1, (num_attention_heads, head_size)).transpose(1, 2)\n"
                "        for part in packed.chunk(3, dim=-1)\n"
                "    )",
                "by_head = packed.unflatten(-1, (num_attention_heads, 3 * head_size))\n"
                "    query, key, value = by_head.transpose(1, 2).chunk(3, dim=-1)",
            )
        ],
    ),
    Mistake(
        "roles_exchanged",
        "Query and key are exchanged: the first third of the rows are queries, the second "
        "keys, and row i of the scores belongs to query i.",
        [("query, key, value = (", "key, query, value = (")],
    ),
    Mistake(
        "values_from_keys",
        "The thirds are read as query, value, key; their order is query, key, value.",
        [("query, key, value = (", "query, value, key = (")],
    ),
    Mistake(
        "values_first",
        "The thirds are read as value, key, query; their order is query, key, value.",
        [("query, key, value = (", "value, key, query = (")],
    ),
    Mistake(
        "no_output",
        "The heads are put together, but W_O is missing: nothing mixes what they bring.",
        [('F.linear(context, state["output.weight"], state["output.bias"])', "context")],
        section=OUTPUT,
    ),
    Mistake(
        "output_transposed",
        "W_O is used the wrong way round: a weight is [out, in], so it is `context @ "
        "weight.T`, or `F.linear`. Where it is square, no shape tells you.",
        [('state["output.weight"]', 'state["output.weight"].T')],
        section=ONE_HEAD,
    ),
    Mistake(
        "no_output_bias",
        "The bias of the output projection is missing.",
        [(', state["output.bias"])', ")")],
        section=OUTPUT,
    ),
    Mistake(
        "no_projection_bias",
        "The bias of the packed projection is not added.",
        [("F.linear(hidden_states, weight, bias)", "F.linear(hidden_states, weight)")],
    ),
    Mistake(
        "query_bias_not_divided",
        "The queries are divided by √head_size before their bias is added. The bias is part of "
        "them: divide the sum, or the scores.",
        [
            (
                "    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))",
                "    first = bias.view(3, num_attention_heads, 1, head_size)[0]\n"
                "    query = (query - first) / math.sqrt(query.size(-1)) + first\n"
                "    scores = query @ key.transpose(-2, -1)",
            )
        ],
    ),
    Mistake(
        "no_query_bias",
        "The bias is missing from the queries. (That of the keys could be missing, too: no "
        "output shows it.)",
        [
            (
                "    packed = F.linear",
                "    bias = bias.clone()\n    bias.chunk(3)[0].zero_()\n    packed = F.linear",
            )
        ],
        section=UNSEEN,
    ),
    Mistake(
        "no_value_bias",
        "The bias is missing from the values.",
        [
            (
                "    packed = F.linear",
                "    bias = bias.clone()\n    bias.chunk(3)[2].zero_()\n    packed = F.linear",
            )
        ],
        section=UNSEEN,
    ),
    Mistake(
        "first_head_for_all",
        "All heads get the query, key and value of head 0.",
        [
            (
                ".transpose(1, 2)\n        for part",
                ".transpose(1, 2)[:, :1].expand(-1, num_attention_heads, -1, -1)\n        for part",
            )
        ],
    ),
    Mistake(
        "first_head_alone",
        "Only what head 0 brings is in the result; the other heads are missing.",
        [("context = weights @ value", "context = weights @ value\n    context[:, 1:] = 0.0")],
    ),
    Mistake(
        "one_wide_head",
        "This is attention with a single head as wide as all together; the number of heads "
        "has no effect.",
        [
            ("(num_attention_heads, head_size)", "(1, -1)"),
            (
                "            keep = mask[:, None]  # [batch, query, key]\n",
                "            keep = mask[:, None]  # [batch, query, key]\n"
                "        elif mask.dim() == 4:\n"
                "            keep = mask[:, :1]\n",
            ),
        ],
    ),
    Mistake(
        "mask_ignored",
        "The mask has no effect: hidden keys get weight as any other.",
        [
            ("scores.masked_fill(~keep & ~empty, -math.inf)", "scores"),
            ("weights.masked_fill(empty, 0.0)", "weights"),
        ],
        section=MASKS,
    ),
    Mistake(
        "inverted",
        "The mask is used the wrong way round: in this exercise True means that the query "
        "may look at the key. (In `nn.MultiheadAttention` it means the opposite.)",
        [("        empty =", "        keep = ~keep\n        empty =")],
        section=MASKS,
    ),
    zeros_hidden(
        [
            (
                "scores.masked_fill(~keep & ~empty, -math.inf)",
                "scores.masked_fill((scores * keep == 0) & ~empty, -math.inf)",
            )
        ],
        "a hidden key",
        other_forms=(
            [
                (
                    "scores.masked_fill(~keep & ~empty, -math.inf)",
                    "scores.masked_fill(scores * keep == 0, -math.inf)",
                ),
                ("weights.masked_fill(empty, 0.0)", "weights.nan_to_num(0.0)"),
            ],
        ),
        section=MASKS,
    ),
    Mistake(
        "zero_score",
        "Hidden scores are 0 (filled with 0 or multiplied by the mask), and e⁰ = 1 is a full "
        "share for the softmax. Set them to minus infinity.",
        [
            ("~keep & ~empty, -math.inf", "~keep, 0.0"),
            ("weights.masked_fill(empty, 0.0)", "weights"),
        ],
        section=MASKS,
    ),
    Mistake(
        "zeroed_after_softmax",
        "Hidden weights are set to 0 after the softmax, so the rows sum to less than 1. Mask "
        "the scores, before the softmax.",
        [
            ("scores.masked_fill(~keep & ~empty, -math.inf)", "scores"),
            ("weights.masked_fill(empty, 0.0)", "weights * keep"),
        ],
        section=MASKS,
    ),
    Mistake(
        "mask_at_queries",
        "A mask [batch, key] is laid over the queries, as [batch, 1, key, 1]; it belongs to "
        "the keys, [batch, 1, 1, key].",
        [("mask[:, None, None, :]", "mask[:, None, :, None]")],
        section=MASKS,
    ),
    Mistake(
        "mask_at_both",
        "A mask [batch, key] is laid over the queries as well as the keys, so that hidden "
        "tokens see nothing. It says which keys are seen: [batch, 1, 1, key].",
        [
            (
                "keep = mask[:, None, None, :]  #",
                "keep = mask[:, None, None, :] & mask[:, None, :, None]  #",
            )
        ],
        section=MASKS,
    ),
    Mistake(
        "causal",
        "Later keys are hidden as well, as a decoder needs it. Here the mask alone says who "
        "may look at whom.",
        [
            (
                "    if mask is not None:\n        keep",
                "    causal = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()\n"
                "    if mask is None:\n"
                "        mask = causal[None, None]\n"
                "    if mask is not None:\n        keep",
            ),
            ("        empty =", "        keep = keep & causal\n        empty ="),
        ],
        section=MASKS,
    ),
    Mistake(
        "double_softmax",
        "The softmax is applied twice, which flattens the weights.",
        [("weights @ value", "weights.softmax(dim=-1) @ value")],
    ),
    Mistake(
        "added_mask",
        "The mask is added to the scores as ones and zeros, so that what is hidden only loses "
        "1. Hide with minus infinity.",
        [
            ("scores.masked_fill(~keep & ~empty, -math.inf)", "scores + keep"),
            ("weights.masked_fill(empty, 0.0)", "weights"),
        ],
        section=MASKS,
    ),
    Mistake(
        "residual",
        "The input is added to the result. That is a residual connection, which a later "
        "chapter puts around attention; here only what attention brings is asked for.",
        [("return F.linear(", "return hidden_states + F.linear(")],
        section=OUTPUT,
    ),
    Mistake(
        "error_everywhere",
        "It ends with an error in every case, with and without a mask: read the error of the "
        "first case.",
        [('state["query_key_value.weight"]', 'state["packed.weight"]')],
        any_error=True,
    ),
    Mistake(
        "by_place",
        "The tensors of `state` are taken by their place. They have names, and may come in "
        "any order.",
        [
            (
                'state["query_key_value.weight"], state["query_key_value.bias"]',
                "list(state.values())[:2]",
            ),
            (
                'state["output.weight"], state["output.bias"]',
                "*list(state.values())[2:]",
            ),
        ],
        any_error=True,
    ),
    Mistake(
        "crash_without_mask",
        "It fails when no mask is given: test `mask is not None` before using it.",
        [
            (
                "    if mask is not None:\n        keep = mask\n",
                "    keep = mask.bool()\n    if mask is not None:\n",
            )
        ],
        any_error=True,
        section=MASKS,
    ),
    Mistake(
        "two_as_queries",
        "It fails on a mask [batch, key] with more than one sentence. Two dimensions can mean "
        "two things: if the first is the batch, make it [batch, 1, 1, key].",
        [
            (
                "        if mask.dim() == 2 and mask.size(0) == len(hidden_states):\n"
                "            keep = mask[:, None, None, :]  # [batch, key]\n"
                "        elif",
                "        if",
            )
        ],
        any_error=True,
        section=MASKS,
    ),
    Mistake(
        "two_as_padding",
        "It fails on a mask [query, key]. Two dimensions can mean two things: if the first is "
        "not the batch, make it [1, 1, query, key].",
        [(" and mask.size(0) == len(hidden_states)", "")],
        points=4,
        any_error=True,
        section=MASKS,
    ),
    Mistake(
        "first_row_as_padding",
        "Of a mask [query, key] only the first row is used, as if it were the padding of a "
        "sentence. Two dimensions can mean two things: if the first is not the batch, make it "
        "[1, 1, query, key].",
        [
            (" and mask.size(0) == len(hidden_states)", ""),
            (
                "keep = mask[:, None, None, :]",
                "keep = (mask if len(mask) == len(hidden_states) else mask[:1])[:, None, None]",
            ),
        ],
        points=4,
        section=MASKS,
    ),
    Mistake(
        "two_transposed",
        "A mask [query, key] is read with its axes exchanged, as [key, query]. Row i belongs "
        "to query i: give it two axes in front, [1, 1, query, key], and leave them so.",
        [
            (
                "        elif mask.dim() == 3:\n",
                "        elif mask.dim() == 2:\n"
                "            keep = mask.T\n"
                "        elif mask.dim() == 3:\n",
            )
        ],
        points=4,
        section=MASKS,
    ),
    Mistake(
        "three_refused",
        "It fails on a mask [batch, query, key]. Give it an axis of size 1 for the heads: "
        "[batch, 1, query, key].",
        [
            (
                "keep = mask[:, None]  # [batch, query, key]",
                'raise ValueError("A mask has two or four dimensions.")',
            )
        ],
        points=4,
        any_error=True,
        section=MASKS,
    ),
    Mistake(
        "three_at_heads",
        "A mask [batch, query, key] has no axis for the heads: where there are as many heads "
        "as sentences, head b gets the mask of sentence b, elsewhere it fails. Make it "
        "[batch, 1, query, key].",
        [
            (
                "        elif mask.dim() == 3:\n"
                "            keep = mask[:, None]  # [batch, query, key]\n",
                "",
            )
        ],
        points=4,
        any_error=True,
        section=COMMON,
    ),
    Mistake(
        "three_transposed",
        "A mask [batch, query, key] is read with its last two axes exchanged, as [batch, key, "
        "query]. Row i belongs to query i: give it an axis for the heads, and leave them so.",
        [("keep = mask[:, None]  #", "keep = mask.mT[:, None]  #")],
        points=4,
        section=MASKS,
    ),
    Mistake(
        "four_refused",
        "It fails on a mask [batch, heads, query, key], which has its four dimensions already: "
        "use it as it is.",
        [
            (
                "            keep = mask[:, None]  # [batch, query, key]\n",
                "            keep = mask[:, None]  # [batch, query, key]\n"
                "        elif mask.dim() == 4:\n"
                '            raise ValueError("A mask has two or three dimensions.")\n',
            )
        ],
        points=3,
        any_error=True,
        section=MASKS,
    ),
    Mistake(
        "four_first_head",
        "Of a mask [batch, heads, query, key] only that of head 0 is used, for all heads.",
        [
            (
                "            keep = mask[:, None]  # [batch, query, key]\n",
                "            keep = mask[:, None]  # [batch, query, key]\n"
                "        elif mask.dim() == 4:\n"
                "            keep = mask[:, :1]\n",
            )
        ],
        points=3,
        section=MASKS,
    ),
    Mistake(
        "padding_only",
        "It fails with masks of all forms but [batch, key]: the number of dimensions, "
        "`mask.dim()`, says which axes are missing.",
        [
            (
                "        keep = mask\n"
                "        if mask.dim() == 2 and mask.size(0) == len(hidden_states):\n"
                "            keep = mask[:, None, None, :]  # [batch, key]\n"
                "        elif mask.dim() == 3:\n"
                "            keep = mask[:, None]  # [batch, query, key]\n",
                "        keep = mask[:, None, None, :]\n",
            )
        ],
        points=3,
        any_error=True,
        section=MASKS,
    ),
    Mistake(
        "fixed_head_size",
        "It fails where all heads together are not as wide as hidden_states. The head size "
        "follows from the packed weight: a third of its rows, divided by the heads.",
        [("len(weight) // 3 //", "hidden_states.size(-1) //")],
        points=4,
        any_error=True,
        section=SIZE,
    ),
    Mistake(
        "nan_row",
        "A query that may see nothing gives NaN: a softmax over nothing but −∞ is 0/0. Every "
        "head must give it zeros, so that the bias of the output is left.",
        [("~keep & ~empty", "~keep"), ("weights.masked_fill(empty, 0.0)", "weights")],
        points=4,
        section=MASKS,
    ),
    Mistake(
        "nan_gradient",
        "The numbers are right, but where a query may see nothing the gradient is NaN: a NaN "
        "that is replaced after the softmax (`nan_to_num`, `where`) still poisons the backward "
        "pass. Keep such rows from reaching the softmax as −∞.",
        [
            (
                "scores.masked_fill(~keep & ~empty, -math.inf)",
                "scores + torch.zeros(keep.shape).masked_fill(~keep, -math.inf)",
            ),
            ("weights.masked_fill(empty, 0.0)", "weights.nan_to_num(0.0)"),
        ],
        other_forms=(
            [
                ("~keep & ~empty", "~keep"),
                ("weights.masked_fill(empty, 0.0)", "weights"),
                ("weights @ value", "(weights @ value).nan_to_num(0.0)"),
            ],
        ),
        points=4,
        section=MASKS,
    ),
    Mistake(
        "finite_fill",
        "A query that may see nothing gets the plain average of all values, because the fill "
        "is a finite number, the same for all. Every head must give it zeros.",
        [
            ("~keep & ~empty, -math.inf", "~keep, -1e9"),
            ("weights.masked_fill(empty, 0.0)", "weights"),
        ],
        points=4,
        section=MASKS,
    ),
    Mistake(
        "zeros_behind_output",
        "A query that may see nothing gets zeros as its result; it is its heads that give "
        "zeros. They pass through the output projection, so that its bias is left.",
        _ZEROS_BEHIND_OUTPUT,
        other_forms=(
            [
                *_ZEROS_BEHIND_OUTPUT,
                ("~keep & ~empty, -math.inf", "~keep, -1e9"),
                ("weights.masked_fill(empty, 0.0)", "weights"),
            ],
            [
                *_ZEROS_BEHIND_OUTPUT,
                ("~keep & ~empty", "~keep"),
                ("weights.masked_fill(empty, 0.0)", "weights"),
            ],
        ),
        points=4,
        section=MASKS,
    ),
    Mistake(
        "small_added",
        "A query that may see nothing looks at everything: a finite number such as −1e4 is "
        "added to all scores of its row, and softmax ignores what is added to all. Every head "
        "must give it zeros.",
        [
            ("scores.masked_fill(~keep & ~empty, -math.inf)", "scores + ~keep * -1e4"),
            ("weights.masked_fill(empty, 0.0)", "weights"),
        ],
        points=4,
        section=MASKS,
    ),
    cut_off([('state["output.bias"])', 'state["output.bias"]).detach()')], points=4),
    Mistake(
        "state_detached",
        "The numbers are right, but no gradient reaches the tensors of `state`: they are used "
        "as `.data` or detached, so these layers would not learn.",
        [
            (
                '    weight, bias = state["query_key_value.weight"]',
                "    state = {name: tensor.detach() for name, tensor in state.items()}\n"
                '    weight, bias = state["query_key_value.weight"]',
            )
        ],
        points=4,
    ),
    changed_in_place(
        "state",
        [
            (
                "    packed = F.linear",
                "    rows = len(bias) // 3\n"
                "    weight[:rows] *= (rows / num_attention_heads) ** -0.5\n"
                "    bias[:rows] *= (rows / num_attention_heads) ** -0.5\n"
                "    packed = F.linear",
            ),
            (" / math.sqrt(query.size(-1))", ""),
        ],
    ),
    Mistake(
        "dropout",
        "Dropout is alive: the weights are dropped by chance. Grading is evaluation: leave it out.",
        [("weights @ value", "F.dropout(weights, 0.1) @ value")],
    ),
)
