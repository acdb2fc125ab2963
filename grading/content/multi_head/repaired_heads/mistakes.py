"""The known mistakes of `repaired_heads`."""

from __future__ import annotations

from dataclasses import replace

from grading.content.common import bugs_left, cut_off, kept, zeros_hidden
from grading.content.multi_head.sections import COMMON, MASKS, OUTPUT, PACKED
from grading.exercise import Mistake
from grading.exercise.edits import Edits

# The three bugs
_INVERTED = [("~is_padding", "is_padding")]
_BY_HEAD = [
    ("3 * num_attention_heads, head_size", "num_attention_heads, 3 * head_size"),
    ("chunk(3, dim=1)", "chunk(3, dim=-1)"),
]
_MERGED = [("context.transpose(1, 2).", "context.")]

# What other mistakes rewrite: how heads are cut, and the fused function
_SPLIT = (
    "packed = packed.reshape(batch, tokens, 3 * num_attention_heads, head_size)\n"
    "    query, key, value = packed.transpose(1, 2).chunk(3, dim=1)"
)
_FUSED = "context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)"
_SCORES = "scores = query @ key.transpose(-2, -1) / math.sqrt(head_size)"
_MASK = "~is_padding[:, None, None, :]"


def _vectors_zeroed(mask: str) -> Edits:
    """The vectors of padding are set to 0, and a mask knows nothing of them."""
    return [
        ("packed = F.linear(hidden_states", "packed = F.linear(hidden_states * real"),
        ("    weight, bias", "    real = ~is_padding[..., None]\n    weight, bias"),
        (_MASK, mask),
    ]


def _head_masked(others: str) -> Edits:
    """Padding is hidden in one head."""
    masked = f"{_MASK}.repeat(1, num_attention_heads, 1, 1)\n    mask[:, {others}] = True"
    return [(_MASK, masked)]


_BUGS = {  # why it is one, and how it comes back
    "still_inverted": (
        "`is_padding` is True for padding, but in PyTorch's function True means that the key "
        "takes part",
        _INVERTED,
    ),
    "still_by_head": (
        "the packed numbers are cut into heads first and each head's piece into query, key and "
        "value, but the rows of the weight are all queries, then all keys, then all values",
        _BY_HEAD,
    ),
    "still_merged": (
        "the heads are put together with `reshape` straight from [batch, heads, tokens, "
        "head_size], which mixes tokens: exchange heads and tokens back first",
        _MERGED,
    ),
}


def _bugs_left() -> list[Mistake]:
    *others, every = bugs_left(_BUGS, 3, COMMON, {"still_inverted": MASKS})
    return [*others, replace(every, id="all_three")]


COMBINED = (
    "still_inverted",
    "still_by_head",
    "still_merged",
    "split_without_transpose",
    "interleaved",
    "merged_interleaved",
    "nan_row",
    "finite_fill",
)

BROKEN = ("still_inverted", "still_by_head", "still_merged")

