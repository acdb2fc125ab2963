"""The known mistakes of `cached_attention`."""

from __future__ import annotations

import torch

from grading.content.common import changed_in_place, cut_off, kept
from grading.content.decoder.sections import CAUSAL, POSITIONS, RECTANGLE
from grading.exercise import Mistake
from grading.exercise.edits import Edit

from .question import CachedAttention


class _InputsCached(CachedAttention):
    """Keeps the inputs and computes keys and values of all tokens anew."""

    def forward(self, x, cache=None):
        text = x if cache is None else torch.cat([cache[0], x], 1)
        return super().forward(text)[0][:, -x.size(1) :], (text, text)


_MASKS = (  # with sizes that come from elsewhere
    [],
    [("tril(keys - new)", "tril(seen)")],
    [("torch.ones(new, keys,", "torch.ones(new, seen + new,"), ("tril(keys - new)", "tril(seen)")],
)


def _each_mask(*ways: list[Edit]) -> tuple[list[Edit], ...]:
    """The same mistakes with each mask.

    None of them calls PyTorch's fused attention: given keys and values of different lengths it
    reads beyond the end of memory, and this process is the grader's.
    """
    return tuple([*edits, *mask] for edits in ways for mask in _MASKS)


def _joined_at(axis: int) -> list[Edit]:
    """Old and new are joined along another axis."""
    return [
        ("[cache[0], key], dim=2", f"[cache[0], key], dim={axis}"),
        ("[cache[1], value], dim=2", f"[cache[1], value], dim={axis}"),
    ]


def _counted(*lines: str) -> list[Edit]:
    """The module counts its tokens; ``lines`` come first."""
    count = (*lines, "seen = self.counted", "self.counted += new")
    return [
        ("self.num_heads = num_heads", "self.num_heads = num_heads\n        self.counted = 0"),
        ("seen = 0 if cache is None else cache[0].size(2)", "\n        ".join(count)),
    ]


def _without_positions(*thirds: int) -> list[Edit]:
    """Some thirds are made of ``x`` alone."""
    some = list(thirds)
    plain = "plain = self.query_key_value(x).unflatten(-1, (3, self.num_heads, -1))"
    mixed = f"packed[:, :, {some}] = plain[:, :, {some}]"
    query = "        query, key, value"
    return [(query, f"        {plain}\n        {mixed}\n{query}")]


_FRESH_EACH_TEXT = "if cache is None:\n            self.counted = 0"
_SEEN_ELSEWHERE = tuple(  # the number of tokens in the cache, read off another axis
    [("cache[0].size(2)", f"cache[0].size({axis})")] for axis in (1, 3, 0)
)
_VALUES_ALONE = [("            value = torch.cat([cache[1], value], dim=2)\n", "")]
_KEYS_ALONE = [("            key = torch.cat([cache[0], key], dim=2)\n", "")]
_FUSED = "context = F.scaled_dot_product_attention(query, key, value, "


COMBINED = (
    "restart",
    "overwritten",
    "upper_left",
    "no_mask",
    "mask_without_cache",
    "per_head",
    "key_first",
    "not_merged",
)

