"""The known mistakes of `grouped_attention`."""

from __future__ import annotations

from grading.content.common import changed_in_place, cut_off, kept
from grading.content.modern_decoder.sections import MASK, WHICH_SHARE
from grading.exercise import Mistake

_KEYS = "key = key.repeat_interleave(group, dim=2)"
_VALUES = "value = value.repeat_interleave(group, dim=2)"
_CAUSAL = "tril(keys - queries)"
_PADDING = "allowed & real[:, None, None, :]"
_SOFTMAX = "scores.masked_fill(~allowed, hidden).softmax(-1)"
_TRANSPOSED = [  # heads stay behind the tokens
    ("query = query.transpose(1, 2)", "query = query"),
    ("dim=2).transpose(1, 2)  # [batch, heads, keys", "dim=2)  # [batch, heads, keys"),
    (f"{_VALUES}.transpose(1, 2)", _VALUES),
]


_VIEWED = [  # before the heads are repeated
    ("query = query.transpose(1, 2)", "query = query.reshape(-1, heads, queries, head_size)"),
    (
        f"{_KEYS}.transpose(1, 2)",
        "key = key.reshape(-1, kv_heads, keys, head_size).repeat_interleave(group, dim=1)",
    ),
    (
        f"{_VALUES}.transpose(1, 2)",
        "value = value.reshape(len(key), kv_heads, keys, -1).repeat_interleave(group, dim=1)",
    ),
]


COMBINED = (
    "interleaved",
    "upper_left",
    "no_scale",
    "no_causal",
    "no_padding",
    "padding_inverted",
    "empty_nan",
    "float32",
    "not_back",
)

