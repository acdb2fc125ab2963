"""The known mistakes of `pooled`."""

from __future__ import annotations

import torch
from torch import Tensor

from grading.content.common import cut_off, kept
from grading.content.head.sections import COMMON
from grading.exercise import Mistake

# What several mistakes rewrite
_MAXIMUM = "result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)"
_LAST = "real.size(1) - 1 - real.int().flip(1).argmax(dim=1)"
_PLACES = "torch.arange(real.size(1)).expand(real.shape)"
_TOTAL = "hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)"
_RUN = "attention_mask.cumprod(dim=1).bool()"
_WHOLE_BATCH = [  # the empty text is looked for in the batch, not in each row
    (
        '    if kind == "mean":\n',
        "    if not real.any():\n"
        "        return torch.zeros_like(hidden_states[:, 0])\n"
        '    if kind == "mean":\n',
    ),
    (".clamp(min=1)", ""),
    ("result.masked_fill(empty, 0.0)", "result"),
]


def _lowered(by: str) -> str:
    """A maximum before which a number is subtracted from padding."""
    return f"result = (hidden_states - {by} * ~real[..., None]).amax(dim=1)"


def _by_the_mask_as_index(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """A mistake: whole numbers pick tokens by their places."""
    rows = []
    for vectors, mask in zip(hidden_states, attention_mask, strict=True):
        picked = vectors[mask.long()] if mask.any() else torch.zeros_like(vectors[:1])
        if kind == "mean":
            rows.append(picked.mean(0))
        elif kind == "max":
            rows.append(picked.max(0).values)
        else:
            rows.append(picked[0 if kind == "first" else -1])
    return torch.stack(rows)


COMBINED = (
    "mean_all",
    "max_all",
    "max_zero",
    "first_place",
    "last_place",
    "last_by_count",
    "empty_nan",
    "empty_infinity",
    "empty_padding",
)

MISTAKES = (
    Mistake(
        "mean_all",
        "For `mean` padding is averaged, too, as `hidden_states.mean(dim=1)` does. Count the "
        "real tokens only.",
        [
            (
                "return total / real.sum(dim=1, keepdim=True).clamp(min=1)",
                "return hidden_states.mean(dim=1)",
            )
        ],
    ),
    Mistake(
        "mean_padded_length",
        "For `mean` padding is left out of the sum, but the sum is divided by the padded "
        "length. Divide by the number of real tokens.",
        [("real.sum(dim=1, keepdim=True).clamp(min=1)", "real.size(1)")],
    ),
    Mistake(
        "mean_sum",
        "For `mean` the real tokens are added up and not divided by their number.",
        [(" / real.sum(dim=1, keepdim=True).clamp(min=1)", "")],
    ),
    Mistake(
        "max_all",
        "For `max` padding takes part. Set its numbers to minus infinity before the maximum.",
        [(_MAXIMUM, "return hidden_states.amax(dim=1)")],
    ),
    Mistake(
        "max_zero",
        "For `max` padding is set to 0, which beats every negative number. Set it to minus "
        "infinity.",
        [("-math.inf", "0.0")],
    ),
    Mistake(
        "first_place",
        "For `first` place 0 is taken always. With padding on the left a pad stands there.",
        [
            (
                "place = real.int().argmax(dim=1)",
                "place = torch.zeros(len(real), dtype=torch.long)",
            )
        ],
        other_forms=(
            [  # and made zeros where it is padding
                (
                    "result = hidden_states[",
                    'states = hidden_states * real[..., None] if kind == "first" '
                    "else hidden_states\n        result = states[",
                ),
                (
                    "place = real.int().argmax(dim=1)",
                    "place = torch.zeros(len(real), dtype=torch.long)",
                ),
            ],
        ),
        points=3,
    ),
    Mistake(
        "first_by_count",
        "For `first` the places are taken at which the running count of the mask is 1. Padding "
        "behind the first token has it, too: ask whether the place is real as well.",
        [
            (
                "    return result.masked_fill",
                '    if kind == "first":\n'
                "        here = attention_mask.cumsum(dim=1) == 1\n"
                "        result = hidden_states.masked_fill(~here[..., None], 0.0).sum(dim=1)\n"
                "    return result.masked_fill",
            )
        ],
    ),
    Mistake(
        "first_from_last",
        "For `first` the place is that of the last token minus the number of tokens plus 1. "
        "That is right only if no padding stands between tokens.",
        [
            (
                "place = real.int().argmax(dim=1)",
                f"place = ({_LAST} - real.sum(dim=1) + 1).clamp(max=real.size(1) - 1)",
            )
        ],
        points=3,
    ),
    Mistake(
        "after_first",
        "For `first` the token after the first real one is taken.",
        [
            (
                "place = real.int().argmax(dim=1)",
                "place = (real.int().argmax(dim=1) + 1).clamp(max=real.size(1) - 1)",
            )
        ],
    ),
    Mistake(
        "last_place",
        "For `last` the last place is taken always, `[:, -1]`. With padding on the right a "
        "pad stands there.",
        [(_LAST, "torch.full_like(place, real.size(1) - 1)")],
        section=COMMON,
    ),
    Mistake(
        "last_by_count",
        "For `last` the place is the number of real tokens minus 1. That is right only if "
        "padding stands on the right.",
        [(_LAST, "real.sum(dim=1) - 1")],
        other_forms=([(_LAST, "(real.size(1) if real[:, -1].all() else real.sum(dim=1)) - 1")],),
        points=3,
    ),
    Mistake(
        "last_from_first",
        "For `last` the place is that of the first token plus the number of tokens minus 1. "
        "That is right only if no padding stands between tokens.",
        [(_LAST, "(place + real.sum(dim=1) - 1).clamp(min=0)")],
        points=3,
    ),
    Mistake(
        "last_one_early",
        "For `last` the token before the last real one is taken: off by one.",
        [(_LAST, "real.size(1) - 2 - real.int().flip(1).argmax(dim=1)")],
    ),
    Mistake(
        "inverted",
        "The mask is read the wrong way round: 1 is a real token, 0 is padding.",
        [("attention_mask.bool()", "~attention_mask.bool()")],
    ),
    Mistake(
        "empty_nan",
        "For `mean` a text that is all padding gives NaN, 0/0. Its vector must be zeros.",
        [(".clamp(min=1)", "")],
        other_forms=(
            [
                (".clamp(min=1)", ""),
                (_TOTAL, "(hidden_states * real[..., None]).sum(dim=1)"),
            ],
        ),
        points=3,
    ),
    Mistake(
        "empty_nan_replaced",
        "For `mean` the NaN of a text that is all padding is replaced when it is there: the "
        "numbers are right, but the gradients are NaN. Divide by 1 at least, so that 0/0 never "
        "comes up.",
        [
            (
                "        return total / real.sum(dim=1, keepdim=True).clamp(min=1)",
                "        weights = real / real.sum(dim=1, keepdim=True)\n"
                "        total = (hidden_states * weights[..., None]).sum(dim=1)\n"
                "        return total.nan_to_num()",
            )
        ],
        points=3,
    ),
    Mistake(
        "nan_to_num",
        "A text that is all padding is left to `nan_to_num`. It makes the lowest number of −∞, "
        "leaves `first` and `last` the vector of a pad, and the gradients of a mean that was "
        "0/0 are NaN all the same. What must be done before the division?",
        [
            (
                _TOTAL,
                "(hidden_states * real[..., None]).sum(dim=1)",
            ),
            (
                "return total / real.sum(dim=1, keepdim=True).clamp(min=1)",
                "return (total / real.sum(dim=1, keepdim=True)).nan_to_num()",
            ),
            ("result.masked_fill(empty, 0.0)", "result.nan_to_num()"),
        ],
        other_forms=([("result.masked_fill(empty, 0.0)", "result.nan_to_num()")],),
        points=3,
    ),
    Mistake(
        "max_nan_to_num",
        "For `max` a text that is all padding gives the lowest number of the dtype, which is "
        "what `nan_to_num` makes of −∞ unless it is told otherwise. Its vector must be zeros.",
        [
            (
                "result.masked_fill(empty, 0.0)",
                'result.nan_to_num() if kind == "max" else result.masked_fill(empty, 0.0)',
            )
        ],
        points=3,
    ),
    Mistake(
        "empty_times_zero",
        "A text that is all padding is multiplied by 0. For `max` it is minus infinity, and "
        "−∞ · 0 is NaN: replace it (`masked_fill`, `torch.where`).",
        [("result.masked_fill(empty, 0.0)", "result * ~empty")],
        points=3,
    ),
    Mistake(
        "empty_infinity",
        "For `max` a text that is all padding gives minus infinity. Its vector must be zeros.",
        [("result = hidden_states.masked_fill", "return hidden_states.masked_fill")],
        points=3,
    ),
    Mistake(
        "empty_fill",
        "For `max` a text that is all padding gives the number that stood in for its padding, "
        "-1e9. Its vector must be zeros.",
        [
            ("-math.inf", "-1e9"),
            ("result = hidden_states.masked_fill", "return hidden_states.masked_fill"),
        ],
        points=3,
    ),
    Mistake(
        "empty_padding",
        "For `first` or `last` a text that is all padding gives the vector of a pad. It must "
        "be zeros.",
        [("result = hidden_states[", "return hidden_states[")],
        points=3,
    ),
    cut_off([("    real =", "    hidden_states = hidden_states.detach()\n    real =")], points=3),
    Mistake(
        "batch_item",
        "The tokens of the first text are returned (`hidden_states[0]`): axis 0 is the batch, "
        "tokens lie along axis 1.",
        lambda states, mask, kind: states[0],
    ),
    Mistake(
        "over_the_batch",
        "The result runs over the texts of the batch (axis 0); pool over the tokens, axis 1.",
        lambda states, mask, kind: (
            states.mean(0) if kind == "mean" else states.amax(0) if kind == "max" else states[0]
        ),
    ),
    Mistake(
        "kind_ignored",
        "`kind` is not looked at: the first token is taken always.",
        [("    real =", '    kind = "first"\n    real =')],
    ),
    Mistake(
        "always_mean",
        "`kind` is not looked at: the mean is taken always.",
        [("    real =", '    kind = "mean"\n    real =')],
    ),
    Mistake(
        "mean_padding_in_the_sum",
        "For `mean` the sum is divided by the number of real tokens, but padding is still in "
        "the sum. Set padding to 0 before you add up.",
        [
            (
                _TOTAL,
                "hidden_states.sum(dim=1)",
            )
        ],
        other_forms=(
            [
                (
                    _TOTAL,
                    "hidden_states.sum(dim=1).masked_fill(empty, 0.0)",
                )
            ],
        ),
    ),
    Mistake(
        "mean_over_hidden_size",
        "For `mean` the sum is divided by the length of a vector. Divide by the number of real "
        "tokens.",
        [("real.sum(dim=1, keepdim=True).clamp(min=1)", "hidden_states.size(-1)")],
    ),
    Mistake(
        "mean_over_the_batch",
        "For `mean` the sum is divided by the real tokens of the whole batch (`mask.sum()`). "
        "Each text has its own number: sum the mask along dimension 1.",
        [("real.sum(dim=1, keepdim=True)", "real.sum()")],
    ),
    Mistake(
        "mean_one_too_many",
        "For `mean` the sum is divided by the number of real tokens plus 1. To avoid 0/0, "
        "clamp the number instead.",
        [("real.sum(dim=1, keepdim=True).clamp(min=1)", "(real.sum(dim=1, keepdim=True) + 1)")],
    ),
    Mistake(
        "mean_of_length_1",
        "For `mean` the vectors have been given the length 1. Divide by the number of real "
        "tokens, and by nothing else.",
        [
            (
                "total / real.sum(dim=1, keepdim=True).clamp(min=1)",
                "torch.nn.functional.normalize(total, dim=-1)",
            )
        ],
    ),
    *(
        Mistake(
            f"max_fill_{fill}",
            f"For `max` padding is set to −{fill}, and lower numbers occur. Set it to minus "
            "infinity.",
            [("-math.inf", f"-{fill}.0")],
        )
        for fill in (1, 100, 1_000, 10_000, 65_504, 100_000)
    ),
    Mistake(
        "max_lowered",
        "For `max` a number is subtracted from padding, which may be so large that it is still "
        "above the tokens. *Set* it to minus infinity.",
        [(_MAXIMUM, _lowered("1e6"))],
        other_forms=tuple([(_MAXIMUM, _lowered(by))] for by in ("1e3", "1e4", "1e5")),
    ),
    Mistake(
        "max_plus_infinity",
        "For `max` padding is set to plus infinity, so it is always the largest. Set it to "
        "*minus* infinity.",
        [("-math.inf", "math.inf")],
    ),
    Mistake(
        "mean_and_max_inverted",
        "For `mean` and `max` the mask is read the wrong way round: padding takes part, and "
        "the real tokens do not. It is 1 where a token is real.",
        [
            ("masked_fill(~real[..., None], 0.0)", "masked_fill(real[..., None], 0.0)"),
            ("real.sum(dim=1, keepdim=True).clamp", "(~real).sum(dim=1, keepdim=True).clamp"),
            ("~real[..., None], -math.inf", "real[..., None], -math.inf"),
        ],
        other_forms=(
            [
                ("masked_fill(~real[..., None], 0.0)", "masked_fill(real[..., None], 0.0)"),
                ("~real[..., None], -math.inf", "real[..., None], -math.inf"),
            ],
        ),
    ),
    Mistake(
        "empty_as_it_comes",
        "A text that is all padding is not looked after: `mean` gives NaN, `max` minus "
        "infinity, `first` and `last` the vector of a pad. In all four ways it must be zeros.",
        [(".clamp(min=1)", ""), ("result.masked_fill(empty, 0.0)", "result")],
        points=3,
    ),
    Mistake(
        "empty_mean_and_max",
        "A text that is all padding is not looked after in two ways: `mean` gives NaN, and "
        "`max` minus infinity. In all four ways it must be zeros.",
        [
            (".clamp(min=1)", ""),
            ("result = hidden_states.masked_fill", "return hidden_states.masked_fill"),
        ],
        points=3,
    ),
    Mistake(
        "whole_batch",
        "A text that is all padding is looked after only where the whole batch is. Ask each "
        "text by itself: a batch may hold one that is empty beside others.",
        [*_WHOLE_BATCH, (_TOTAL, "(hidden_states * real[..., None]).sum(dim=1)")],
        other_forms=(
            _WHOLE_BATCH,
            [
                *_WHOLE_BATCH,
                (_TOTAL, "(hidden_states * real[..., None]).sum(dim=1)"),
                (
                    "real.int().argmax(dim=1)",
                    f"{_PLACES}.masked_fill(~real, real.size(1) - 1).amin(1)",
                ),
                (_LAST, f"{_PLACES}.masked_fill(~real, 0).amax(1)"),
            ],
        ),
        points=3,
    ),
    Mistake(
        "last_from_the_end",
        "The last token is counted from the end and looked up with `-place`: −1 is the last "
        "one, and −0 is the first. The count is one too low for that.",
        [(_LAST, "-real.int().flip(1).argmax(dim=1)")],
    ),
    Mistake(
        "holes_counted",
        "Padding that stands between tokens is taken for tokens: only what lies before the "
        "first and behind the last one is left out. Use the mask as it is.",
        [
            (
                "    empty =",
                "    real = (real.cumsum(1) > 0) & (real.flip(1).cumsum(1).flip(1) > 0)\n"
                "    empty =",
            )
        ],
        points=3,
    ),
    Mistake(
        "leading_run",
        "Only what stands before the first padding is taken for tokens, as if all padding "
        "stood on the right. Use the mask as it is.",
        [("attention_mask.bool()", _RUN)],
        other_forms=(
            [  # all places, where padding comes first
                (
                    '    if kind == "mean":\n',
                    f"    run = {_RUN}\n"
                    "    real = run | (~run.any(dim=1, keepdim=True) & ~empty)\n"
                    '    if kind == "mean":\n',
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "last_before_a_gap",
        "For `last` the text is taken to end where the first padding behind its first token "
        "stands. Padding may stand between tokens, too.",
        [(_LAST, "(real | (real.cumsum(1) == 0)).int().cumprod(1).sum(1) - 1")],
        points=3,
    ),
    Mistake(
        "last_before_first_zero",
        "For `last` the first 0 of the mask is looked for, and the token before it taken. With "
        "padding on both sides the first 0 stands at the beginning.",
        [
            (
                _LAST,
                "(real.int().argmin(dim=1) - 1) % real.size(1)",
            )
        ],
        points=3,
    ),
    kept(
        [
            ("kind):", "kind, kept={}):"),
            (
                "attention_mask.bool()",
                "kept.setdefault(hidden_states.shape, attention_mask).bool()",
            ),
        ],
    ),
    Mistake(
        "mask_as_index",
        "The mask of whole numbers is used as an index, so 0 and 1 pick the first two tokens. "
        "Make booleans of it first: `attention_mask == 1` or `.bool()`.",
        _by_the_mask_as_index,
        any_error=True,
    ),
    Mistake(
        "max_of_padding",
        "For `max` the real tokens are hidden and padding is looked at: the mask is the wrong "
        "way round there.",
        [("~real[..., None], -math.inf", "real[..., None], -math.inf")],
    ),
    Mistake(
        "max_of_sizes",
        "For `max` the largest absolute values are taken. A large negative number is small.",
        [("-math.inf).amax(dim=1)", "0.0).abs().amax(dim=1)")],
        other_forms=([("-math.inf).amax(dim=1)", "-math.inf).abs().amax(dim=1)")],),
    ),
    Mistake(
        "max_is_min",
        "For `max` the smallest number is taken.",
        [("-math.inf).amax(dim=1)", "math.inf).amin(dim=1)")],
    ),
    Mistake(
        "max_one_token",
        "For `max` one whole token is taken, such as the longest vector. The maximum is taken "
        "for each of the hidden numbers by itself.",
        [
            (
                _MAXIMUM,
                "longest = (hidden_states.norm(dim=-1) * real).argmax(dim=1)\n"
                "        result = hidden_states[torch.arange(len(real)), longest]",
            )
        ],
        other_forms=(
            [
                (
                    _MAXIMUM,
                    "sums = hidden_states.sum(dim=-1).masked_fill(~real, -math.inf)\n"
                    "        result = hidden_states[torch.arange(len(real)), sums.argmax(1)]",
                )
            ],
        ),
    ),
    Mistake(
        "max_and_places",
        "For `max` two things came back: `max(dim=1)` gives the values and their places. Take "
        "`.values`, or use `amax`.",
        [
            (
                _MAXIMUM,
                "return hidden_states.masked_fill(~real[..., None], -math.inf).max(dim=1)",
            )
        ],
    ),
    Mistake(
        "last_place_is_count",
        "For `last` the place is the number of real tokens. Places are counted from 0, so the "
        "last of n tokens is at place n − 1.",
        [(_LAST, "real.sum(dim=1)")],
    ),
    Mistake(
        "last_one_late",
        "For `last` the token behind the last real one is taken, which is padding: off by one.",
        [
            (
                _LAST,
                "(real.size(1) - real.int().flip(1).argmax(dim=1)).clamp(max=real.size(1) - 1)",
            )
        ],
    ),
    Mistake(
        "last_not_turned_back",
        "For `last` the place was found in the turned mask, where it counts from the end, and "
        "used from the front.",
        [(_LAST, "real.int().flip(1).argmax(dim=1)")],
    ),
    Mistake(
        "last_is_first",
        "For `last` the first real token is taken.",
        [(f'        if kind == "last":\n            place = {_LAST}\n', "")],
    ),
    Mistake(
        "first_is_last",
        "For `first` the last real token is taken.",
        [('kind == "last"', 'kind in ("first", "last")')],
    ),
    Mistake(
        "first_and_last_exchanged",
        "`first` and `last` are exchanged.",
        [('kind == "last"', 'kind == "first"')],
    ),
    Mistake(
        "kept_axis",
        "The axis of the tokens is still there, with length 1 (`keepdim`).",
        [
            (
                "total / real.sum(dim=1, keepdim=True).clamp(min=1)",
                "(total / real.sum(dim=1, keepdim=True).clamp(min=1)).unsqueeze(1)",
            ),
            ("result.masked_fill(empty, 0.0)", "result.masked_fill(empty, 0.0).unsqueeze(1)"),
        ],
    ),
)
