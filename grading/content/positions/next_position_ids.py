"""Exercise 5 of assignment 5: the positions of new tokens, read from the mask of all tokens."""

from __future__ import annotations

import torch
from torch import Tensor

from grading.content.common import changed_in_place, kept
from grading.content.positions.sections import MISTAKES, PADDED
from grading.exercise import Case, Exercise, Mistake, Part
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


_LONG = "attention_mask.long()"
_COUNT = "mask.cumsum(dim=-1) - 1"
_FILL = "ids.masked_fill(mask == 0, 0)"
_NEW = "ids[:, -new_tokens:]"

EXERCISE = Exercise(
    id="next_position_ids",
    title="Where does the next token stand?",
    signature="next_position_ids(attention_mask, new_tokens)",
    reference=next_position_ids,
    combined=(
        "from_one",
        "new_only",
        "first_columns",
        "all_columns",
        "last_column",
        "over_batch",
        "padding_minus_one",
        "padding_one",
        "padding_kept",
        "padding_untouched",
        "int32",
    ),
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
    mistakes=(
        Mistake(
            "from_one",
            "The first real token has position 1; positions are counted from 0.",
            [(" - 1", "")],
        ),
        Mistake(
            "new_only",
            "Only the new columns of the mask are counted, so each call starts again at 0: the "
            "tokens in the cache are forgotten.",
            [(_LONG, "attention_mask[:, -new_tokens:].long()")],
            section=MISTAKES,
        ),
        Mistake(
            "first_columns",
            "These are the positions of the first columns; the new tokens are the last ones.",
            [("[:, -new_tokens:]", "[:, :new_tokens]")],
        ),
        Mistake(
            "all_columns",
            "All columns came back; asked for are those of the new tokens.",
            [("[:, -new_tokens:]", "")],
        ),
        Mistake(
            "last_column",
            "Only the position of the last token came back; asked for are those of all new tokens.",
            [("[:, -new_tokens:]", "[:, -1:]")],
            other_forms=(
                [("[:, -new_tokens:]", "[:, -1 if mask.size(1) > new_tokens else 0 :]")],
                [("[:, -new_tokens:]", "[:, -1]")],
            ),
        ),
        Mistake(
            "first_row",
            "Every sentence gets the positions of the first one.",
            [(_LONG, "attention_mask[:1].expand_as(attention_mask).long()")],
        ),
        Mistake(
            "from_the_end",
            "The tokens are counted from the end; the first token has position 0.",
            [("mask.cumsum(dim=-1)", "mask.flip(-1).cumsum(dim=-1).flip(-1)")],
        ),
        Mistake(
            "over_batch",
            "The running sum goes over the batch (`dim=0`); it must go along each row, `dim=-1`.",
            [("dim=-1", "dim=0")],
        ),
        Mistake(
            "through_the_batch",
            "The count runs on from row to row, as over a mask that is flattened. Each row begins "
            "with 0 by itself: `cumsum(dim=-1)`.",
            [("mask.cumsum(dim=-1)", "mask.flatten().cumsum(dim=0).view(mask.shape)")],
        ),
        Mistake(
            "padding_minus_one",
            "Padding has position −1, which is no row of any table; it must be 0.",
            [("mask == 0, 0", "mask == 0, -1")],
            points=2,
        ),
        Mistake(
            "padding_one",
            "Padding has position 1, as in some of Hugging Face's code; here it must be 0.",
            [("mask == 0, 0", "mask == 0, 1")],
            points=2,
        ),
        Mistake(
            "padding_kept",
            "Padding *after* a token has that token's position (`clamp` sees only what is below "
            "0); it must be 0 everywhere.",
            [(_FILL, "ids.clamp(min=0)")],
            points=2,
        ),
        Mistake(
            "padding_untouched",
            "The running sum minus one is returned as it is: padding has −1 before the first token "
            "and the last token's position after it; it must be 0.",
            [(f"    ids = {_FILL}\n", "")],
            points=2,
        ),
        Mistake(
            "stops_at_padding",
            "Among the new columns the count ends at the first padding, and tokens after it have "
            "position 0, too. Count on: tokens may follow.",
            [(_NEW, f"{_NEW} * mask[:, -new_tokens:].cumprod(dim=-1)")],
            points=2,
        ),
        Mistake(
            "gaps_in_the_cache",
            "The cached tokens are taken for one run, from the first to the last, and padding "
            "between them is counted. Padding isn't counted, wherever it is.",
            [
                (
                    "    ids = mask.cumsum(dim=-1) - 1",
                    "    cached = mask[:, :-new_tokens]\n"
                    "    to_come = cached.flip(-1).cumsum(-1).flip(-1)\n"
                    "    run = (cached.cumsum(-1) * to_come).clamp(max=1)\n"
                    "    ids = torch.cat([run, mask[:, -new_tokens:]], dim=-1).cumsum(dim=-1) - 1",
                )
            ],
        ),
        Mistake(
            "gaps_among_the_new",
            "The new columns are numbered one after the other from their first real token on, and "
            "padding between them is counted. Padding isn't counted, wherever it is.",
            [
                (
                    "    ids = mask.cumsum(dim=-1) - 1",
                    "    begun = mask[:, -new_tokens:].cumsum(-1).clamp(max=1)\n"
                    "    ids = torch.cat([mask[:, :-new_tokens], begun], dim=-1).cumsum(-1) - 1",
                )
            ],
            points=2,
        ),
        Mistake(
            "before",
            "Real tokens are right, but padding has the position of the token that comes next; it "
            "must be 0.",
            [(_COUNT, "mask.cumsum(dim=-1) - mask"), (f"    ids = {_FILL}\n", "")],
            points=2,
        ),
        Mistake(
            "floating",
            "Positions must be whole numbers (int64): they are used as indices of a table.",
            [(_NEW, f"{_NEW}.float()")],
        ),
        Mistake(
            "columns",
            "These are the numbers of the columns. Padding on the left counts as if it were "
            "tokens; count only where the mask is 1.",
            [(_COUNT, "torch.arange(mask.size(1)).expand_as(mask)"), (f"    ids = {_FILL}\n", "")],
        ),
        Mistake(
            "columns_zeroed",
            "These are the numbers of the columns, with padding set to 0. Padding on the left "
            "still pushes the tokens to the right; count only where the mask is 1.",
            [(_COUNT, "torch.arange(mask.size(1)).expand_as(mask)")],
        ),
        Mistake(
            "from_zero",
            "The new tokens are numbered 0, 1, 2, …, as if nothing stood before them.",
            [(_NEW, "torch.arange(new_tokens).expand(mask.size(0), -1)")],
            section=MISTAKES,
        ),
        Mistake(
            "real_tokens_minus_new",
            "The new columns are numbered one after the other so that the last one has the last "
            "token's position, as if all of them held tokens; padding among them makes it wrong.",
            [(_NEW, "mask.sum(dim=-1, keepdim=True) - new_tokens + torch.arange(new_tokens)")],
            points=2,
        ),
        Mistake(
            "cached_plus_columns",
            "The number of cached tokens is right, but the new columns are numbered one after the "
            "other, padding or not; count only where the mask is 1.",
            [(_NEW, "mask[:, :-new_tokens].sum(dim=-1, keepdim=True) + torch.arange(new_tokens)")],
            other_forms=(
                [
                    (
                        _NEW,
                        "(mask[:, :-new_tokens].sum(-1, True) + torch.arange(new_tokens)) "
                        "* mask[:, -new_tokens:]",
                    )
                ],
            ),
            points=2,
        ),
        Mistake(
            "real_tokens_minus_new_clamped",
            "The columns are numbered one after the other and the row's padding is subtracted, "
            "with nothing below 0. Padding after a token makes that wrong, and gets no 0 itself.",
            [
                (
                    f"    return {_NEW}",
                    "    first = mask.sum(dim=-1, keepdim=True) - new_tokens\n"
                    "    return (first + torch.arange(new_tokens)).clamp(min=0)",
                )
            ],
            points=2,
        ),
        Mistake(
            "all_padding_subtracted",
            "From each column all padding of the row is subtracted, that on its right as well; "
            "only what stands before a token pushes it to the right.",
            [
                (
                    _COUNT,
                    "(torch.arange(mask.size(1)) - (mask == 0).sum(dim=-1, keepdim=True))"
                    ".clamp(min=0)",
                )
            ],
            points=2,
        ),
        Mistake(
            "padding_summed",
            "The running sum goes over mask − 1, so it counts the padding, downwards; count the "
            "tokens first, and subtract 1 from the sum.",
            [(_COUNT, "(mask - 1).cumsum(dim=-1)")],
        ),
        Mistake(
            "reversed_count",
            "The tokens are counted from the right, and come back in that order; the first token "
            "of a row has position 0.",
            [(_LONG, "attention_mask.flip(-1).long()")],
        ),
        kept(
            [
                ("new_tokens):", "new_tokens, kept={}):"),
                (_LONG, "kept.setdefault(attention_mask.shape, attention_mask).long()"),
            ],
        ),
        Mistake(
            "after_the_first_token",
            "The columns are counted from the first real token on, so padding that comes after it "
            "is counted as well.",
            [
                (_COUNT, "torch.arange(mask.size(1)) - mask.argmax(dim=-1, keepdim=True)"),
                (_FILL, "ids.clamp(min=0)"),
            ],
            other_forms=(
                [
                    (
                        _COUNT,
                        "torch.arange(mask.size(1))\\\n"
                        "        - (mask.cumsum(dim=-1) == 0).sum(dim=-1, keepdim=True)",
                    ),
                    (_FILL, "ids.clamp(min=0)"),
                ],
            ),
        ),
        Mistake(
            "after_the_first_token_zeroed",
            "The columns are counted from the first real token on, so padding that comes after it "
            "is counted as well, though it gets 0 itself.",
            [(_COUNT, "torch.arange(mask.size(1)) - mask.argmax(dim=-1, keepdim=True)")],
        ),
        Mistake(
            "last_for_all",
            "All new tokens of a row get one position, that of its last token. Count along the row "
            "(`cumsum`) instead of adding it up (`sum`).",
            [(_COUNT, "mask.sum(dim=-1, keepdim=True) - 1")],
        ),
        Mistake(
            "one_too_low",
            "The positions are one too low: the running sum counts a token itself, so subtract 1, "
            "and no more.",
            [(_COUNT, "(mask.cumsum(dim=-1) - 2).clamp(min=0)")],
        ),
        Mistake(
            "cached_columns",
            "All columns of the cache are counted as tokens, its padding as well.",
            [(_LONG, f"{_LONG}.clone()\n    mask[:, :-new_tokens] = 1")],
        ),
        Mistake(
            "longest_row",
            "All sentences continue after the longest one; each has its own number of tokens.",
            [
                (
                    f"    return {_NEW}",
                    "    longest = mask[:, :-new_tokens].sum(dim=-1).max()\n"
                    "    return (longest + torch.arange(new_tokens)).expand(mask.size(0), -1)",
                )
            ],
        ),
        Mistake(
            "padding_counted",
            "The padding is counted instead of the tokens: the mask is used the wrong way round.",
            [(_LONG, f"1 - {_LONG}")],
        ),
        Mistake(
            "int32",
            "The positions come back as int32; ids are int64 (`long`).",
            [(_NEW, f"{_NEW}.int()")],
        ),
        Mistake(
            "dtype_of_the_mask",
            "The positions come back in the dtype of the mask, so those of a boolean mask are "
            "True and False. They are int64, whatever the mask is.",
            [(_NEW, f"{_NEW}.to(attention_mask.dtype)")],
            points=2,
        ),
        Mistake(
            "counted_in_half",
            "Tokens are counted in a dtype that cannot count so far: `bfloat16` has no 257, "
            "`float16` no 2049, `int8` no 128. Count in `int64`.",
            [("mask.cumsum(dim=-1) - 1", "mask.bfloat16().cumsum(dim=-1).long() - 1")],
            other_forms=(
                [("mask.cumsum(dim=-1) - 1", "mask.half().cumsum(dim=-1).long() - 1")],
                [("mask.cumsum(dim=-1) - 1", "(mask.half().cumsum(dim=-1) - 1).long()")],
                [("mask.cumsum(dim=-1) - 1", "(mask.bfloat16().cumsum(dim=-1) - 1).long()")],
                [
                    (
                        "mask.cumsum(dim=-1) - 1",
                        "mask.cumsum(dim=-1, dtype=torch.int8).long() - 1",
                    )
                ],
            ),
            points=2,
        ),
        Mistake(
            "boolean_fails",
            "It fails on a mask of booleans; convert the mask first, `attention_mask.long()`.",
            [(_LONG, "attention_mask"), ("mask == 0", "1 - mask == 1")],
            points=2,
            any_error=True,
        ),
        changed_in_place(
            "attention_mask",
            [("return ids", "attention_mask.copy_(ids)\n    return ids")],
            "in_place",
            other_forms=([(_NEW, "attention_mask.copy_(ids)[:, -new_tokens:].long()")],),
        ),
    ),
)
