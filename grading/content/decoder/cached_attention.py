"""A layer that remembers."""

from __future__ import annotations

import functools
import math
from itertools import product

import torch
import torch.nn.functional as F
from torch import nn

from grading.content.decoder import harnesses
from grading.content.decoder.sections import CACHE, CAUSAL, POSITIONS, RECTANGLE
from grading.content.decoder.shared import Flags, normal
from grading.content.drawing import draw_integer
from grading.exercise import Case, Exercise, Mistake, Part

_OTHER_THIRDS = {  # what stands where: values before keys, and so on
    "query_value_key": [0, 2, 1],
    "value_query_key": [1, 2, 0],
    "key_value_query": [2, 0, 1],
    "value_key_query": [2, 1, 0],
}


def _cached_attention(wrong: Flags = frozenset()) -> type:
    class CachedAttention(nn.Module):
        def __init__(self, hidden_size, num_heads, max_positions):
            super().__init__()
            self.positions = nn.Embedding(max_positions, hidden_size)
            self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
            self.output = nn.Linear(hidden_size, hidden_size)
            self.num_heads = num_heads
            self.counted = 0

        def forward(self, x, cache=None):
            batch, new, hidden = x.shape
            if "cache_unused" in wrong:
                cache = None
            seen = tokens = 0 if cache is None else cache[0].size(2)
            for axis in (0, 1, 3):
                if f"seen_at_{axis}" in wrong and cache is not None:
                    seen = cache[0].size(axis)
            if "counter" in wrong or "counter_reset" in wrong:
                if "counter_reset" in wrong and cache is None:
                    self.counted = 0
                seen = self.counted
                self.counted += new
            first = 0 if "restart" in wrong else seen
            first += ("late" in wrong and seen > 0) - ("early" in wrong and seen > 0)
            first += "from_one" in wrong or ("one_at_first" in wrong and cache is None)
            plain, places = x, self.positions.weight[first : first + new]
            if "one_position" in wrong:
                places = places[:1]
            if "last_position" in wrong:
                places = places[-1:]
            if "no_positions" not in wrong and not ("position_once" in wrong and seen):
                x = x - places if "positions_subtracted" in wrong else x + places
            packed = self.query_key_value(x).unflatten(-1, (3, self.num_heads, -1))
            if "plain_thirds" in wrong:
                without = self.query_key_value(plain).unflatten(-1, (3, self.num_heads, -1))
                some = [n for n in range(3) if f"third_{n}" in wrong] or [2]
                packed = packed.index_copy(2, torch.tensor(some), without[:, :, some])
            if "not_split" in wrong:
                parts = self.query_key_value(x).chunk(3, -1)
                parts = [p.reshape(batch, self.num_heads, new, -1).transpose(1, 2) for p in parts]
                packed = torch.stack(parts, 2)
            if "per_head" in wrong:
                packed = self.query_key_value(x).unflatten(-1, (self.num_heads, 3, -1))
                packed = packed.transpose(2, 3)
            if {"interleaved", "interleaved_split"} & wrong:
                packed = self.query_key_value(x).unflatten(-1, (3, -1, self.num_heads))
                packed = packed.transpose(3, 4)
            for name, order in _OTHER_THIRDS.items():
                if name in wrong:
                    packed = packed[:, :, order]
            query, key, value = packed.permute(2, 0, 3, 1, 4)  # [batch, heads, new, head_size]
            if "key_first" in wrong:
                query, key = key, query
            own = (key, value)
            if "not_joined" in wrong:
                cache = None
            if cache is not None:
                axis = 1 if "wrong_axis" in wrong else 2
                axis = next((n for n in (0, 3) if f"joined_at_{n}" in wrong), axis)
                old_key, old_value = reversed(cache) if "read_exchanged" in wrong else cache
                old_key = cache[1] if "value_twice" in wrong else old_key
                old_value = cache[0] if "key_twice" in wrong else old_value
                sides = (key, old_key) if "in_front" in wrong else (old_key, key)
                key = key if "keys_alone" in wrong else torch.cat(sides, dim=axis)
                sides = (value, old_value) if "in_front" in wrong else (old_value, value)
                value = value if "values_alone" in wrong else torch.cat(sides, dim=axis)
            keys = key.size(2)

            def finished(mixed):
                merged = mixed.reshape if "not_merged" in wrong else mixed.transpose(1, 2).reshape
                if "interleaved" in wrong:
                    merged = mixed.permute(0, 2, 3, 1).reshape
                result = mixed.flatten(2) if "flattened" in wrong else merged(batch, new, hidden)
                result = result if "no_output" in wrong else self.output(result)
                if "residual" in wrong:
                    result = result + x
                if "plain_residual" in wrong:
                    result = result + plain
                if "old_returned" in wrong and cache is not None:
                    return result, cache
                if "returned_exchanged" in wrong:
                    return result, (value, key)
                return result, own if "overwritten" in wrong else (key, value)

            scores = query @ key.transpose(-2, -1)
            if not {"no_scale", "scale_after"} & wrong:
                width = hidden if "scale_hidden" in wrong else query.size(-1)
                width = self.num_heads if "scale_heads" in wrong else width
                width = width**2 if "no_root" in wrong else width
                scores = scores / math.sqrt(width)
            upper_left = "upper_left" in wrong or ("causal_flag" in wrong and new > 1)
            diagonal = 0 if upper_left else keys - new
            diagonal += ("ahead" in wrong) - ("not_itself" in wrong)
            columns = keys
            if "mask_by_seen" in wrong:
                diagonal = seen
            if "mask_all_by_seen" in wrong:
                diagonal, columns = seen, seen + new
            allowed = torch.ones(new, columns, dtype=torch.bool).tril(diagonal)
            if "future" in wrong:
                allowed = torch.ones(new, keys, dtype=torch.bool).triu(diagonal)
            if "cached_hidden" in wrong:
                allowed = allowed.triu(0) & (torch.arange(keys) >= tokens)
            if "no_mask" in wrong or ("mask_without_cache" in wrong and cache is not None):
                allowed = torch.ones_like(allowed)
            if "inverted" in wrong:
                allowed = ~allowed
            if "fused" in wrong:
                return finished(F.scaled_dot_product_attention(query, key, value, allowed))
            scores = scores.masked_fill(~allowed, 0.0 if "zero_fill" in wrong else -math.inf)
            weights = scores.softmax(-2 if "query_axis" in wrong else -1)
            weights = scores.softmax(1) if "head_axis" in wrong else weights
            if "scale_after" in wrong:
                weights = weights / math.sqrt(query.size(-1))
            if "masked_after" in wrong:
                free = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
                weights = free.softmax(-1) * allowed
            return finished(weights @ value)

    return CachedAttention