MISTAKES = (
    *_bugs_left(),
    kept(
        [
            ("state, num_attention_heads):", "state, num_attention_heads, kept={}):"),
            (
                "~is_padding[:, None, None, :]",
                "~kept.setdefault(packed.shape, is_padding)[:, None, None, :]",
            ),
        ]
    ),
    Mistake(
        "bias_not_sorted",
        "The rows of the packed weight are brought into the order of the old cut, but its bias "
        "is not: each number of the bias belongs to a row, and moves with it. Or leave both, "
        "and cut into thirds first.",
        [
            (
                "    packed = F.linear",
                "    weight = weight.reshape(3, num_attention_heads, head_size, hidden)\n"
                "    weight = weight.transpose(0, 1).reshape(-1, hidden)\n"
                "    packed = F.linear",
            ),
            *_BY_HEAD,
        ],
        points=2,
        section=PACKED,
    ),
    Mistake(
        "split_without_transpose",
        "The thirds are cut in the right order now, but into heads with `view` or `reshape` "
        "straight to [batch, heads, tokens, head_size], so that a head gets pieces of "
        "different tokens. Cut to [batch, tokens, heads, head_size], then `transpose(1, 2)`.",
        [
            (
                _SPLIT,
                "query, key, value = (\n"
                "        part.reshape(batch, num_attention_heads, tokens, head_size)\n"
                "        for part in packed.chunk(3, dim=-1)\n"
                "    )",
            )
        ],
        points=2,
        section=PACKED,
    ),
    Mistake(
        "interleaved",
        "The heads are cut as [head_size, heads], so head 0 gets numbers 0, heads, 2·heads … "
        "The numbers of a head lie next to each other.",
        [
            (
                _SPLIT,
                "packed = packed.reshape(batch, tokens, 3, head_size, num_attention_heads)\n"
                "    query, key, value = packed.permute(2, 0, 4, 1, 3)",
            ),
            (
                "reshape(batch, tokens, hidden)",
                "transpose(2, 3).reshape(batch, tokens, hidden)",
            ),
        ],
        points=2,
    ),
    Mistake(
        "triples",
        "The rows of the weight are read as query, key and value of each number in turn, "
        "[heads, head_size, 3]. They are all queries, then all keys, then all values.",
        [
            (
                _SPLIT,
                "packed = packed.reshape(batch, tokens, num_attention_heads, head_size, 3)\n"
                "    query, key, value = packed.permute(4, 0, 2, 1, 3)",
            )
        ],
        section=PACKED,
    ),
    zeros_hidden(
        [
            (
                _FUSED,
                f"{_SCORES} * mask\n"
                "    weights = scores.masked_fill(scores == 0, -math.inf).softmax(dim=-1)\n"
                "    context = weights.nan_to_num(0.0) @ value",
            )
        ],
        section=MASKS,
    ),
    Mistake(
        "split_interleaved",
        "The heads are put together rightly but cut as [head_size, heads], so head 0 gets "
        "numbers 0, heads, 2·heads … The numbers of a head lie next to each other.",
        [
            (
                _SPLIT,
                "packed = packed.reshape(batch, tokens, 3, head_size, num_attention_heads)\n"
                "    query, key, value = packed.permute(2, 0, 4, 1, 3)",
            )
        ],
        points=2,
        section=COMMON,
    ),
    Mistake(
        "merged_interleaved",
        "The heads are put together as [head_size, heads]: W_O then reads numbers of all heads "
        "in turn. Head 0 comes first with all of its numbers.",
        [("reshape(batch, tokens, hidden)", "transpose(2, 3).reshape(batch, tokens, hidden)")],
        points=2,
    ),
    Mistake(
        "roles_exchanged",
        "Query and key are exchanged: the first third of the rows are queries, the second keys.",
        [("query, key, value =", "key, query, value =")],
        section=PACKED,
    ),
    Mistake(
        "unmasked",
        "The mask is gone altogether: padding takes part like any token.",
        [(", attn_mask=mask", "")],
        section=MASKS,
    ),
    Mistake(
        "mask_at_queries",
        "The mask is laid over the queries, [batch, 1, tokens, 1]; it belongs to the keys, "
        "[batch, 1, 1, tokens].",
        [("[:, None, None, :]", "[:, None, :, None]")],
        section=MASKS,
    ),
    Mistake(
        "masks_of_others",
        "Heads get the masks of other sentences: heads and sentences lie on one axis, sentence "
        "by sentence, and the masks were repeated as a whole. Each must be repeated by itself "
        "(`repeat_interleave`), or get axes of size 1.",
        [
            (
                "~is_padding[:, None, None, :]",
                "~is_padding.repeat(num_attention_heads, 1)\n"
                "    mask = mask.view(batch, num_attention_heads, 1, tokens)",
            )
        ],
        points=2,
        section=MASKS,
    ),
    Mistake(
        "one_head_masked",
        "Padding is hidden in one head only, the first or the last; the others read it. The "
        "mask holds for all heads: [batch, 1, 1, tokens].",
        _head_masked("1:"),
        other_forms=(_head_masked(":-1"),),
        points=2,
        section=MASKS,
    ),
    Mistake(
        "vectors_zeroed",
        "The vectors of padding are set to 0 in place of hiding them. Their keys still have a "
        "score, and each score gets a share: hide padding by the mask.",
        _vectors_zeroed("None"),
        other_forms=(
            _vectors_zeroed("~is_padding.all(-1)[:, None, None, None].expand(-1, 1, 1, tokens)"),
            [
                (
                    "    mask = ~is_padding[:, None, None, :]\n",
                    "    real = ~is_padding[:, None, :, None]\n"
                    "    mask, key, value = None, key * real, value * real\n",
                )
            ],
        ),
        section=MASKS,
    ),
    Mistake(
        "padding_queries",
        "Padding is hidden as a query, too, so that its rows see nothing. Only keys are "
        "hidden: [batch, 1, 1, tokens].",
        [
            (
                "~is_padding[:, None, None, :]",
                "~(is_padding[:, None, None, :] | is_padding[:, None, :, None])",
            )
        ],
        section=MASKS,
    ),
    Mistake(
        "right_padding_only",
        "The tokens are counted, as if all padding stood on the right: where it stands between "
        "them, tokens are hidden in its place. Use the mask as it is.",
        [
            (
                "~is_padding[:, None, None, :]",
                "(torch.arange(tokens) < (~is_padding).sum(-1)[:, None])[:, None, None, :]",
            )
        ],
        section=MASKS,
    ),
    Mistake(
        "added_mask",
        "The mask is added to the scores as ones and zeros, so padding is hardly hidden. Pass "
        "it as booleans, or as 0 and −∞.",
        [("~is_padding[:, None, None, :]", "(~is_padding[:, None, None, :]).float()")],
        equivalent=([("~is_padding[:, None, None, :]", "-is_padding[:, None, None, :].float()")],),
        section=MASKS,
    ),
    Mistake(
        "zeroed_after_softmax",
        "The weights of padding are set to 0 after the softmax, so the rows sum to less than "
        "1. Mask the scores, before the softmax.",
        [(_FUSED, f"{_SCORES}\n    context = (scores.softmax(dim=-1) * mask) @ value")],
        section=MASKS,
    ),
    Mistake(
        "padding_zeroed",
        "The result is set to zero for padding. Padding is hidden as a key only: as queries "
        "its tokens get a result like any other.",
        [
            (
                'state["output.weight"], state["output.bias"])',
                'state["output.weight"], state["output.bias"]) * ~is_padding[..., None]',
            )
        ],
    ),
    Mistake(
        "scaled_twice",
        "The scores are divided by head_size: by its root twice, once by hand and once by "
        "PyTorch's function, or by head_size itself. Once by the root is right.",
        [("(query, key, value,", "(query / math.sqrt(head_size), key, value,")],
    ),
    Mistake(
        "no_scale",
        "The scale is gone: PyTorch's function divides by √head_size by itself; by hand you "
        "must do it.",
        [("attn_mask=mask", "attn_mask=mask, scale=1.0")],
    ),
    Mistake(
        "scale_all_heads",
        "The scores are divided by √hidden, the width of all heads together; divide by √head_size.",
        [("attn_mask=mask", "attn_mask=mask, scale=hidden**-0.5")],
        points=2,
    ),
    Mistake(
        "one_wide_head",
        "This is attention with a single head as wide as all together: the number of heads "
        "has no effect.",
        [("    head_size =", "    num_attention_heads = 1\n    head_size =")],
        points=2,
    ),
    Mistake(
        "no_output",
        "The output projection was lost in the repair.",
        [('F.linear(context, state["output.weight"], state["output.bias"])', "context")],
        section=OUTPUT,
    ),
    Mistake(
        "causal",
        "Later tokens are hidden as well (`is_causal`, `tril`). Only padding is to be hidden.",
        [
            (
                "    context = F.",
                "    mask = mask & torch.ones(tokens, tokens, dtype=torch.bool).tril()\n"
                "    context = F.",
            )
        ],
        section=MASKS,
    ),
    Mistake(
        "causal_instead",
        "Later tokens are hidden in place of padding (`is_causal`, `tril`). Padding is to be "
        "hidden, and nothing else.",
        [("attn_mask=mask", "is_causal=True")],
        section=MASKS,
    ),
    Mistake(
        "nan_row",
        "A sentence that is all padding gives NaN: a softmax over nothing but −∞ is 0/0. Every "
        "head must give zeros, as PyTorch's function does.",
        [
            (
                _FUSED,
                f"{_SCORES}\n"
                "    context = scores.masked_fill(~mask, -math.inf).softmax(dim=-1) @ value",
            )
        ],
        points=2,
        section=MASKS,
    ),
    Mistake(
        "finite_fill",
        "A sentence that is all padding gets the plain average of its padding, because the "
        "fill is a finite number, the same for all. Every head must give zeros.",
        [
            (
                _FUSED,
                f"{_SCORES}\n    context = scores.masked_fill(~mask, -1e9).softmax(dim=-1) @ value",
            )
        ],
        points=2,
        section=MASKS,
    ),
    Mistake(
        "empty_sees_all",
        "A sentence that is all padding is looked at as if it had none: there the mask lets "
        "every key through. Every head must give zeros, as PyTorch's function does.",
        [
            (
                "~is_padding[:, None, None, :]",
                "~(is_padding & ~is_padding.all(-1, keepdim=True))[:, None, None, :]",
            )
        ],
        points=2,
        section=MASKS,
    ),
    Mistake(
        "zeros_behind_output",
        "A sentence that is all padding gives zeros; it is its heads that give zeros. They "
        "pass through the output projection, so that its bias is left.",
        [
            (
                'return F.linear(context, state["output.weight"], state["output.bias"])',
                'output = F.linear(context, state["output.weight"], state["output.bias"])\n'
                "    return output.masked_fill(is_padding.all(-1)[:, None, None], 0.0)",
            )
        ],
        points=2,
        section=MASKS,
    ),
    Mistake(
        "nan_gradient",
        "The numbers are right, but where a sentence is all padding the gradient is NaN: a NaN "
        "that is replaced afterwards (`nan_to_num`, `where`) still poisons the backward pass.",
        [
            (
                _FUSED,
                f"{_SCORES} + torch.zeros(mask.shape).masked_fill(~mask, -math.inf)\n"
                "    context = scores.softmax(dim=-1).nan_to_num(0.0) @ value",
            )
        ],
        other_forms=(
            [
                (
                    _FUSED,
                    f"{_SCORES}\n"
                    "    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)\n"
                    "    context = (weights @ value).nan_to_num(0.0)",
                )
            ],
        ),
        points=2,
        section=MASKS,
    ),
    Mistake(
        "small_added",
        "A sentence that is all padding is looked at as if it were none: a finite number such "
        "as −1e4 is added to all scores of a row, and softmax ignores what is added to all. "
        "Every head must give zeros.",
        [
            (
                _FUSED,
                f"{_SCORES} + ~mask * -1e4\n    context = scores.softmax(dim=-1) @ value",
            )
        ],
        points=2,
        section=MASKS,
    ),
    cut_off([('state["output.bias"])', 'state["output.bias"]).detach()')], points=2),
)