MISTAKES = (
    Mistake(
        "interleaved",
        "The key heads are repeated as 0, 1, 0, 1, …, so neighbouring query heads read "
        "different ones (`repeat`, or the head axis split the wrong way round). Neighbours "
        "share: 0, 0, 0, 1, 1, 1, as `repeat_interleave` makes it.",
        [
            (_KEYS, "key = key.repeat(1, 1, group, 1)"),
            (_VALUES, "value = value.repeat(1, 1, group, 1)"),
        ],
        section=WHICH_SHARE,
    ),
    Mistake(
        "interleaved_once",
        "Keys and values are repeated in different orders, so a query head is compared with "
        "the keys of one head and averages the values of another.",
        [(_KEYS, "key = key.repeat(1, 1, group, 1)")],
        other_forms=([(_VALUES, "value = value.repeat(1, 1, group, 1)")],),
        section=WHICH_SHARE,
    ),
    Mistake(
        "upper_left",
        "The causal mask starts in the upper left corner (`tril()`, or `is_causal=True`), as "
        "if the queries were the first tokens. They are the last: query i is at position "
        "keys − queries + i.",
        [(_CAUSAL, "tril()")],
        other_forms=([(_CAUSAL, "tril(0 if attention_mask is None else keys - queries)")],),
        section=MASK,
    ),
    Mistake(
        "no_causal",
        "There is no causal mask: a query sees what comes after it.",
        [(f".{_CAUSAL}", "")],
    ),
    Mistake(
        "no_scale",
        "The scores aren't divided by √head_size.",
        [(" / math.sqrt(head_size)", "")],
    ),
    Mistake(
        "scale_without_root",
        "The scores are divided by head_size; it's the root of it.",
        [("math.sqrt(head_size)", "head_size")],
    ),
    Mistake(
        "scale_other",
        "The scores are divided by the root of a wrong size. Of the four axes of `query`, "
        "`head_size` is the last; no other size counts, such as `value_size`.",
        [("math.sqrt(head_size)", "math.sqrt(heads)")],
        other_forms=(
            [("math.sqrt(head_size)", "math.sqrt(queries)")],
            [("math.sqrt(head_size)", "math.sqrt(keys)")],
            [("math.sqrt(head_size)", "math.sqrt(heads * head_size)")],
            [("math.sqrt(head_size)", "math.sqrt(kv_heads)")],
            [("math.sqrt(head_size)", "math.sqrt(value.size(-1))")],
        ),
    ),
    Mistake(
        "root_cut",
        "The root of head_size is cut to an integer (`int`, `//`). It's a number like 2.236.",
        [("math.sqrt(head_size)", "math.isqrt(head_size)")],
    ),
    Mistake(
        "zero_times_infinity",
        "The mask is multiplied by −∞ and added, and 0 · ∞ is NaN: every score becomes NaN, "
        "not only the hidden ones. Use `masked_fill` or `torch.where`.",
        [
            (
                "scores.masked_fill(~allowed, hidden)",
                "(scores + (1 - allowed.to(scores.dtype)) * -math.inf)",
            )
        ],
        other_forms=(
            [
                (
                    "scores.masked_fill(~allowed, hidden).softmax(-1)",
                    "(scores + (1 - allowed.to(scores.dtype)) * -math.inf).softmax(-1)"
                    ".nan_to_num(0.0)",
                )
            ],
        ),
        section=MASK,
    ),
    Mistake(
        "scale_multiplied",
        "The scores are multiplied by √head_size; divide by it.",
        [("/ math.sqrt", "* math.sqrt")],
    ),
    Mistake(
        "not_itself",
        "A query doesn't see its own position. It sees itself and all positions before it.",
        [(_CAUSAL, "tril(keys - queries - 1)")],
        section=MASK,
    ),
    Mistake(
        "one_ahead",
        "A query sees one position too many, the one after its own.",
        [(_CAUSAL, "tril(keys - queries + 1)")],
        section=MASK,
    ),
    Mistake(
        "inverted",
        "The mask is inverted: what may be seen is hidden. `masked_fill` fills where the mask "
        "is True, so it needs what is *not* allowed; `scaled_dot_product_attention` needs what "
        "is.",
        [("masked_fill(~allowed", "masked_fill(allowed"), ("weights * allowed", "weights")],
        other_forms=(
            [
                ("masked_fill(~allowed, hidden)", "masked_fill(allowed, -math.inf)"),
                ("weights * allowed", "weights"),
            ],
            [
                ("    scores = query", "    allowed = ~allowed\n    scores = query"),
            ],
        ),
        section=MASK,
    ),
    Mistake(
        "triangle_inverted",
        "The causal triangle is the wrong one: each query sees itself and the *future*. Keep "
        "the lower triangle, `tril`.",
        [(_CAUSAL, "triu(keys - queries)")],
        other_forms=([(_CAUSAL, "triu()")],),
        section=MASK,
    ),
    Mistake(
        "masked_after",
        "The mask comes after the softmax, so the weights that are left don't sum to 1. Hide "
        "the scores before it.",
        [(".masked_fill(~allowed, hidden)", "")],
        section=MASK,
    ),
    Mistake(
        "one_more",
        "The softmax has one more term in its divisor (“softmax off by one”). A row without "
        "keys becomes zero so, but the weights of all others no longer sum to 1.",
        [
            (
                "scores.masked_fill(~allowed, hidden).softmax(-1)",
                "F.pad(scores.masked_fill(~allowed, hidden), (0, 1)).softmax(-1)[..., :-1]",
            )
        ],
    ),
    Mistake(
        "zero_is_hidden",
        "A score of exactly 0 is taken for a hidden one (scores times mask, then `== 0`). A "
        "query that is zero, or at right angles to a key, has such scores: hide by the mask.",
        [("masked_fill(~allowed", "masked_fill(scores * allowed == 0")],
    ),
    Mistake(
        "zero_fill",
        "Hidden scores are set to 0, and e⁰ = 1: hidden keys still count in the sum of the "
        "softmax. Fill with a number that no score reaches.",
        [("~allowed, hidden", "~allowed, 0.0")],
        other_forms=(
            [("~allowed, hidden", "~allowed, 0.0"), ("weights * allowed", "weights")],
            [
                (".masked_fill(~allowed, hidden)", ""),
                ("/ math.sqrt(head_size)", "/ math.sqrt(head_size) * allowed"),
                ("weights * allowed", "weights"),
            ],
        ),
        section=MASK,
    ),
    Mistake(
        "no_padding",
        "`attention_mask` hides nothing.",
        [(_PADDING, "allowed")],
        points=3,
        section=MASK,
    ),
    Mistake(
        "padding_inverted",
        "`attention_mask` is taken the wrong way round: 1 is a real token, 0 is padding.",
        [("attention_mask != 0", "attention_mask == 0")],
        points=2,
        section=MASK,
    ),
    Mistake(
        "padding_alone",
        "With `attention_mask` the causal mask is lost. Both must allow a key.",
        [(_PADDING, "real[:, None, None, :]")],
        points=3,
        section=MASK,
    ),
    Mistake(
        "either_mask",
        "The two masks are joined with “or”, so a key is seen that one of them hides. Both "
        "must allow it.",
        [(_PADDING, "allowed | real[:, None, None, :]")],
        points=3,
        section=MASK,
    ),
    Mistake(
        "unsigned_mask",
        "Numbers are made of the mask in its own dtype. In `uint8` 0 − 1 isn't −1 but 255, so "
        "padding is preferred to what is real. Compare the mask with 0, or convert it first.",
        [
            (
                _SOFTMAX,
                "scores\n"
                "    if attention_mask is not None:\n"
                "        bias = (attention_mask - 1) * 1e9\n"
                "        weights = weights + bias[:, None, None, :].to(scores.dtype)\n"
                "    causal = torch.ones(queries, keys).tril(keys - queries) > 0\n"
                "    weights = weights.masked_fill(~causal, hidden).softmax(-1)",
            ),
            ("weights * allowed", "weights * allowed.any(-1, keepdim=True)"),
        ],
        points=3,
        section=MASK,
    ),
    Mistake(
        "padding_after_softmax",
        "The weights of padding are set to 0 after the softmax, so those of the other keys no "
        "longer sum to 1. Hide padding in the scores, before the softmax.",
        [
            ("        allowed = allowed & real[:, None, None, :]\n", ""),
            (
                "    weights = weights * allowed  # a row without keys: all 0\n",
                "    weights = weights * allowed\n"
                "    if attention_mask is not None:\n"
                "        weights = weights * real[:, None, None, :]\n",
            ),
        ],
        points=3,
        section=MASK,
    ),
    Mistake(
        "padded_queries",
        "Padded *queries* are hidden, too. Only padded keys are; what a padded query sees "
        "isn't changed.",
        [
            (
                _PADDING,
                "allowed & real[:, None, None, :] & real[:, None, -queries:, None]",
            )
        ],
        points=3,
        section=MASK,
    ),
    Mistake(
        "place_from_lengths",
        "Where the queries are is concluded from the number of real tokens, so padding shifts "
        "what they see. The last query is at the place of the last key, padding or not.",
        [
            (
                _PADDING,
                "real[:, None, None, :] & (\n"
                "            torch.arange(keys) - torch.arange(queries)[:, None]\n"
                "            <= real.sum(-1)[:, None, None, None] - queries\n"
                "        )",
            )
        ],
        points=3,
        section=MASK,
    ),
    Mistake(
        "overflow",
        "e^score is computed without subtracting the largest score first: very large scores "
        "become ∞, and very small ones all become 0. `softmax` subtracts it.",
        [
            (
                _SOFTMAX,
                "scores.masked_fill(~allowed, -math.inf).exp()\n"
                "    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)",
            )
        ],
        other_forms=(
            [
                (
                    _SOFTMAX,
                    "scores.exp() * allowed\n"
                    "    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)",
                )
            ],
            [
                (
                    _SOFTMAX,
                    "torch.where(allowed, scores.exp(), torch.zeros_like(scores))\n"
                    "    weights = weights / (weights.sum(-1, keepdim=True) + 1e-9)",
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "clamped",
        "The scores are clamped, which makes large ones equal that aren't. They may be as "
        "large as 200: `softmax` subtracts the largest one, so nothing overflows.",
        [
            (
                "scores.masked_fill(~allowed, hidden)",
                "scores.clamp(-50, 50).masked_fill(~allowed, hidden)",
            )
        ],
        other_forms=(
            [
                (
                    "scores.masked_fill(~allowed, hidden)",
                    "scores.clamp(min=-100).masked_fill(~allowed, hidden)",
                )
            ],
            [
                (
                    "scores.masked_fill(~allowed, hidden)",
                    "scores.clamp(max=80).masked_fill(~allowed, hidden)",
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "divided_again",
        "Keys are hidden after the softmax, or after its maximum was taken, and the weights "
        "that are left are divided by their sum. Where the score of a hidden key is far above "
        "the others, nothing is left to divide. Hide the scores before the softmax.",
        [
            (
                _SOFTMAX,
                "scores.softmax(-1) * allowed\n"
                "    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-30)",
            )
        ],
        other_forms=(  # padding alone comes after it
            [
                (
                    _SOFTMAX,
                    "scores.masked_fill(\n"
                    "        ~torch.ones_like(scores).bool().tril(keys - queries), hidden\n"
                    "    ).softmax(-1) * allowed\n"
                    "    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-30)",
                )
            ],
            [
                (
                    _SOFTMAX,
                    "(scores - scores.amax(-1, keepdim=True)).exp() * allowed\n"
                    "    empty = ~allowed.any(-1, keepdim=True)\n"
                    "    weights = weights / weights.sum(-1, keepdim=True)"
                    ".masked_fill(empty, 1.0)",
                )
            ],
        ),
        points=3,
        section=MASK,
    ),
    Mistake(
        "small_fill",
        "Hidden scores are set to a number that real scores reach (−100, −200). Where all "
        "scores that may be seen are lower, hidden keys get weight.",
        [("~allowed, hidden", "~allowed, -100.0")],
        other_forms=(
            [("~allowed, hidden", "~allowed, -200.0")],
            [
                (
                    "scores.masked_fill(~allowed, hidden)",
                    "(scores - 100.0 * ~allowed).masked_fill(\n"
                    "        ~torch.ones_like(scores).bool().tril(keys - queries), hidden\n"
                    "    )",
                ),
                ("weights * allowed", "weights * allowed.any(-1, keepdim=True)"),
            ],
        ),
        points=3,
        section=MASK,
    ),
    Mistake(
        "query_axis",
        "`attention_mask` hides queries instead of keys: its axis belongs to the last axis of "
        "the scores.",
        [(_PADDING, "allowed & real[:, None, -queries:, None]")],
        points=3,
        section=MASK,
    ),
    Mistake(
        "first_mask",
        "Every text of the batch gets the padding of the first one.",
        [("real[:, None, None, :]", "real[:1, None, None, :]")],
        points=3,
        section=MASK,
    ),
    Mistake(
        "mask_of_wrong_shape",
        "`attention_mask` [batch, keys] has to become [batch, 1, 1, keys] before it can meet "
        "the scores [batch, heads, queries, keys]; otherwise batch and queries, or batch and "
        "heads, are taken for each other.",
        [("real[:, None, None, :]", "real")],
        other_forms=(
            [("real[:, None, None, :]", "real[:, None, :]")],
            [("real[:, None, None, :]", "real[:, :, None, None]")],
        ),
        points=2,
        any_error=True,
        section=MASK,
    ),
    Mistake(
        "mask_none",
        "Without `attention_mask` it fails: the argument may be None, which can't be indexed. "
        "Ask whether it is not None first.",
        [("    if attention_mask is not None:\n        real", "    if True:\n        real")],
        other_forms=(
            [
                (
                    "    if attention_mask is not None:\n        real = attention_mask != 0",
                    "    if True:\n        real = attention_mask.bool()",
                )
            ],
        ),
        any_error=True,
    ),
    Mistake(
        "empty_nan",
        "A query that sees nothing gets NaN: its softmax runs over nothing but −∞. It should "
        "get zeros.",
        [("torch.finfo(scores.dtype).min", "-math.inf")],
        other_forms=(
            [
                ("torch.finfo(scores.dtype).min", "-math.inf"),
                (
                    "weights * allowed  # a row without keys: all 0",
                    "weights if attention_mask is None else weights.masked_fill(\n"
                    "        ~real.any(-1)[:, None, None, None], 0.0\n"
                    "    )",
                ),
            ],
        ),
        points=2,
        section=MASK,
    ),
    Mistake(
        "empty_average",
        "A query that sees nothing gets the average of all values, padding and future "
        "included: its scores are all equal. It should get zeros.",
        [("    weights = weights * allowed  # a row without keys: all 0\n", "")],
        other_forms=(
            [
                (
                    "weights * allowed  # a row without keys: all 0",
                    "weights if attention_mask is None else weights * "
                    "real.any(-1)[:, None, None, None]",
                )
            ],
        ),
        points=3,
        section=MASK,
    ),
    Mistake(
        "gradient_nan",
        "The output is right, but the gradients of a query that sees nothing are NaN. "
        "Replacing the NaN in the output doesn't help: 0 · NaN is NaN on the way back. No NaN "
        "may come up on the way, so fill with a finite number before the softmax.",
        [
            (
                "scores.masked_fill(~allowed, hidden).softmax(-1)",
                "(scores + torch.zeros(()).masked_fill(~allowed, -math.inf)).softmax(-1)",
            ),
            ("weights * allowed", "weights.masked_fill(weights.isnan(), 0.0)"),
        ],
        other_forms=(
            [
                (
                    "scores.masked_fill(~allowed, hidden).softmax(-1)",
                    "(scores + torch.zeros(()).masked_fill(~allowed, -math.inf)).softmax(-1)",
                ),
                ("    weights = weights * allowed  # a row without keys: all 0\n", ""),
                ("context = weights @ value", "context = (weights @ value).nan_to_num(0.0)"),
            ],
            [
                ("torch.finfo(scores.dtype).min", "-math.inf"),
                ("    weights = weights * allowed  # a row without keys: all 0\n", ""),
                ("context = weights @ value", "context = (weights @ value).nan_to_num(0.0)"),
            ],
            [
                (
                    "scores.masked_fill(~allowed, hidden).softmax(-1)",
                    "(scores + torch.zeros(()).masked_fill(~allowed, -math.inf)).softmax(-1)",
                ),
                (
                    "weights * allowed  # a row without keys: all 0",
                    "torch.where(allowed.any(-1, keepdim=True), weights, 0.0)",
                ),
            ],
        ),
        points=3,
        section=MASK,
    ),
    Mistake(
        "first_head_only",
        "All query heads read the first key head. Each group has its own.",
        [
            (_KEYS, "key = key[:, :, :1].expand(-1, -1, heads, -1)"),
            (_VALUES, "value = value[:, :, :1].expand(-1, -1, heads, -1)"),
        ],
        section=WHICH_SHARE,
    ),
    Mistake(
        "not_repeated",
        "Queries and keys have different numbers of heads, and broadcasting only helps if one "
        "of them is 1. Give each query head its key head, or split the query's heads into "
        "groups.",
        [(_KEYS, "key = key"), (_VALUES, "value = value")],
        any_error=True,
    ),
    Mistake(
        "heads_before_tokens_expected",
        "The tensors are used as if the heads came before the tokens. Here they are [batch, "
        "tokens, heads, head_size]: exchange axes 1 and 2 first.",
        [
            *_TRANSPOSED,
            ("keys, kv_heads = key.shape[1:3]", "kv_heads, keys = key.shape[1:3]"),
            ("queries, heads, head_size =", "heads, queries, head_size ="),
            ("context.transpose(1, 2)", "context"),
        ],
        other_forms=(
            [
                *_TRANSPOSED[:1],
                (f"{_KEYS}.transpose(1, 2)", "key = key.repeat_interleave(group, dim=1)"),
                (f"{_VALUES}.transpose(1, 2)", "value = value.repeat_interleave(group, dim=1)"),
                ("keys, kv_heads = key.shape[1:3]", "kv_heads, keys = key.shape[1:3]"),
                ("queries, heads, head_size =", "heads, queries, head_size ="),
                ("context.transpose(1, 2)", "context"),
            ],
            [*_TRANSPOSED, ("context.transpose(1, 2)", "context")],
        ),
        any_error=True,
    ),
    Mistake(
        "viewed",
        "The heads are brought before the tokens with `reshape` or `view`, which mixes both. "
        "Exchange the two axes: `transpose(1, 2)`.",
        [
            (
                "query = query.transpose(1, 2)",
                "query = query.reshape(-1, heads, queries, head_size)",
            ),
            (
                "dim=2).transpose(1, 2)  # [batch, heads, keys",
                "dim=2).reshape(-1, heads, keys, head_size)  # [batch, heads, keys",
            ),
            (f"{_VALUES}.transpose(1, 2)", f"{_VALUES}.reshape(len(query), heads, keys, -1)"),
        ],
        other_forms=(
            _VIEWED,
            [
                *_VIEWED,
                ("context.transpose(1, 2)", "context.reshape(len(query), queries, heads, -1)"),
            ],
        ),
    ),
    Mistake(
        "not_back",
        "The heads still come before the tokens in the output. It's [batch, queries, heads, "
        "value_size].",
        [("context.transpose(1, 2)", "context")],
    ),
    Mistake(
        "viewed_back",
        "At the end the tokens are brought before the heads with `reshape` or `view`, which "
        "mixes both. Exchange the two axes: `transpose(1, 2)`.",
        [("context.transpose(1, 2)", "context.reshape(len(query), queries, heads, -1)")],
    ),
    Mistake(
        "out_of_order",
        "The heads come back in another order: the first of each group, then the second of "
        "each. Put group and place in the group together as they were taken apart.",
        [
            (
                "return context.transpose(1, 2)",
                "context = context.transpose(1, 2).unflatten(2, (kv_heads, group))\n"
                "    return context.transpose(2, 3).flatten(2, 3)",
            )
        ],
    ),
    Mistake(
        "joined",
        "The heads are joined in one axis. Here they stay apart: [batch, queries, heads, "
        "value_size].",
        [("context.transpose(1, 2)", "context.transpose(1, 2).flatten(2)")],
    ),
    Mistake(
        "wrong_softmax",
        "The softmax runs along another axis than the keys. For each query the weights of its "
        "*keys* sum to 1: `dim=-1`.",
        [("softmax(-1)", "softmax(-2)")],
        other_forms=([("softmax(-1)", "softmax(1)")],),
    ),
    Mistake(
        "groups_averaged",
        "There is one result for each key head. Each *query* head has a result of its own; "
        "only keys and values are shared.",
        [
            (
                "query = query.transpose(1, 2)",
                "query = query.unflatten(2, (kv_heads, group)).mean(3).transpose(1, 2)",
            ),
            (_KEYS, "key = key"),
            (_VALUES, "value = value"),
        ],
        other_forms=(
            [
                (
                    "context.transpose(1, 2)",
                    "context.transpose(1, 2).unflatten(2, (kv_heads, group)).mean(3)",
                )
            ],
        ),
    ),
    Mistake(
        "float32",
        "In float64 something is computed in float32, or fails because the two are mixed. The "
        "result has the dtype of `query`.",
        [("context.transpose(1, 2)", "context.transpose(1, 2).float()")],
        other_forms=(
            [
                ("context.transpose(1, 2)", "context.transpose(1, 2).to(query.dtype)"),
                ("scores.masked_fill(", "scores.float().masked_fill("),
                ("context = weights @ value", "context = weights @ value.float()"),
            ],
            [("scores.masked_fill(", "scores.float().masked_fill(")],
            [(_SOFTMAX, f"{_SOFTMAX[:-1]}, dtype=torch.float32).to(value.dtype)")],
        ),
        points=3,
        any_error=True,
    ),
    changed_in_place(
        "query",
        [
            (
                "    queries, heads",
                "    query /= math.sqrt(query.size(-1))\n    queries, heads",
            ),
            (" / math.sqrt(head_size)", ""),
        ],
        any_error=True,
    ),
    cut_off(
        [("context.transpose(1, 2)", "context.transpose(1, 2).detach()")],
        points=3,
    ),
    kept(
        [
            ("attention_mask=None):", "attention_mask=None, kept={}):"),
            (
                "    allowed = torch.ones(",
                "    key, value = kept.setdefault(key.shape, (key.detach(), value.detach()))\n"
                "    allowed = torch.ones(",
            ),
        ],
    ),
)
