"""Keys that come by once: attention over a stream of blocks, with an online softmax."""

from __future__ import annotations

import dataclasses
import math

import torch
from torch import Tensor

from grading.content.drawing import one_of
from grading.content.modern_decoder import harnesses
from grading.content.modern_decoder.sections import BLOCKS
from grading.content.modern_decoder.shared import normal
from grading.exercise import Case, Part, Question


def streamed_attention(query, blocks):
    """Attention over keys and values that come by once; output and log-sum-exp."""
    largest = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype)
    total = torch.zeros_like(largest)  # of e^(score - largest)
    weighted = 0.0  # of e^(score - largest) * value
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        new = torch.maximum(largest, scores.amax(-1))
        shift = new.masked_fill(new == -math.inf, 0.0)  # -inf - -inf would be NaN
        correction = (largest - shift).exp()
        parts = (scores - shift.unsqueeze(-1)).exp()
        total = total * correction + parts.sum(-1)
        weighted = weighted * correction.unsqueeze(-1) + parts @ value
        largest = new
    divisor = total.masked_fill(total == 0, 1.0)
    output = weighted / divisor.unsqueeze(-1)
    lse = largest + total.log()
    return output, lse


def _stream_cases(generator: torch.Generator) -> list[Case]:
    def integers(*shape, low=-2, high=3):
        return torch.randint(low, high, shape, generator=generator).float()

    def stream(sizes, shift=(), batch=2, heads=3, queries=5, integer=False, size=None):
        """A query and blocks; ``shift``: about how large the scores of each block are.

        With integers and a head size of 4 every score is exact in whatever order it is computed.
        """
        if integer:
            head_size = 4
            query = integers(batch, heads, queries, head_size)
            query[..., 0] = 2.0
            keys = [integers(batch, heads, n, head_size) for n in sizes]
            for key, level in zip(keys, shift, strict=True):
                key[..., 0] = level + integers(*key.shape[:-1])
        else:
            head_size = size or one_of(generator, 6, 7)
            query = normal(generator, batch, heads, queries, head_size)
            keys = [normal(generator, batch, heads, n, head_size) for n in sizes]
        values = [normal(generator, batch, heads, n, size or 8) for n in sizes]
        return [("query", query), ("keys", keys), ("values", values)]

    def masks(sizes, hidden, batch=2, queries=5):
        """Drawn masks; ``hidden[n]``: the queries that see nothing of block n, in the first row.

        With ``None`` it's no query of any row.
        """
        drawn: list[Tensor | None] = []
        for number, size in enumerate(sizes):
            mask = torch.rand(batch, 1, queries, size, generator=generator) < 0.7
            mask[..., 0] = True
            if hidden.get(number, ()) is None:
                mask[:] = False
            else:
                mask[0, :, list(hidden.get(number, ()))] = False
            drawn.append(mask)
        return drawn

    def case(title, part, sizes, hidden=None, without=(), **options):
        arguments = stream(sizes, **options)
        if hidden is not None:
            batch, _, queries, _ = arguments[0][1].shape
            found = masks(sizes, hidden, batch, queries)
            found = [None if n in without else mask for n, mask in enumerate(found)]
            arguments.append(("masks", found))
        return Case(title, part, tuple(arguments), harness=harnesses.streamed)

    def far(title, *shift, hidden=None, part="large", batch=1):
        sizes = [4, 3, 6, 2][: len(shift)] if part == "large" else [14, 9, 26]
        return case(title, part, sizes, hidden, shift=shift, integer=True, batch=batch)

    def levelled(drawn, level):
        """The same, with the scores of hidden keys about ``level`` higher.

        The same keys are hidden from all queries, of each block one or more, but not all.
        """
        (_, keys), (_, masks) = drawn.arguments[1], drawn.arguments[3]
        for key, mask in zip(keys, masks, strict=True):
            mask[:] = torch.arange(mask.size(-1)) % 2 == 1
            key[..., 0] += level * ~mask[:, :, 0]
        return drawn

    def far_above(drawn):
        """The same, with scores of −16 and −15.5, and hidden ones of 88.5.

        They are so far apart that e^(−15.5 − 88.5) is 0. But e^88.5 is finite, and the sum of the
        others' e^score above 1e-6: without a maximum, or with one of 0, they are still right.
        """
        (_, query), (_, keys), _, (_, masks) = drawn.arguments
        query[..., 1:] = 0.0  # the score is the key's first number
        for key, mask in zip(keys, masks, strict=True):
            mask[:] = torch.arange(mask.size(-1)) % 2 == 0
            seen = -16 + integers(*key.shape[:-1], low=0, high=2) / 2
            key[..., 0] = torch.where(mask[:, :, 0], seen, torch.tensor(88.5))
        return drawn

    size = one_of(generator, 2, 3)
    again = case("called again with other numbers", "core", [3, 1, 4], batch=4)
    other = tuple(value for _, value in stream([3, 1, 4], batch=4))
    while other[0].shape != again.arguments[0][1].shape:
        other = tuple(value for _, value in stream([3, 1, 4], batch=4))
    nothing = {n: (1, 3) for n in range(3)}
    # Scores around +100 and around −100 in turns, along each axis: no maximum fits two queries.
    apart = far("queries far apart", 100, 100, 100, batch=2)
    query = apart.arguments[0][1]
    turns = sum(torch.meshgrid(*map(torch.arange, query.shape[:-1]), indexing="ij"))
    query[..., 0] *= 1 - 2 * (turns % 2)
    some = case("masks for some blocks", "hidden", [4, 4, 2, 5], {0: (2,)}, without=(1, 3))
    found = some.arguments[3][1]
    found[0][-1] = found[2][0] = True  # one row of the batch sees all of a block, another doesn't
    found[2][-1, ..., 1] = False
    empty = case("queries that see nothing at all, then all of them", "hidden", [3, 1, 4], nothing)
    empty.arguments[0][1][:, :, 0] = 0.0  # the scores of this one, which sees something, are all 0
    one, *rest = empty.arguments[3][1]
    one[:, :, 0, 1:] = False  # it sees one key of the first block, so the lse so far is 0
    for mask in rest:  # and in the second text none of later blocks
        mask[1, :, 0] = False
    *given, seen = [value for _, value in empty.arguments]
    blind = *given, [torch.zeros_like(mask) for mask in seen]
    return [
        case("one block, all sizes are equal", "core", [3], batch=3, queries=3, size=3),
        case("blocks of one key", "core", [1] * 5),
        case("blocks of different sizes", "core", [size, 6, 1, 4]),
        case("a batch of one, one query, one head", "core", [4, 2, 3], batch=1, heads=1, queries=1),
        Case(again.title, "core", again.arguments, harness=again.harness, again=(other,)),
        far_above(far("masks, hidden scores far above", 0, 0, 0, hidden={}, part="hidden")),
        some,
        case(
            "no mask for the first block",
            "hidden",
            [3, 4, 2],
            {1: range(5), 2: range(5)},
            without=(0,),
        ),
        case("queries that see nothing of the first block", "hidden", [3, 4, 2], {0: (0, 3)}),
        case(
            "a block hidden from all; queries that see nothing later on",
            "hidden",
            [4, 2, 3, 4],
            {1: None, 2: (0, 4), 3: (1,)},
        ),
        dataclasses.replace(empty, again=(blind,)),
        far("scores that rise from −200 to 200", -200, -60, 90, 200),
        far("scores that fall from 200 to −200", 200, 60, -90, -200),
        far("scores around −200 alone", -200, -200, -198),
        levelled(far("scores around −200, hidden ones lower", -200, -200, -200, hidden={}), -40),
        apart,
        dataclasses.replace(
            far("scores around −200, after a block that is hidden", -200, -199, hidden={0: (1, 3)}),
            harness=harnesses.streamed_small,
        ),
    ]


