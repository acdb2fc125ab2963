"""Exercise 5 of assignment 5: the positions of new tokens, read from the mask of all tokens."""

from __future__ import annotations

import torch
from torch import Tensor

from grading.content.positions.sections import PADDED
from grading.exercise import Case, Part, Question
from solutions.positions import position_ids_of


def next_position_ids(attention_mask, new_tokens):
    """Return the positions of the last tokens, ``[batch, new_tokens]``."""
    mask = attention_mask.long()
    ids = mask.cumsum(dim=-1) - 1
    ids = ids.masked_fill(mask == 0, 0)
    return ids[:, -new_tokens:]


def _mask_of(rows: list[str]) -> Tensor:
    """Rows such as ``"..xx|x"``: x is a token, a dot is padding, the bar is for the reader."""
    return torch.tensor([[int(letter == "x") for letter in row if letter != "|"] for row in rows])


def _counted_cases(generator: torch.Generator) -> list[Case]:
    def left(batch, columns, full):
        """Padding on the left of all but one row, of different lengths."""
        lengths = torch.randperm(columns - 1, generator=generator)[:batch] + 1
        lengths[full] = 0
        return (torch.arange(columns) >= lengths.unsqueeze(1)).long()

    def case(title, part, mask, new_tokens, again=()):
        arguments = (("attention_mask", mask), ("new_tokens", new_tokens))
        return Case(title, part, arguments, again=again)

    def rows(*patterns):
        order = torch.randperm(len(patterns), generator=generator).tolist()
        return _mask_of([patterns[place] for place in order])

    def after(cached, new_tokens):
        return torch.cat([cached, torch.ones(cached.size(0), new_tokens, dtype=torch.long)], dim=1)

    return [
        case(
            "one new token after a cache, padding on the left",
            "core",
            after(left(4, 6, full=0), 1),
            1,
        ),
        case("three new tokens", "core", after(left(2, 5, full=-1), 3), 3),
        case(
            "padding between cache and new tokens",
            "core",
            # as many texts as tokens
            rows("x.x.|xx", "xxx.|xx", "x...|xx", ".x..|xx", "..x.|xx", "....|xx"),
            2,
        ),
        case("a batch of one, nothing padded", "core", torch.ones(1, 7, dtype=torch.long), 2),
        case("nothing cached, nothing padded", "core", torch.ones(2, 4, dtype=torch.long), 4),
        case(
            "called again, other padding",
            "core",
            after(rows(".xxxxx", "...xxx", "xxxx.."), 3),
            3,
            again=((after(rows("..xxxx", "xxxxxx", "xx...."), 3), 3),),
        ),
        case("nothing cached, padding on the left", "padding", left(3, 6, full=1), 6),
        case(
            "padding between the new tokens, and on their right",
            "padding",
            rows("..xx|xx..", ".xxx|xxx.", "xxxx|x.x."),
            4,
        ),
        case(
            "nothing cached, padding on both sides", "padding", rows(".xxx.", "..xx.", "xx..."), 5
        ),
        case("nothing but padding", "padding", rows("....", "...."), 3),
        case("one new token, padding in two rows", "padding", rows("xx.|.", "..x|x", "...|."), 1),
        case("a boolean mask", "padding", rows("x..x|xx", ".x.x|x.").bool(), 2),
        # float16 has no 2049, bfloat16 no 257, int8 no 128
        case("a long text", "padding", after(_mask_of(["..x.." + "x" * 2090]), 4), 4),
    ]


def _chapters_ids(attention_mask, new_tokens):
    ids = position_ids_of(attention_mask).masked_fill(attention_mask == 0, 0)
    return ids[:, attention_mask.size(1) - new_tokens :]


def _loop_counted(attention_mask, new_tokens):
    rows = []
    for row in attention_mask.tolist():
        ids, seen = [], 0
        for token in row:
            ids.append(seen if token else 0)
            seen += bool(token)
        rows.append(ids[len(ids) - new_tokens :])
    return torch.tensor(rows)


def _triangle_counted(attention_mask, new_tokens):
    mask = attention_mask.float()
    before = torch.ones(mask.size(1), mask.size(1)).triu(1)
    return ((mask @ before) * mask).long()[:, -new_tokens:]


def _two_pieces(attention_mask, new_tokens):
    cached, new = attention_mask.int().split(
        [attention_mask.size(1) - new_tokens, new_tokens], dim=1
    )
    ids = cached.sum(-1, keepdim=True) + new.cumsum(-1) - 1
    return torch.where(new.bool(), ids, 0)


def _nonzero_counted(attention_mask, new_tokens):
    ids = torch.zeros(attention_mask.shape, dtype=torch.int64)
    for b, row in enumerate(attention_mask):
        places = row.nonzero().squeeze(-1)
        ids[b, places] = torch.arange(len(places))
    return ids.narrow(1, ids.size(1) - new_tokens, new_tokens)


QUESTION = Question(
    id="next_position_ids",
    title="Where does the next token stand?",
    signature="next_position_ids(attention_mask, new_tokens)",
    reference=next_position_ids,
    cases=_counted_cases,
    parts=(
        Part("core", "the positions of new tokens after a padded cache", 2),
        Part("padding", "padding has position 0, wherever it stands", 1),
    ),
    minutes=10,
    difficulty=1,
    section=PADDED,
    alternatives={
        "the chapter's positions": _chapters_ids,
        "loop": _loop_counted,
        "a triangle": _triangle_counted,
        "cache and new tokens apart": _two_pieces,
        "indices of tokens": _nonzero_counted,
    },
)