_RIGHT_CACHED = _cached_attention()


def _each_mask(*wrong: str) -> tuple[type, ...]:
    """The same mistakes with masks whose sizes come from elsewhere.

    None of them calls PyTorch's fused attention: given keys and values of different lengths it
    reads beyond the end of memory, and this process is the grader's.
    """
    masks = ((), ("mask_by_seen",), ("mask_all_by_seen",))
    return tuple(_cached_attention(frozenset({one, *mask})) for one, mask in product(wrong, masks))


def _cached_cases(generator: torch.Generator) -> list[Case]:
    def weights(hidden, places):
        drawn = functools.partial(normal, generator)
        return {
            "positions.weight": drawn(places, hidden, size=0.8),
            "query_key_value.weight": drawn(3 * hidden, hidden, size=1.1 / hidden**0.5),
            "query_key_value.bias": drawn(3 * hidden, size=0.7),
            "output.weight": drawn(hidden, hidden, size=1.2 / hidden**0.5),
            "output.bias": drawn(hidden, size=0.7),
        }

    def case(title, part, harness, *rest, batch=2, tokens=(7,), small=False):
        heads, head_size = ((2, 3), (3, 2), (2, 4))[draw_integer(generator, 0, 2)]
        if small:
            heads, head_size = 2, 3
        hidden, places = heads * head_size, 6 if small else 9
        batch = batch if batch == 1 else 5 - heads  # never the number of heads
        texts = [
            (name, normal(generator, batch, length, hidden, size=0.9))
            for name, length in zip(("x", "one", "other"), tokens, strict=False)
        ]
        arguments = [("init", [hidden, heads, places]), ("state", weights(hidden, places))]
        return Case(title, part, (*arguments, *texts, *rest), harness=harness)

    def pieces(*sizes):
        return ("pieces", list(sizes))

    several = harnesses.read_in_pieces
    first = draw_integer(generator, 2, 3)
    return [
        case("the whole text at once", "core", several, pieces(7)),
        case("a batch of one, a text of one", "core", several, pieces(1), batch=1, tokens=(1,)),
        case("a prompt, then token by token", "core", several, pieces(first, *[1] * (7 - first))),
        case("token by token from the beginning", "core", several, pieces(1, 1, 1, 1), tokens=(4,)),
        case("pieces of several tokens", "pieces", several, pieces(first, 2, 5 - first)),
        case("one token, then a long piece", "pieces", several, pieces(1, 6)),
        case("pieces, a batch of one", "pieces", several, pieces(4, 3), batch=1),
        case("the cache itself", "kept", harnesses.cache_after, pieces(2, 3), tokens=(5,)),
        case("one prompt, two continuations", "kept", harnesses.continue_twice, tokens=(3, 1, 1)),
        case("a second text without a cache", "kept", harnesses.read_and_forget, tokens=(3, 4)),
        case(
            "gradients", "kept", harnesses.train_in_pieces, pieces(3, 1, 1), tokens=(5,), small=True
        ),
    ]