def _by_merging(query, blocks):
    """Each block by itself, merged with what came before by the log-sum-exps."""
    output = lse = None
    for key, value, mask in blocks:
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.size(-1) ** -0.5
        if mask is not None:
            scores = torch.where(mask, scores, -math.inf)
        mine = scores.softmax(-1).nan_to_num(0.0) @ value
        my_lse = scores.logsumexp(-1)
        if output is None:
            output, lse = mine, my_lse
            continue
        both = torch.stack([lse, my_lse])
        share = both.softmax(0).nan_to_num(0.0)[..., None]
        output, lse = share[0] * output + share[1] * mine, both.logsumexp(0)
    return output, lse


def _by_copies(query, blocks):
    """Blocks are copied, as they must be, and attended to all at once."""
    scores, values = [], []
    for key, value, mask in blocks:
        score = query.double() @ key.double().mT / query.shape[-1] ** 0.5
        scores.append(score if mask is None else score.masked_fill(mask.logical_not(), -math.inf))
        values.append(value.clone())
    scores = torch.cat(scores, dim=-1)
    lse = scores.logsumexp(dim=-1, keepdim=True)
    weights = (scores - lse.clamp(min=-1e30)).exp()
    return (weights @ torch.cat(values, dim=-2).double()).float(), lse.squeeze(-1).float()


def _by_loops(query, blocks):
    """Key by key; the output is kept divided, and a lowest score stands for nothing."""
    batch, heads, queries, size = query.shape
    lse = torch.full((batch, heads, queries), -math.inf)
    output = None
    for key, value, mask in blocks:
        if output is None:
            output = torch.zeros(batch, heads, queries, value.size(-1))
        for place in range(key.size(2)):
            score = (query * key[:, :, place, None]).sum(-1) / math.sqrt(size)
            if mask is not None:
                score = score.masked_fill(~mask[..., place], -math.inf)
            joined = torch.logaddexp(lse, score)
            share = (score - joined).exp().nan_to_num(0.0)[..., None]
            output = output + share * (value[:, :, place, None] - output)
            lse = joined
    return output, lse


QUESTION = Question(
    id="streamed_attention",
    title="Keys that come by once",
    signature="streamed_attention(query, blocks)",
    reference=streamed_attention,
    cases=_stream_cases,
    parts=(
        Part("core", "blocks without masks", 2),
        Part("hidden", "masks, and queries that see nothing", 1),
        Part("large", "very large and very small scores", 1),
    ),
    minutes=25,
    difficulty=3,
    section=BLOCKS,
    tolerance=1e-4,
    draws=3,
    alternatives={
        "blocks merged by log-sum-exp": _by_merging,
        "copies of all blocks": _by_copies,
        "key by key": _by_loops,
    },
)
