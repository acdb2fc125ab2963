"""A layer that remembers: attention whose keys and values are kept for the tokens to come."""

from __future__ import annotations

import functools
import math

import torch
import torch.nn.functional as F
from torch import nn

from grading.content.decoder import harnesses
from grading.content.decoder.sections import CACHE
from grading.content.decoder.shared import normal
from grading.content.drawing import draw_integer
from grading.exercise import Case, Part, Question


class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        """Map new tokens to vectors of the same size; return these and the longer cache."""
        batch, new, hidden = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        positions = torch.arange(seen, seen + new)
        states = x + self.positions(positions)
        packed = self.query_key_value(states).unflatten(-1, (3, self.num_heads, -1))
        query, key, value = packed.permute(2, 0, 3, 1, 4)  # [batch, heads, new, head_size]
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        keys = key.size(2)
        allowed = torch.ones(new, keys, dtype=torch.bool).tril(keys - new)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        scores = scores.masked_fill(~allowed, -math.inf)
        weights = scores.softmax(-1)  # [batch, heads, new, keys]
        context = weights @ value
        context = context.transpose(1, 2).reshape(batch, new, hidden)
        return self.output(context), (key, value)


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

    def case(
        title,
        part,
        harness,
        *rest,
        batch=2,
        tokens=(7,),
        small=False,
        one=False,
        square=False,
        alone=False,
    ):
        heads, head_size = ((2, 3), (3, 2), (2, 4))[draw_integer(generator, 0, 2)]
        if one or square:
            heads, head_size = 3 if square else 1, 1
        if small:
            heads, head_size = 2, 3
        hidden, places = heads * head_size, 6 if small else max(12, tokens[0])
        places = tokens[0] if alone else places
        batch = batch if batch == 1 or square else 5 - heads  # never the number of heads
        texts = [
            (name, normal(generator, batch, length, hidden, size=0.9))
            for name, length in zip(("x", "one", "other"), tokens, strict=False)
        ]
        arguments = [("init", [hidden, heads, places]), ("state", weights(hidden, places))]
        if alone:
            rest = (*rest, ("other_init", [hidden, 1, places]))
        return Case(title, part, (*arguments, *texts, *rest), harness=harness)

    def called_again():
        hidden, heads, places = 8, 2, 12
        values = (
            ("init", [hidden, heads, places]),
            ("state", weights(hidden, places)),
            ("x", normal(generator, 3, 6, hidden, size=0.9)),
            ("other", normal(generator, 3, 6, hidden, size=0.9)),
            ("pieces", [4, 1, 1]),
            ("other_init", [hidden, 4, 7]),
            ("others", weights(hidden, 7)),
        )
        title = "called again, and another layer"
        return Case(title, "kept", values, harness=harnesses.layers_again, repeats=True)

    def pieces(*sizes):
        return ("pieces", list(sizes))

    several, evaluated = harnesses.read_in_pieces, harnesses.evaluate_in_pieces
    first = draw_integer(generator, 2, 3)
    return [
        case("all sizes are equal", "core", several, pieces(3), batch=3, tokens=(3,), square=True),
        case("one of everything", "core", several, pieces(1), batch=1, tokens=(1,), one=True),
        case("a prompt, then token by token", "core", several, pieces(first, *[1] * (7 - first))),
        case("token by token from the beginning", "core", several, pieces(1, 1, 1, 1), tokens=(4,)),
        case("a text as long as `max_positions`", "core", several, pieces(12), tokens=(12,)),
        case("pieces up to `max_positions`", "pieces", evaluated, pieces(5, 9), tokens=(14,)),
        case("pieces of several tokens", "pieces", evaluated, pieces(first, 2, 5 - first)),
        case("one token, then a long piece", "pieces", evaluated, pieces(1, 6)),
        case("pieces, a batch of one", "pieces", evaluated, pieces(4, 3), batch=1),
        case(
            "the cache itself, and that of a single head",
            "kept",
            harnesses.cache_after,
            pieces(3, 1, 1),
            tokens=(5,),
            alone=True,
        ),
        called_again(),
        case(
            "two texts, and two continuations of the first",
            "kept",
            harnesses.continue_twice,
            tokens=(3, 1, 1),
        ),
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


class _InDoubles(_ByLoops):
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


QUESTION = Question(
    id="CachedAttention",
    title="A layer that remembers",
    signature="class CachedAttention(hidden_size, num_heads, max_positions)",
    reference=CachedAttention,
    cases=_cached_cases,
    parts=(
        Part("core", "the whole text, and token by token", 2),
        Part("pieces", "pieces of any size", 1),
        Part("kept", "the cache belongs to the caller; gradients", 1),
    ),
    minutes=25,
    difficulty=3,
    section=CACHE,
    alternatives={
        "fused": _ByLibrary,
        "loops": _ByLoops,
        "float64": _InDoubles,
    },
)