MISTAKES = (
    Mistake(
        "restart",
        "The positions start at 0 again in each call: a token that comes after a cache is "
        "numbered on from what the cache holds.",
        [("torch.arange(seen, seen + new)", "torch.arange(new)")],
        section=POSITIONS,
    ),
    Mistake(
        "early",
        "After a cache the positions start one too early: with n tokens in the cache the next "
        "one has position n.",
        [("torch.arange(seen, seen + new)", "torch.arange(new) + max(0, seen - 1)")],
        section=POSITIONS,
    ),
    Mistake(
        "from_one",
        "The positions are counted from 1. Row 0 of `positions.weight` belongs to the text's "
        "first token.",
        [("torch.arange(seen, seen + new)", "torch.arange(seen, seen + new) + 1")],
        other_forms=(
            [
                (
                    "torch.arange(seen, seen + new)",
                    "torch.arange(new) + (1 if cache is None else seen)",
                )
            ],
        ),
        section=POSITIONS,
    ),
    Mistake(
        "one_position",
        "All tokens of a piece get the same position vector. Each has its own, one row after "
        "the other.",
        [("torch.arange(seen, seen + new)", "torch.arange(seen, seen + 1)")],
        other_forms=(
            [("torch.arange(seen, seen + new)", "torch.arange(seen + new - 1, seen + new)")],
        ),
        section=POSITIONS,
    ),
    Mistake(
        "one_position_after_a_cache",
        "After a cache all tokens of a piece get the same position vector. Each has its own, "
        "one row after the other.",
        [
            (
                "torch.arange(seen, seen + new)",
                "torch.arange(seen, seen + (1 if seen else new))",
            )
        ],
        points=3,
        section=POSITIONS,
    ),
    Mistake(
        "position_once",
        "After a cache no position vectors are added. Every token of the text gets one.",
        [("states = x +", "states = x if seen else x +")],
        section=POSITIONS,
    ),
    Mistake(
        "plain_thirds",
        "Not all of queries, keys and values are made of `x` *with* the position vectors. They "
        "are added before anything else, so all three hold them.",
        _without_positions(2),
        other_forms=tuple(
            _without_positions(*thirds) for thirds in ((0,), (1,), (0, 1), (0, 2), (1, 2))
        ),
        section=POSITIONS,
    ),
    Mistake(
        "counter",
        "The module counts for itself how many tokens it has read. The number stands in the "
        "cache that is given, `cache[0].size(2)`, and without one it is 0.",
        _counted(),
        other_forms=(
            [*_counted(), *_MASKS[1]],
            _counted(_FRESH_EACH_TEXT),
            [*_counted(_FRESH_EACH_TEXT), *_MASKS[1]],
        ),
        points=3,
        section=POSITIONS,
    ),
    Mistake(
        "late",
        "After a cache the positions start one too late: with n tokens in the cache the next "
        "one has position n.",
        [("torch.arange(seen, seen + new)", "torch.arange(new) + (seen + 1 if seen else 0)")],
        section=POSITIONS,
    ),
    Mistake(
        "no_positions",
        "The position vectors are not added.",
        [("x + self.positions(positions)", "x")],
        section=POSITIONS,
    ),
    Mistake(
        "cache_unused",
        "The cache that is given is not used: each piece is read as if it were the first.",
        [("        batch, new, hidden", "        cache = None\n        batch, new, hidden")],
    ),
    Mistake(
        "overwritten",
        "The cache that is returned holds the new keys and values only: from the third call "
        "on, the older tokens are forgotten.",
        [
            (
                "        if cache is not None:",
                "        own = (key, value)\n        if cache is not None:",
            ),
            ("(key, value)", "own"),
        ],
    ),
    Mistake(
        "in_front",
        "New keys and values are put in front of the cached ones; the mask then belongs to "
        "other tokens. Append them: `torch.cat([old, new], dim=2)`.",
        [("[cache[0], key]", "[key, cache[0]]"), ("[cache[1], value]", "[value, cache[1]]")],
        points=2,
    ),
    Mistake(
        "upper_left",
        "With a cache the triangle starts in the upper left corner, so that new tokens see "
        "only the oldest ones. Its diagonal must end in the lower right: "
        "`tril(keys − queries)`.",
        [("tril(keys - new)", "tril()")],
        section=RECTANGLE,
    ),
    Mistake(
        "not_itself",
        "A token is hidden from itself: the diagonal lies one place too far to the left, and "
        "the first token of a text sees nothing.",
        [("tril(keys - new)", "tril(keys - new - 1)")],
        other_forms=(
            [
                ("tril(keys - new)", "tril(keys - new - 1)"),
                ("context = weights @ value", _FUSED + "allowed)"),
            ],
        ),
        section=CAUSAL,
    ),
    Mistake(
        "future",
        "The triangle is transposed (`triu`): tokens see what follows, and nothing before.",
        [(".tril(", ".triu(")],
        section=CAUSAL,
    ),
    Mistake(
        "cached_hidden",
        "The mask hides all keys of the cache. New tokens see all of them, and among "
        "themselves no future.",
        [(".tril(keys - new)", ".tril(keys - new) & (torch.arange(keys) >= seen)")],
        section=RECTANGLE,
    ),
    Mistake(
        "no_mask",
        "There is no causal mask: tokens see what follows.",
        [(".tril(keys - new)", "")],
        section=CAUSAL,
    ),
    Mistake(
        "mask_without_cache",
        "With a cache there is no mask. That is right for one new token; the tokens of a "
        "longer piece see each other's future.",
        [
            (
                "        scores = scores.masked_fill",
                "        if cache is None:\n            scores = scores.masked_fill",
            )
        ],
        points=3,
        section=RECTANGLE,
    ),
    Mistake(
        "ahead",
        "Each token sees the one after it: the diagonal lies one place too far to the right.",
        [("tril(keys - new)", "tril(keys - new + 1)")],
        section=CAUSAL,
    ),
    Mistake(
        "per_head",
        "The packed rows are taken as query, key and value of head 0, then of head 1, … Here "
        "all queries come first, then all keys, then all values.",
        [("(3, self.num_heads, -1))", "(self.num_heads, 3, -1)).transpose(2, 3)")],
    ),
    Mistake(
        "key_first",
        "Query and key are exchanged: the first third are the queries.",
        [("query, key, value = packed", "key, query, value = packed")],
    ),
    Mistake(
        "thirds",
        "The thirds of `query_key_value` are taken in another order. First come all queries, "
        "then all keys, then all values.",
        [("query, key, value = packed", "query, value, key = packed")],
        other_forms=(
            [("query, key, value = packed", "value, query, key = packed")],
            [("query, key, value = packed", "key, value, query = packed")],
            [("query, key, value = packed", "value, key, query = packed")],
        ),
    ),
    Mistake(
        "interleaved",
        "The numbers of the heads are interleaved. Head after head means "
        "`(num_heads, head_size)` when the last axis is split.",
        [
            ("(3, self.num_heads, -1))", "(3, -1, self.num_heads)).transpose(3, 4)"),
            ("context.transpose(1, 2)", "context.permute(0, 2, 3, 1)"),
        ],
        other_forms=([("(3, self.num_heads, -1))", "(3, -1, self.num_heads)).transpose(3, 4)")],),
    ),
    Mistake(
        "not_merged",
        "The heads are not brought back beside each other: exchange heads and tokens before "
        "the `reshape`.",
        [("context.transpose(1, 2).reshape", "context.reshape")],
        other_forms=(
            [("context.transpose(1, 2).reshape(batch, new, hidden)", "context.flatten(2)")],
        ),
    ),
    Mistake(
        "no_scale",
        "The scores are not divided by the root of the head's size.",
        [(" / math.sqrt(query.size(-1))", "")],
    ),
    Mistake(
        "no_root",
        "The scores are divided by the head's size, or twice by its root. Divide once, by the "
        "root.",
        [("math.sqrt(query.size(-1))", "query.size(-1)")],
    ),
    Mistake(
        "scale_after",
        "The root of the head's size divides what comes after the softmax. It divides the "
        "scores, before it.",
        [
            (" / math.sqrt(query.size(-1))", ""),
            ("scores.softmax(-1)", "scores.softmax(-1) / math.sqrt(query.size(-1))"),
        ],
    ),
    Mistake(
        "positions_subtracted",
        "The position vectors are subtracted. They are added.",
        [("x + self.positions", "x - self.positions")],
        section=POSITIONS,
    ),
    Mistake(
        "scale_heads",
        "The scores are divided by the root of the number of heads. It is the root of the "
        "head's size, hidden_size / num_heads.",
        [("math.sqrt(query.size(-1))", "math.sqrt(self.num_heads)")],
    ),
    Mistake(
        "scale_hidden",
        "The scores are divided by the root of the hidden size; each head has only "
        "hidden_size / num_heads numbers.",
        [("math.sqrt(query.size(-1))", "math.sqrt(hidden)")],
    ),
    Mistake(
        "keys_as_queries",
        "The keys are compared with themselves: the queries, the first third, are not used.",
        [
            (
                "packed.permute(2, 0, 3, 1, 4)",
                "packed.permute(2, 0, 3, 1, 4)\n        query = key",
            )
        ],
    ),
    Mistake(
        "scale_multiplied",
        "The scores are multiplied by the root of the head's size; divide by it.",
        [("/ math.sqrt(query", "* math.sqrt(query")],
    ),
    Mistake(
        "scale_keys",
        "The scores are divided by the root of the number of keys. It is the root of the "
        "head's size, hidden_size / num_heads.",
        [("math.sqrt(query.size(-1))", "math.sqrt(keys)")],
        other_forms=([("math.sqrt(query.size(-1))", "math.sqrt(new)")],),
    ),
    Mistake(
        "keys_averaged",
        "The weights are applied to the keys; what they average are the values.",
        [("context = weights @ value", "context = weights @ key")],
    ),
    Mistake(
        "positions_behind",
        "The position vectors are added behind the attention. They are added to `x`, before "
        "anything else.",
        [
            ("states = x + self.positions(positions)", "states = x"),
            ("self.output(context)", "self.output(context + self.positions(positions))"),
        ],
        other_forms=(
            [
                ("states = x + self.positions(positions)", "states = x"),
                ("self.output(context)", "self.output(context) + self.positions(positions)"),
            ],
        ),
        section=POSITIONS,
    ),
    Mistake(
        "positions_behind_the_map",
        "The position vectors are added to queries, keys and values. They are added to `x`, "
        "before it is mapped to these.",
        [
            ("states = x + self.positions(positions)", "states = x"),
            (
                "packed = self.query_key_value(states)",
                "packed = self.query_key_value(states) + self.positions(positions)"
                ".repeat(1, 3)\n"
                "        packed = packed",
            ),
        ],
        section=POSITIONS,
    ),
    Mistake(
        "short_mask",
        "The mask has a fixed size, and longer texts do not fit into it. `max_positions` is "
        "the limit, or make the mask as large as it is needed.",
        [
            (
                "torch.ones(new, keys, dtype=torch.bool).tril(keys - new)",
                "torch.ones(8, 8, dtype=torch.bool).tril()[seen:keys, :keys]",
            )
        ],
        any_error=True,
    ),
    Mistake(
        "dropout",
        "Dropout is alive in training mode; none is asked for.",
        [("context = weights @", "context = F.dropout(weights, 0.1, self.training) @")],
    ),
    changed_in_place("x", [("x + self.positions(positions)", "x.add_(self.positions(positions))")]),
    kept(
        [
            ("= num_heads", "= num_heads\n        self.kept = {}"),
            (
                "x + self.positions(positions)",
                "self.kept.setdefault((seen, new), x + self.positions(positions))",
            ),
        ],
        other_forms=([("self.num_heads = num_heads", "type(self).num_heads = num_heads")],),
        points=3,
    ),
    Mistake(
        "no_output",
        "The map `output` at the end is not applied.",
        [("self.output(context)", "context")],
    ),
    Mistake(
        "residual",
        "The input is added to the output, as around a layer. Here the output of the map "
        "`output` is all that comes back.",
        [("self.output(context)", "self.output(context) + states")],
        other_forms=([("self.output(context)", "self.output(context) + x")],),
    ),
    Mistake(
        "one_head",
        "There is one head over the whole width. Split queries, keys and values into "
        "`num_heads` heads, each with its own scores.",
        [
            (
                "        keys = key.size(2)",
                "        both = (key, value)\n"
                "        query, key, value = (\n"
                "            part.transpose(1, 2).flatten(2)[:, None] for part in "
                "(query, key, value)\n"
                "        )\n"
                "        keys = key.size(2)",
            ),
            ("(key, value)", "both"),
        ],
        other_forms=([("self.num_heads = num_heads", "self.num_heads = 1")],),
    ),
    Mistake(
        "none_cached",
        "Without a cache, `cache` is None, which has no parts: ask whether `cache is None` first.",
        [("0 if cache is None else cache", "cache")],
    ),
    Mistake(
        "not_split",
        "The heads are cut out by a `view` or `reshape` to `[batch, heads, …]` alone, which "
        "mixes tokens and heads. Split the last axis, then exchange heads and tokens.",
        [
            ("unflatten(-1, (3, self.num_heads, -1))", "chunk(3, -1)"),
            (
                "packed.permute(2, 0, 3, 1, 4)",
                "(part.reshape(batch, self.num_heads, new, -1) for part in packed)",
            ),
        ],
    ),
    Mistake(
        "heads_counted",
        "The number of tokens in the cache is read off the wrong axis. Its parts are "
        "`[batch, heads, tokens, head_size]`, so the tokens are `size(2)`.",
        [*_SEEN_ELSEWHERE[0], *_MASKS[2]],
        other_forms=_each_mask(*_SEEN_ELSEWHERE),
    ),
    Mistake(
        "not_joined",
        "The positions go on, but new tokens see no cached keys and values: join old and new "
        "ones along the tokens.",
        [
            (
                "        if cache is not None:\n"
                "            key = torch.cat([cache[0], key], dim=2)\n"
                "            value = torch.cat([cache[1], value], dim=2)\n",
                "",
            )
        ],
    ),
    Mistake(
        "causal_flag",
        "Pieces of several tokens after a cache see only the oldest keys: `is_causal=True` (or "
        "`tril()`) starts in the upper left corner. The diagonal must end in the lower right.",
        [("tril(keys - new)", "tril(0 if new > 1 else keys - new)")],
        points=3,
        section=RECTANGLE,
    ),
    Mistake(
        "inverted",
        "The mask is inverted: what may be seen is hidden. `masked_fill` fills where the mask "
        "is True, so it needs what is *not* allowed; `scaled_dot_product_attention` needs what "
        "is.",
        [("~allowed", "allowed")],
        other_forms=([("context = weights @ value", _FUSED + "~allowed)")],),
        section=CAUSAL,
    ),
    Mistake(
        "zero_fill",
        "Hidden scores are set to 0, and e⁰ = 1: hidden tokens still get weight. Set them to −∞.",
        [("-math.inf", "0.0")],
        section=CAUSAL,
    ),
    Mistake(
        "masked_after",
        "The mask comes after the softmax, so the weights that are left do not sum to 1. Hide "
        "the scores before it.",
        [
            ("        scores = scores.masked_fill(~allowed, -math.inf)\n", ""),
            ("scores.softmax(-1)", "scores.softmax(-1) * allowed"),
        ],
        section=CAUSAL,
    ),
    Mistake(
        "query_axis",
        "The softmax runs along another axis than the keys. For each query the weights of its "
        "*keys* sum to 1: `dim=-1`.",
        [("softmax(-1)", "softmax(-2)")],
        other_forms=([("softmax(-1)", "softmax(1)")],),
    ),
    Mistake(
        "wrong_axis",
        "Old and new keys are joined along the wrong axis. They are "
        "`[batch, heads, tokens, head_size]`, and the tokens grow: `torch.cat(…, dim=2)`.",
        _joined_at(1),
        other_forms=_each_mask(_joined_at(1), _joined_at(0), _joined_at(3)),
    ),
    Mistake(
        "exchanged",
        "Keys and values change places on the way through the cache: it is read or returned as "
        "`(value, key)`. It is `(key, value)` on both ways.",
        [("(key, value)", "(value, key)")],
        other_forms=(
            [
                ("[cache[0], key]", "[cache[1], key]"),
                ("[cache[1], value]", "[cache[0], value]"),
            ],
        ),
    ),
    Mistake(
        "same_part",
        "New keys and new values are joined with the same part of the cache. Keys stand in "
        "`cache[0]`, values in `cache[1]`.",
        [("[cache[1], value]", "[cache[0], value]")],
        other_forms=([("[cache[0], key]", "[cache[1], key]")],),
    ),
    Mistake(
        "values_alone",
        "Only the keys, or only the values, are joined with those of the cache. Each query's "
        "weights are for all tokens so far, so both must hold all.",
        _VALUES_ALONE,
        other_forms=_each_mask(_VALUES_ALONE, _KEYS_ALONE),
    ),
    Mistake(
        "old_returned",
        "With a cache the same cache comes back, without the new tokens. Return keys and "
        "values of all tokens so far.",
        [("(key, value)", "cache or (key, value)")],
    ),
    Mistake(
        "continues_itself",
        "With a cache the module goes on with keys and values that it has kept itself, not "
        "with what it is given: then one prompt cannot be continued twice.",
        [
            (
                "        batch, new, hidden",
                "        if cache is not None:\n"
                "            cache = self.kept\n"
                "        batch, new, hidden",
            ),
            (
                "        return self.output(context), (key, value)",
                "        self.kept = (key, value)\n"
                "        return self.output(context), (key, value)",
            ),
        ],
        other_forms=(
            [  # of what is given it takes the length
                (
                    "        batch, new, hidden",
                    "        if cache is not None:\n"
                    "            size = cache[0].size(2)\n"
                    "            cache = tuple(part[:, :, :size] for part in self.kept)\n"
                    "        batch, new, hidden",
                ),
                (
                    "        return self.output(context), (key, value)",
                    "        self.kept = (key, value)\n"
                    "        return self.output(context), (key, value)",
                ),
            ],
        ),
        points=3,
    ),
    Mistake(
        "in_itself",
        "The module keeps a cache of its own and goes on with it, whatever it is given. A new "
        "text then sees the old one. Use what is given, return what it became.",
        [
            (
                "self.num_heads = num_heads",
                "self.num_heads = num_heads\n        self.kept = None",
            ),
            (
                "        batch, new, hidden",
                "        cache = self.kept\n        batch, new, hidden",
            ),
            (
                "        return self.output(context), (key, value)",
                "        self.kept = (key, value)\n"
                "        return self.output(context), (key, value)",
            ),
        ],
        points=3,
    ),
    Mistake(
        "in_the_class",
        "Where no cache is given, one is taken from an earlier call, even from one of another "
        "module (an attribute of the class, a global variable). Without a cache a text begins.",
        [
            ("    def __init__", "    kept = None\n\n    def __init__"),
            (
                "        batch, new, hidden",
                "        if cache is None:\n"
                "            cache = type(self).kept\n"
                "        batch, new, hidden",
            ),
            (
                "        return self.output(context), (key, value)",
                "        type(self).kept = (key.detach(), value.detach())\n"
                "        return self.output(context), (key, value)",
            ),
        ],
        any_error=True,
    ),
    Mistake(
        "shared_list",
        "The cache that was given is changed. Then one prompt cannot be continued twice: join "
        "old and new into *new* tensors, in a new tuple.",
        [
            (
                "        return self.output(context), (key, value)",
                "        if cache is None:\n"
                "            return self.output(context), [key, value]\n"
                "        cache[:] = [key, value]\n"
                "        return self.output(context), cache",
            )
        ],
        points=3,
    ),
    Mistake(
        "tokens_first",
        "The cache has another layout: it must be `[batch, heads, tokens, head_size]`.",
        [
            (
                "        batch, new, hidden",
                "        if cache is not None:\n"
                "            cache = tuple(part.transpose(1, 2) for part in cache)\n"
                "        batch, new, hidden",
            ),
            ("(key, value)", "(key.transpose(1, 2), value.transpose(1, 2))"),
        ],
        points=3,
    ),
    Mistake(
        "value_first",
        "The cache holds `(value, key)`; asked for is `(key, value)`.",
        [
            ("[cache[0], key]", "[cache[1], key]"),
            ("[cache[1], value]", "[cache[0], value]"),
            ("(key, value)", "(value, key)"),
        ],
        points=3,
    ),
    cut_off(
        [("self.output(context)", "self.output(context).detach()")],
        other_forms=(
            [  # in evaluation mode
                (
                    "        return self.output(context), (key, value)",
                    "        result = self.output(context)\n"
                    "        if not self.training:\n"
                    "            both = result.detach(), (key.detach(), value.detach())\n"
                    "            return both\n"
                    "        return result, (key, value)",
                )
            ],
        ),
        equivalent=([("    def forward", "    @torch.no_grad()\n    def forward")],),
        points=3,
    ),
    Mistake(
        "detached_cache",
        "The outputs are right, but keys and values are cut off from autograd (`detach`) when "
        "they go into the cache: later tokens teach nothing to what earlier ones were read "
        "with.",
        [("(key, value)", "(key.detach(), value.detach())")],
        other_forms=(
            [  # in evaluation mode
                (
                    "(key, value)",
                    "(key, value) if self.training else (key.detach(), value.detach())",
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "scaled_keys",
        "The keys are divided by the root of the head's size before they go into the cache. It "
        "holds the keys themselves: divide the scores, or the queries.",
        [
            (
                "        if cache is not None:",
                "        key = key / math.sqrt(key.size(-1))\n        if cache is not None:",
            ),
            (" / math.sqrt(query.size(-1))", ""),
        ],
        points=3,
    ),
    Mistake(
        "inputs_cached",
        "The cache holds the inputs, and keys and values of all tokens are computed anew in "
        "each call. Keep the keys and values themselves, split into heads.",
        _InputsCached,
        points=3,
    ),
    Mistake(
        "heads_together",
        "The cache holds keys and values of all heads beside each other; asked for are heads "
        "apart, `[batch, heads, tokens, head_size]`.",
        [
            (
                "        batch, new, hidden",
                "        if cache is not None:\n"
                "            cache = [part.unflatten(-1, (self.num_heads, "
                "-1)).transpose(1, 2) for part in cache]\n"
                "        batch, new, hidden",
            ),
            (
                "(key, value)",
                "tuple(\n"
                "            part.transpose(1, 2).flatten(2) for part in (key, value)\n"
                "        )",
            ),
        ],
        points=3,
    ),
)
