"""The known mistakes of `decoder_mask`."""

from __future__ import annotations

from grading.content.common import kept_value
from grading.content.decoder.sections import CAUSAL, RECTANGLE
from grading.exercise import Mistake

_WITHOUT_ASKING = (
    "    if window is not None:\n        allowed = allowed & ",
    "    allowed = allowed & ",
)


COMBINED = (
    "upper_left",
    "not_itself",
    "no_padding",
    "inverted",
    "rows_of_padding",
    "no_window",
    "window_one_more",
    "window_one_less",
    "window_upper_left",
    "only_integers",
)

MISTAKES = (
    Mistake(
        "upper_left",
        "The triangle starts in the upper left corner. The queries are the *last* ones, so its "
        "diagonal must end in the lower right: query i stands at place keys − queries + i.",
        [(" + keys - queries", "")],
        section=RECTANGLE,
    ),
    Mistake(
        "one_ahead",
        "The diagonal lies one place too far to the right: each query sees its successor, "
        "which is the answer it is asked for.",
        [("key <= query", "key <= query + 1")],
        other_forms=([("+ keys - queries", "+ keys - queries + 1")],),
        section=CAUSAL,
    ),
    Mistake(
        "not_itself",
        "The diagonal is missing: a query sees what stands before it *and itself*.",
        [("key <= query", "key < query")],
        other_forms=([("+ keys - queries", "+ keys - queries - 1")],),
        section=CAUSAL,
    ),
    Mistake(
        "transposed",
        "The triangle is transposed: the queries see their future and not their past.",
        [("key <= query", "key >= query")],
        other_forms=(
            [
                ("key <= query", "key >= query"),
                ("key > query - window", "key < query + window"),
            ],
            [("key <= query", "key >= torch.arange(queries)[:, None]")],
        ),
        section=CAUSAL,
    ),
    Mistake(
        "causal_inverted",
        "The causal rule is inverted: `triu(1)` (or `>`) marks the future, which is to be "
        "*hidden*; here it is all that is seen.",
        [("key <= query", "key > query")],
        other_forms=(
            [
                ("key <= query", "key > query"),
                ("(key > query - window)", "(key < query + window)"),
            ],
        ),
        section=CAUSAL,
    ),
    Mistake(
        "cache_hidden",
        "The keys before the first query are hidden. They are in the cache to be seen: each "
        "query sees its own place and *all* before it.",
        [("key <= query", "(key <= query) & (key >= keys - queries)")],
        section=RECTANGLE,
    ),
    Mistake(
        "no_causality",
        "This is the padding mask alone: nothing hides the future.",
        [("key <= query", "torch.ones(queries, keys, dtype=torch.bool)")],
        section=CAUSAL,
    ),
    Mistake(
        "no_padding",
        "This is the causal mask alone: it replaces the padding mask, and padding is seen. A "
        "key must be real *and* not in the future.",
        [("allowed & real[:, None, None]", "allowed.expand(len(real), 1, -1, -1)")],
    ),
    Mistake(
        "or_for_and",
        "The two masks are joined by “or”: what only one of them allows is allowed. A key must "
        "pass both, so join them by `&`.",
        [("allowed & real", "allowed | real")],
    ),
    Mistake(
        "padding_inverted",
        "The padding mask is inverted: the padding is seen and the real tokens are hidden.",
        [("attention_mask != 0", "attention_mask == 0")],
    ),
    Mistake(
        "inverted",
        "The whole mask is inverted: True must mean that the key is seen.",
        [("return mask", "return ~mask")],
    ),
    Mistake(
        "rows_of_padding",
        "The rows of padded queries are hidden, too. The mask is about keys: what a padded "
        "query sees does not matter, and it is left as it comes.",
        [
            (
                "queries, keys]",
                "queries, keys]\n    mask = mask & real[:, None, -queries:, None]",
            )
        ],
    ),
    Mistake(
        "padding_in_rows",
        "The padding mask lies along the wrong axis: it empties the rows of padded queries, "
        "and padded *keys* are seen. `[:, None, None, :]` puts it along the keys.",
        [("real[:, None, None]", "real[:, None, -queries:, None]")],
        other_forms=(
            [("real[:, None, None]", "real[:, None, :queries, None]")],
            [("real[:, None, None]", "real[:, None, :, None]")],
        ),
    ),
    Mistake(
        "sees_itself",
        "Each query is allowed to see itself even where it is padding. Padding is a hidden key "
        "for every query; rows in which nothing is left are allowed.",
        [("queries, keys]", "queries, keys]\n    mask = mask | (key == query)")],
    ),
    Mistake(
        "rows_opened",
        "Rows in which nothing is left are opened again. Where the rules leave a query "
        "nothing, its row stays False throughout.",
        [("queries, keys]", "queries, keys]\n    mask = mask | ~mask.any(-1, keepdim=True)")],
        other_forms=(
            [
                (
                    "queries, keys]",
                    "queries, keys]\n"
                    "    mask = mask | ((key == query) & ~mask.any(-1, keepdim=True))",
                )
            ],
        ),
    ),
    Mistake(
        "axes_do_not_fit",
        "`attention_mask` is `[batch, keys]` and meets `[queries, keys]`, so its batch lies "
        "along the queries. Give it new axes for head and query: `[:, None, None, :]`.",
        [("real[:, None, None]", "real[None, None]")],
        other_forms=(
            [("real[:, None, None]", "real")],
            [("real[:, None, None]", "real[None]")],
        ),
    ),
    Mistake(
        "padding_sees_all",
        "The rows of padded queries are opened. What a padded query sees does not matter, and "
        "it is left as the rules give it.",
        [
            (
                "queries, keys]",
                "queries, keys]\n    mask = mask | ~real[:, None, -queries:, None]",
            )
        ],
        other_forms=(
            [
                (
                    "queries, keys]",
                    "queries, keys]\n"
                    "    mask = mask | (~real[:, None, -queries:, None] & real[:, None, None])",
                )
            ],
        ),
    ),
    Mistake(
        "right_only",
        "The mask only counts the real tokens, as if all padding stood on the right. It may be "
        "anywhere: look at each key's own entry.",
        [
            (
                "real = attention_mask != 0",
                "real = key < (attention_mask != 0).sum(1, keepdim=True)",
            )
        ],
    ),
    Mistake(
        "last_real_queries",
        "The queries are taken for the last *real* tokens. They are the last places, padded or "
        "not: query i stands at place keys − queries + i.",
        [
            (
                " + keys - queries",
                " + (attention_mask != 0).sum(1)[:, None, None, None] - queries",
            )
        ],
    ),
    Mistake(
        "one_for_all",
        "Where nothing is padded there is one mask for all texts, [1, 1, queries, keys] or "
        "less. It is [batch, 1, queries, keys], whatever the padding: `expand` it.",
        [("return mask", "return mask[:1] if bool(real.all()) else mask")],
        other_forms=([("return mask", "return mask[0, 0] if bool(real.all()) else mask")],),
    ),
    Mistake(
        "square_result",
        "The mask has a row for each key. It needs one for each query, the last `queries` of them.",
        [("    keys = ", "    queries = keys = ")],
        section=RECTANGLE,
    ),
    Mistake(
        "rows_of_the_cache",
        "The mask has as many rows as there are keys before the queries. It needs one for each "
        "query.",
        [
            (
                "torch.arange(queries)[:, None] + keys - queries",
                "torch.arange(keys)[queries - keys :, None]",
            )
        ],
        section=RECTANGLE,
    ),
    Mistake(
        "no_window",
        "`window` hides nothing: it is not used, or compared the wrong way round.",
        [
            (
                "    if window is not None:\n        allowed = allowed & (key > query - window)\n",
                "",
            )
        ],
        points=3,
    ),
    Mistake(
        "window_of_one",
        "A window of 1 hides nothing. It is one like any other: a query sees its own place alone.",
        [("window is not None", "window is not None and window > 1")],
        points=3,
    ),
    Mistake(
        "window_of_one_query",
        "With a single query `window` hides nothing. The last token of a text, too, sees its "
        "own place and the `window - 1` places before it, and no further.",
        [("window is not None", "window is not None and queries > 1")],
        points=3,
    ),
    Mistake(
        "window_as_wide_as_queries",
        "A window hides nothing where there are no more queries than it is wide. After a cache "
        "there are more keys than queries, and it hides the oldest.",
        [("window is not None", "window is not None and window < queries")],
        points=3,
    ),
    Mistake(
        "window_one_more",
        "The window is one place too wide: it counts the query's own place, so with 1 a query "
        "sees itself alone.",
        [("- window", "- window - 1")],
        points=3,
    ),
    Mistake(
        "window_one_less",
        "The window is one place too narrow: it counts the query's own place, so with 3 a "
        "query sees itself and the two places before it.",
        [("- window", "- window + 1")],
        other_forms=([("- window", "- max(1, window - 1)")],),
        points=3,
    ),
    Mistake(
        "window_upper_left",
        "The window is measured from the row's number. The queries are the last ones: query i "
        "stands at place keys − queries + i.",
        [("> query", "> torch.arange(queries)[:, None]")],
        points=3,
        section=RECTANGLE,
    ),
    Mistake(
        "window_half",
        "The window reaches back by half of `window` only. All of it lies before the query's "
        "own place, which is its last.",
        [("> query - window", ">= query - window // 2")],
        other_forms=([("> query - window", "> query - window // 2")],),
        points=3,
    ),
    Mistake(
        "window_kept",
        "Who may see whom is kept from an earlier call with as many queries and keys, and with "
        "it the window of that call. The window is an argument like any other.",
        [
            ("window=None):", "window=None, kept={}):"),
            (
                "    real =",
                "    allowed = kept.setdefault((queries, keys), allowed)\n    real =",
            ),
        ],
        points=3,
    ),
    kept_value(
        "window=None",
        "attention_mask != 0",
        "attention_mask.shape",
        other_forms=(
            [
                ("window=None):", "window=None, kept={}):"),
                (
                    "    return mask",
                    "    return kept.setdefault((queries, keys, window), mask)",
                ),
            ],
            [
                ("window=None):", "window=None, kept={}):"),
                (
                    "    return mask",
                    "    return kept.setdefault((*mask.shape, window), mask)",
                ),
            ],
        ),
        any_error=True,
    ),
    Mistake(
        "window_none",
        "`window` may be None, with which nothing can be computed or compared: ask whether "
        "`window is not None` first.",
        [_WITHOUT_ASKING, ("key > query - window", "key - query >= 1 - window")],
        other_forms=(
            [_WITHOUT_ASKING, ("key > query - window", "key - query > -window")],
            [_WITHOUT_ASKING, ("key > query - window", "query - key < window")],
            [_WITHOUT_ASKING, ("key > query - window", "query - key + 1 <= window")],
            [_WITHOUT_ASKING],
        ),
    ),
    Mistake(
        "window_inverted",
        "The window is inverted: what is too old is seen, and what is near is hidden.",
        [("key > query - window", "key <= query - window")],
        points=3,
    ),
    Mistake(
        "window_alone",
        "With a window the causal mask is lost: the window hides what is too old, and the "
        "future must be hidden, too.",
        [("allowed & (key > query - window)", "key > query - window")],
        points=3,
    ),
    Mistake(
        "window_both_sides",
        "The window reaches to both sides: the distance was taken without its sign, and a "
        "query sees its future as far as its past.",
        [("allowed & (key > query - window)", "(key - query).abs() < window")],
        other_forms=([("allowed & (key > query - window)", "(key - query).abs() <= window // 2")],),
        points=3,
    ),
    Mistake(
        "last_keys",
        "The window is the same for all queries, the last `window` keys of the text. Each "
        "query has its own, which ends at its own place.",
        [("key > query - window", "key >= keys - window")],
        points=3,
    ),
    Mistake(
        "window_of_real",
        "The window counts real tokens only. Padding takes up places, too: compare the places "
        "of query and key.",
        [
            (
                "        allowed = allowed & (key > query - window)",
                "        number = attention_mask.long().cumsum(1)[:, None, None]\n"
                "        oldest = number[..., -queries:].transpose(-2, -1) - window\n"
                "        allowed = allowed & (number > oldest)",
            )
        ],
        points=3,
    ),
    Mistake(
        "negative_start",
        "Where the window is wider than what stands before a query, the slice begins at a "
        "negative number, which Python counts from the end. Let it begin at 0 at least.",
        [
            (
                "        allowed = allowed & (key > query - window)",
                "        near = torch.zeros(queries, keys, dtype=torch.bool)\n"
                "        for row, own in zip(near, query[:, 0], strict=True):\n"
                "            row[own - window + 1 : own + 1] = True\n"
                "        allowed = allowed & near",
            )
        ],
        points=3,
    ),
    Mistake(
        "no_head_axis",
        "The head axis is missing: the shape must be `[batch, 1, queries, keys]`.",
        [("return mask", "return mask[:, 0]")],
    ),
    Mistake(
        "no_batch",
        "Every sentence of the batch gets the mask of the first one.",
        [("return mask", "return mask[:1].expand_as(mask)")],
    ),
    Mistake(
        "additive",
        "These are numbers to be added to scores, 0 for seen and −∞ or a very negative one for "
        "hidden. Asked for are booleans, True for seen.",
        [("return mask", "return torch.zeros(mask.shape).masked_fill(~mask, -float('inf'))")],
        other_forms=(
            [("return mask", "return torch.zeros(mask.shape).masked_fill(~mask, -1e9)")],
            [
                (
                    "return mask",
                    "return torch.zeros(mask.shape).masked_fill(~mask, torch.finfo().min)",
                )
            ],
        ),
    ),
    Mistake(
        "integers",
        "These are ones and zeros, not booleans. Attention functions would add them to the scores.",
        [("return mask", "return mask.long()")],
    ),
    Mistake(
        "short_integers",
        "These are ones and zeros of dtype int32, not booleans. Attention functions would add "
        "them to the scores.",
        [("return mask", "return mask.int()")],
    ),
    Mistake(
        "floats",
        "These are the floats 1.0 and 0.0, not booleans. Attention functions would add them to "
        "the scores.",
        [("return mask", "return mask.float()")],
    ),
    Mistake(
        "dtype_of_mask",
        "The result has the dtype of `attention_mask`. It must be `bool`, whatever the mask is "
        "made of.",
        [("return mask", "return mask.to(attention_mask.dtype)")],
    ),
    Mistake(
        "not_for_booleans",
        "A minus sign does not work with booleans, so `1 - attention_mask` fails. Compare "
        "instead, `attention_mask != 0`, which works for every dtype.",
        [("attention_mask != 0", "1 - attention_mask == 0")],
        points=3,
    ),
    Mistake(
        "only_integers",
        "`&` between a mask of floats and booleans fails. Make booleans of `attention_mask` "
        "first, with `.bool()` or `!= 0`.",
        [("attention_mask != 0", "attention_mask"), ("return mask", "return mask.bool()")],
        points=3,
        any_error=True,
    ),
    Mistake(
        "floats_are_added",
        "A mask of floats is read as one that is added to scores, 0 for a key that is seen. "
        "Here 1 is a real token and 0 is padding in every dtype.",
        [
            (
                "attention_mask != 0",
                "(attention_mask != 0) ^ attention_mask.is_floating_point()",
            )
        ],
        points=3,
    ),
    Mistake(
        "padding_sliced",
        "The padding mask is cut to the last `queries` keys. All keys are there; only the "
        "queries are the last ones.",
        [("real[:, None, None]", "real[:, None, None, -queries:]")],
        any_error=True,
    ),
)