class _ByLibrary(nn.Module):
    """PyTorch's fused attention with an explicit mask; a dictionary would do as well."""

    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.heads = num_heads

    def forward(self, x, cache=None):
        seen = cache[0].shape[2] if cache else 0
        x = x + self.positions(torch.arange(seen, seen + x.shape[1]))
        heads = [
            part.reshape(*part.shape[:2], self.heads, -1).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        ]
        if cache:
            heads[1:] = [torch.cat(pair, dim=-2) for pair in zip(cache, heads[1:], strict=True)]
        query, key, value = heads
        place = torch.arange(seen, seen + x.shape[1])[:, None]
        allowed = place >= torch.arange(key.shape[2])
        mixed = F.scaled_dot_product_attention(query, key, value, allowed)
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)


class _ByLoops(nn.Module):
    """Heads and queries one after the other; each query attends to a slice, without a mask."""

    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads, self.head_size = num_heads, hidden_size // num_heads

    def forward(self, x, cache=None):
        seen = 0 if cache is None else cache[0].size(-2)
        rows, keys, values = [], [], []
        for t in range(x.size(1)):
            token = self.query_key_value(x[:, t] + self.positions.weight[seen + t])
            query, key, value = token.view(len(x), 3, self.num_heads, -1).unbind(1)
            rows.append(query), keys.append(key), values.append(value)
        key, value = torch.stack(keys, 2), torch.stack(values, 2)
        if cache is not None:
            key, value = torch.cat([cache[0], key], 2), torch.cat([cache[1], value], 2)
        outputs = []
        for t, query in enumerate(rows):
            until = seen + t + 1
            scores = torch.einsum("bhd,bhkd->bhk", query, key[:, :, :until]) / self.head_size**0.5
            mixed = torch.einsum("bhk,bhkd->bhd", scores.softmax(-1), value[:, :, :until])
            outputs.append(self.output(mixed.flatten(1)))
        return torch.stack(outputs, 1), [key, value]


