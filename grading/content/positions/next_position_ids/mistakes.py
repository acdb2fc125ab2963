"""The known mistakes of `next_position_ids`."""

from __future__ import annotations

from grading.content.common import changed_in_place, kept
from grading.content.positions.sections import MISTAKES
from grading.exercise import Mistake

_LONG = "attention_mask.long()"
_COUNT = "mask.cumsum(dim=-1) - 1"
_FILL = "ids.masked_fill(mask == 0, 0)"
_NEW = "ids[:, -new_tokens:]"


COMBINED = (
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
)

MISTAKES = (
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
                "(torch.arange(mask.size(1)) - (mask == 0).sum(dim=-1, keepdim=True)).clamp(min=0)",
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
)