class _InDoubles(_RIGHT_CACHED):
    """The same in float64, the future hidden by adding −∞."""

    def forward(self, x, cache=None):
        seen = 0 if cache is None else cache[0].size(2)
        at = torch.arange(x.size(1)) + seen
        x = (x + self.positions(at)).double()
        weight, bias = self.query_key_value.weight.double(), self.query_key_value.bias.double()
        query, key, value = (
            torch.stack(F.linear(x, weight, bias).chunk(3, -1))
            .unflatten(-1, (self.num_heads, -1))
            .transpose(2, 3)
        )
        if cache is not None:
            key = torch.cat([cache[0].double(), key], 2)
            value = torch.cat([cache[1].double(), value], 2)
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.size(-1) ** -0.5
        hidden = torch.full(scores.shape[-2:], -math.inf).triu(seen + 1)
        mixed = ((scores + hidden).softmax(-1) @ value).permute(0, 2, 1, 3).flatten(2)
        return self.output(mixed.float()), (key.float(), value.float())


class _InItself(_RIGHT_CACHED):
    """Keeps the cache in the module, whatever it is given."""

    kept = None

    def forward(self, x, cache=None):
        output, self.kept = super().forward(x, self.kept)
        return output, self.kept


class _ContinuesItself(_RIGHT_CACHED):
    """Goes on with what it kept itself, if it is given any cache."""

    kept = None

    def forward(self, x, cache=None):
        output, self.kept = super().forward(x, None if cache is None else self.kept)
        return output, self.kept


class _OneHead(_RIGHT_CACHED):
    """Attends with one head, and keeps the cache as asked for."""

    def forward(self, x, cache=None):
        heads, self.num_heads = self.num_heads, 1
        one = None if cache is None else tuple(p.transpose(1, 2).flatten(2)[:, None] for p in cache)
        output, both = super().forward(x, one)
        self.num_heads = heads
        both = tuple(p[:, 0].unflatten(-1, (heads, -1)).transpose(1, 2) for p in both)
        return output, both


class _OneHeadInCache(_RIGHT_CACHED):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__(hidden_size, 1, max_positions)


class _NoneRead(_RIGHT_CACHED):
    def forward(self, x, cache=None):
        return super().forward(x, (cache[0], cache[1]))


class _SharedList(_RIGHT_CACHED):
    """The cache is a list which each call changes."""

    def forward(self, x, cache=None):
        output, both = super().forward(x, cache)
        if cache is None:
            return output, list(both)
        cache[:] = both
        return output, cache


class _TokensFirst(_RIGHT_CACHED):
    """The cache is kept as [batch, tokens, heads, head_size]."""

    def forward(self, x, cache=None):
        turned = None if cache is None else tuple(part.transpose(1, 2) for part in cache)
        output, both = super().forward(x, turned)
        return output, tuple(part.transpose(1, 2) for part in both)


class _ValueFirst(_RIGHT_CACHED):
    def forward(self, x, cache=None):
        output, (key, value) = super().forward(x, None if cache is None else cache[::-1])
        return output, (value, key)


class _NoGradient(_RIGHT_CACHED):
    def forward(self, x, cache=None):
        output, both = super().forward(x, cache)
        return output.detach(), both


class _WithoutGradient(_RIGHT_CACHED):
    def forward(self, x, cache=None):
        with torch.no_grad():
            return super().forward(x, cache)


class _DetachedCache(_RIGHT_CACHED):
    def forward(self, x, cache=None):
        output, both = super().forward(x, cache)
        return output, tuple(part.detach() for part in both)


class _InputsCached(_RIGHT_CACHED):
    """Keeps the inputs and computes keys and values of all tokens anew."""

    def forward(self, x, cache=None):
        text = x if cache is None else torch.cat([cache[0], x], 1)
        return super().forward(text)[0][:, -x.size(1) :], (text, text)


class _HeadsTogether(_RIGHT_CACHED):
    """The cache is kept as [batch, tokens, hidden]."""

    def forward(self, x, cache=None):
        split = [part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in cache or ()]
        output, both = super().forward(x, split or None)
        return output, tuple(part.transpose(1, 2).flatten(2) for part in both)


EXERCISE = Exercise(
    id="CachedAttention",
    title="A layer that remembers",
    signature="class CachedAttention(hidden_size, num_heads, max_positions)",
    reference=_RIGHT_CACHED,
    cases=_cached_cases,
    parts=(
        Part("core", "the whole text, and token by token", 2),
        Part("pieces", "pieces of any size", 1),
        Part("kept", "the cache belongs to the caller; gradients", 1),
    ),
    minutes=25,
    difficulty=3,
    section=CACHE,
    variant=_cached_attention,
    alternatives={
        "fused": _ByLibrary,
        "loops": _ByLoops,
        "float64": _InDoubles,
    },
    mistakes=(
        Mistake(
            "restart",
            "The positions start at 0 again in each call: a token that comes after a cache is "
            "numbered on from what the cache holds.",
            section=POSITIONS,
        ),
        Mistake(
            "early",
            "After a cache the positions start one too early: with n tokens in the cache the next "
            "one has position n.",
            section=POSITIONS,
            alone=True,
        ),
        Mistake(
            "from_one",
            "The positions are counted from 1. Row 0 of `positions.weight` belongs to the text's "
            "first token.",
            other_forms=(_cached_attention(frozenset({"one_at_first"})),),
            section=POSITIONS,
            alone=True,
        ),
        Mistake(
            "one_position",
            "All tokens of a piece get the same position vector. Each has its own, one row after "
            "the other.",
            other_forms=(_cached_attention(frozenset({"last_position"})),),
            section=POSITIONS,
            alone=True,
        ),
        Mistake(
            "position_once",
            "After a cache no position vectors are added. Every token of the text gets one.",
            section=POSITIONS,
            alone=True,
        ),
        Mistake(
            "plain_thirds",
            "Not all of queries, keys and values are made of `x` *with* the position vectors. They "
            "are added before anything else, so all three hold them.",
            other_forms=tuple(
                _cached_attention(frozenset({"plain_thirds", *(f"third_{n}" for n in some)}))
                for some in ((0,), (1,), (0, 1), (0, 2), (1, 2))
            ),
            section=POSITIONS,
            alone=True,
        ),
        Mistake(
            "counter",
            "The module counts for itself how many tokens it has read. The number stands in the "
            "cache that is given, `cache[0].size(2)`, and without one it is 0.",
            points=3,
            other_forms=(
                _cached_attention(frozenset({"counter", "mask_by_seen"})),
                _cached_attention(frozenset({"counter_reset"})),
                _cached_attention(frozenset({"counter_reset", "mask_by_seen"})),
            ),
            section=POSITIONS,
            alone=True,
        ),
        Mistake(
            "late",
            "After a cache the positions start one too late: with n tokens in the cache the next "
            "one has position n.",
            section=POSITIONS,
            alone=True,
        ),
        Mistake(
            "no_positions",
            "The position vectors are not added.",
            section=POSITIONS,
            alone=True,
        ),
        Mistake(
            "cache_unused",
            "The cache that is given is not used: each piece is read as if it were the first.",
            alone=True,
        ),
        Mistake(
            "overwritten",
            "The cache that is returned holds the new keys and values only: from the third call "
            "on, the older tokens are forgotten.",
        ),
        Mistake(
            "in_front",
            "New keys and values are put in front of the cached ones; the mask then belongs to "
            "other tokens. Append them: `torch.cat([old, new], dim=2)`.",
            points=2,
            alone=True,
        ),
        Mistake(
            "upper_left",
            "With a cache the triangle starts in the upper left corner, so that new tokens see "
            "only the oldest ones. Its diagonal must end in the lower right: "
            "`tril(keys − queries)`.",
            section=RECTANGLE,
        ),
        Mistake(
            "not_itself",
            "A token is hidden from itself: the diagonal lies one place too far to the left, and "
            "the first token of a text sees nothing.",
            other_forms=(_cached_attention(frozenset({"not_itself", "fused"})),),
            section=CAUSAL,
            alone=True,
        ),
        Mistake(
            "future",
            "The triangle is transposed (`triu`): tokens see what follows, and nothing before.",
            section=CAUSAL,
            alone=True,
        ),
        Mistake(
            "cached_hidden",
            "The mask hides all keys of the cache. New tokens see all of them, and among "
            "themselves no future.",
            section=RECTANGLE,
            alone=True,
        ),
        Mistake("no_mask", "There is no causal mask: tokens see what follows.", section=CAUSAL),
        Mistake(
            "mask_without_cache",
            "With a cache there is no mask. That is right for one new token; the tokens of a "
            "longer piece see each other's future.",
            points=3,
            section=RECTANGLE,
        ),
        Mistake(
            "ahead",
            "Each token sees the one after it: the diagonal lies one place too far to the right.",
            section=CAUSAL,
            alone=True,
        ),
        Mistake(
            "per_head",
            "The packed rows are taken as query, key and value of head 0, then of head 1, … Here "
            "all queries come first, then all keys, then all values.",
        ),
        Mistake("key_first", "Query and key are exchanged: the first third are the queries."),
        Mistake(
            "thirds",
            "The thirds of `query_key_value` are taken in another order. First come all queries, "
            "then all keys, then all values.",
            _cached_attention(frozenset({"query_value_key"})),
            other_forms=tuple(_cached_attention(frozenset({order})) for order in _OTHER_THIRDS),
        ),
        Mistake(
            "interleaved",
            "The numbers of the heads are interleaved. Head after head means "
            "`(num_heads, head_size)` when the last axis is split.",
            other_forms=(_cached_attention(frozenset({"interleaved_split"})),),
            alone=True,
        ),
        Mistake(
            "not_merged",
            "The heads are not brought back beside each other: exchange heads and tokens before "
            "the `reshape`.",
            other_forms=(_cached_attention(frozenset({"flattened"})),),
        ),
        Mistake(
            "no_scale",
            "The scores are not divided by the root of the head's size.",
            alone=True,
        ),
        Mistake(
            "no_root",
            "The scores are divided by the head's size, or twice by its root. Divide once, by the "
            "root.",
            alone=True,
        ),
        Mistake(
            "scale_after",
            "The root of the head's size divides what comes after the softmax. It divides the "
            "scores, before it.",
            alone=True,
        ),
        Mistake(
            "positions_subtracted",
            "The position vectors are subtracted. They are added.",
            section=POSITIONS,
            alone=True,
        ),
        Mistake(
            "scale_heads",
            "The scores are divided by the root of the number of heads. It is the root of the "
            "head's size, hidden_size / num_heads.",
            alone=True,
        ),
        Mistake(
            "scale_hidden",
            "The scores are divided by the root of the hidden size; each head has only "
            "hidden_size / num_heads numbers.",
            alone=True,
        ),
        Mistake(
            "no_output",
            "The map `output` at the end is not applied.",
            alone=True,
        ),
        Mistake(
            "residual",
            "The input is added to the output, as around a layer. Here the output of the map "
            "`output` is all that comes back.",
            other_forms=(_cached_attention(frozenset({"plain_residual"})),),
            alone=True,
        ),
        Mistake(
            "one_head",
            "There is one head over the whole width. Split queries, keys and values into "
            "`num_heads` heads, each with its own scores.",
            _OneHead,
            other_forms=(_OneHeadInCache,),
        ),
        Mistake(
            "none_cached",
            "Without a cache, `cache` is None, which has no parts: ask whether `cache is None` "
            "first.",
            _NoneRead,
        ),
        Mistake(
            "not_split",
            "The heads are cut out by a `view` or `reshape` to `[batch, heads, …]` alone, which "
            "mixes tokens and heads. Split the last axis, then exchange heads and tokens.",
            alone=True,
        ),
        Mistake(
            "heads_counted",
            "The number of tokens in the cache is read off the wrong axis. Its parts are "
            "`[batch, heads, tokens, head_size]`, so the tokens are `size(2)`.",
            _cached_attention(frozenset({"seen_at_1", "mask_all_by_seen"})),
            other_forms=_each_mask("seen_at_1", "seen_at_3", "seen_at_0"),
        ),
        Mistake(
            "not_joined",
            "The positions go on, but new tokens see no cached keys and values: join old and new "
            "ones along the tokens.",
            alone=True,
        ),
        Mistake(
            "causal_flag",
            "Pieces of several tokens after a cache see only the oldest keys: `is_causal=True` (or "
            "`tril()`) starts in the upper left corner. The diagonal must end in the lower right.",
            points=3,
            section=RECTANGLE,
            alone=True,
        ),
        Mistake(
            "inverted",
            "The mask is inverted: what may be seen is hidden. `masked_fill` fills where the mask "
            "is True, so it needs what is *not* allowed; `scaled_dot_product_attention` needs what "
            "is.",
            other_forms=(_cached_attention(frozenset({"inverted", "fused"})),),
            section=CAUSAL,
            alone=True,
        ),
        Mistake(
            "zero_fill",
            "Hidden scores are set to 0, and e⁰ = 1: hidden tokens still get weight. Set them to "
            "−∞.",
            section=CAUSAL,
            alone=True,
        ),
        Mistake(
            "masked_after",
            "The mask comes after the softmax, so the weights that are left do not sum to 1. Hide "
            "the scores before it.",
            section=CAUSAL,
            alone=True,
        ),
        Mistake(
            "query_axis",
            "The softmax runs along another axis than the keys. For each query the weights of its "
            "*keys* sum to 1: `dim=-1`.",
            other_forms=(_cached_attention(frozenset({"head_axis"})),),
            alone=True,
        ),
        Mistake(
            "wrong_axis",
            "Old and new keys are joined along the wrong axis. They are "
            "`[batch, heads, tokens, head_size]`, and the tokens grow: `torch.cat(…, dim=2)`.",
            other_forms=_each_mask("wrong_axis", "joined_at_0", "joined_at_3"),
            alone=True,
        ),
        Mistake(
            "exchanged",
            "Keys and values change places on the way through the cache: it is read or returned as "
            "`(value, key)`. It is `(key, value)` on both ways.",
            _cached_attention(frozenset({"returned_exchanged"})),
            other_forms=(_cached_attention(frozenset({"read_exchanged"})),),
        ),
        Mistake(
            "same_part",
            "New keys and new values are joined with the same part of the cache. Keys stand in "
            "`cache[0]`, values in `cache[1]`.",
            _cached_attention(frozenset({"key_twice"})),
            other_forms=(_cached_attention(frozenset({"value_twice"})),),
        ),
        Mistake(
            "values_alone",
            "Only the keys, or only the values, are joined with those of the cache. Each query's "
            "weights are for all tokens so far, so both must hold all.",
            other_forms=_each_mask("values_alone", "keys_alone"),
            alone=True,
        ),
        Mistake(
            "old_returned",
            "With a cache the same cache comes back, without the new tokens. Return keys and "
            "values of all tokens so far.",
            alone=True,
        ),
        Mistake(
            "continues_itself",
            "With a cache the module goes on with keys and values that it has kept itself, not "
            "with what it is given: then one prompt cannot be continued twice.",
            _ContinuesItself,
            points=3,
        ),
        Mistake(
            "in_itself",
            "The module keeps a cache of its own and goes on with it, whatever it is given. A new "
            "text then sees the old one. Use what is given, return what it became.",
            _InItself,
            points=3,
        ),
        Mistake(
            "shared_list",
            "The cache that was given is changed. Then one prompt cannot be continued twice: join "
            "old and new into *new* tensors, in a new tuple.",
            _SharedList,
            points=3,
        ),
        Mistake(
            "tokens_first",
            "The cache has another layout: it must be `[batch, heads, tokens, head_size]`.",
            _TokensFirst,
            points=3,
        ),
        Mistake(
            "value_first",
            "The cache holds `(value, key)`; asked for is `(key, value)`.",
            _ValueFirst,
            points=3,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but no gradient comes back: `detach` or `no_grad` cuts the "
            "output off.",
            _NoGradient,
            points=3,
            equivalent=(_WithoutGradient,),
        ),
        Mistake(
            "detached_cache",
            "The outputs are right, but keys and values are cut off from autograd (`detach`) when "
            "they go into the cache: later tokens teach nothing to what earlier ones were read "
            "with.",
            _DetachedCache,
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
            _HeadsTogether,
            points=3,
        ),
    ),
)
