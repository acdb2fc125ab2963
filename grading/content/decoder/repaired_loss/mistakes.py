"""The known mistakes of `repaired_loss`."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import torch.nn.functional as F

from grading.content.common import changed_in_place, cut_off, kept_name
from grading.content.decoder.sections import SHIFT
from grading.exercise import Mistake, still_there


def _flattened_first(logits, input_ids, attention_mask):
    real = attention_mask.flatten() != 0
    counts = real[1:] & real[:-1]
    losses = F.cross_entropy(logits.flatten(0, 1)[:-1], input_ids.flatten()[1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)


_BUGS = {  # why it is one, and how it comes back
    "wrong_way": (
        "it is shifted the wrong way, so the logits at a token are judged by the token *before* it",
        [
            ("logits[:, :-1]", "logits[:, 1:]"),
            ("input_ids[:, 1:]", "input_ids[:, :-1]"),
            ("real[:, :-1], real[:, 1:]", "real[:, 1:], real[:, :-1]"),
        ],
    ),
    "by_id": (
        "the id 0 is taken for padding, but 0 also ends each text, and the end must be learned: "
        "what counts is said by `attention_mask` alone",
        [("asking & asked", "targets != 0")],
    ),
    "reshaped": (
        "`reshape` does not move the vocabulary to axis 1, it mixes the numbers: use "
        "`transpose(1, 2)`, or flatten batch and tokens",
        [
            ("    shifted =", "    batch, tokens, vocab = logits.shape\n    shifted ="),
            ("shifted.transpose(1, 2)", "shifted.reshape(batch, vocab, tokens - 1)"),
        ],
    ),
    "divisor": (
        "the mean is taken over all positions, those that do not count included",
        [("(losses * counts).sum() / counts.sum().clamp(min=1)", "(losses * counts).mean()")],
    ),
}
_RELEASED = [  # as it stands in the notebook: without a trace of what counts
    (
        "    shifted = logits[:, :-1]",
        "    batch, tokens, vocab = logits.shape\n    shifted = logits[:, 1:]",
    ),
    ("input_ids[:, 1:]", "input_ids[:, :-1]"),
    (
        "    real = attention_mask != 0\n"
        "    asking, asked = real[:, :-1], real[:, 1:]\n"
        "    counts = asking & asked\n",
        "",
    ),
    (
        "shifted.transpose(1, 2), targets,",
        "shifted.reshape(batch, vocab, tokens - 1), targets, ignore_index=0,",
    ),
    (
        "    loss = (losses * counts).sum() / counts.sum().clamp(min=1)\n    return loss",
        "    return losses.mean()",
    ),
]
_SHUFFLED = [  # the axes are exchanged, as it should be, and then a reshape undoes it
    (
        "shifted.transpose(1, 2), targets,",
        "shifted.transpose(1, 2).reshape(-1, logits.size(-1)), targets.flatten(),",
    ),
    ("losses * counts", "losses * counts.flatten()"),
]
_IGNORED = [("targets, reduction", "targets, ignore_index=0, reduction")]
_LEFT_OUT = [("asking & asked", "asking & asked & (targets != 0)")]
_WITH_THE_LAST = [("counts.sum().clamp(min=1)", "real.numel()")]
_PLAIN_MEAN = [("asking & asked", "torch.ones_like(asked)")]  # nothing is left out of the sum


def _left_over(*names: str) -> Mistake:
    """Some of the bugs; one of them may come back in another form, too."""
    other = {"by_id": (_IGNORED, _LEFT_OUT), "divisor": (_PLAIN_MEAN,)}
    if len(names) == 1:
        other = {
            "by_id": (_LEFT_OUT, _IGNORED),
            "reshaped": (_SHUFFLED,),
            "divisor": (_WITH_THE_LAST, _PLAIN_MEAN),
        }
    left = {name: _BUGS[name] for name in names}
    varied = next((name for name in other if name in left), "")
    forms = [
        [edit for name in left for edit in (form if name == varied else _BUGS[name][1])]
        for form in other.get(varied, ())
    ]
    if len(names) < len(_BUGS):
        return still_there(left, 3, 4, section=SHIFT, other_forms=tuple(forms))
    return replace(still_there(left, 3, 4, section=SHIFT), mutation=_RELEASED)


COMBINED = (
    "wrong_way",
    "by_id",
    "reshaped",
    "divisor",
    "asked_only",
    "asking_only",
    "real_tokens",
    "sequences",
    "nan",
)

BROKEN = ("_and_".join(_BUGS),)

MISTAKES = (
    *(_left_over(*left) for count in (1, 2, 3, 4) for left in combinations(_BUGS, count)),
    Mistake(
        "unshifted",
        "Nothing is shifted: each token is asked for itself, which it can see. The logits at "
        "token t belong to token t + 1.",
        [
            ("logits[:, :-1]", "logits"),
            ("input_ids[:, 1:]", "input_ids"),
            ("asking & asked", "real"),
        ],
        other_forms=(
            [("input_ids[:, 1:]", "input_ids[:, :-1]")],
            [("logits[:, :-1]", "logits[:, 1:]")],
        ),
        section=SHIFT,
    ),
    Mistake(
        "twice",
        "It is shifted twice: the logits at token t are judged by token t + 2.",
        [
            ("logits[:, :-1]", "logits[:, :-2]"),
            ("input_ids[:, 1:]", "input_ids[:, 2:]"),
            ("real[:, :-1], real[:, 1:]", "real[:, :-2], real[:, 2:]"),
        ],
    ),
    Mistake(
        "asked_only",
        "With padding on the left, the last padding token is asked for the first word: what "
        "counts must be real at *both* places, t and t + 1.",
        [("asking & asked", "asked")],
        points=2,
    ),
    Mistake(
        "cut_to_the_longest",
        "The batch is cut to as many places as its longest text has tokens, as if all padding "
        "stood on the right: where it stands on the left, that cuts off tokens.",
        [
            (
                "    shifted =",
                "    longest = (attention_mask != 0).sum(dim=1).max()\n"
                "    logits, input_ids = logits[:, :longest], input_ids[:, :longest]\n"
                "    attention_mask = attention_mask[:, :longest]\n"
                "    shifted =",
            )
        ],
        points=2,
        any_error=True,
    ),
    Mistake(
        "asking_only",
        "The last token of a text is asked for the padding after it: what counts must be real "
        "at *both* places, t and t + 1.",
        [("asking & asked", "asking")],
    ),
    Mistake(
        "either",
        "A prediction counts as soon as one of its two tokens is real. Both must be, t and "
        "t + 1: join the two masks by `&`, or multiply them.",
        [("asking & asked", "asking | asked")],
    ),
    Mistake(
        "first_text",
        "Only the first text of a row counts. A row may hold several, one after the other: "
        "only `attention_mask` says where the padding begins.",
        [("asking & asked", "asking & asked & ((input_ids == 0).cumsum(1)[:, :-1] == 0)")],
        other_forms=(
            [
                (
                    "    asking, asked",
                    "    ends = ((input_ids == 0) & real).long()\n"
                    "    real = real & (ends.cumsum(1) - ends == 0)\n"
                    "    asking, asked",
                )
            ],
            [
                (
                    "    asking, asked",
                    "    ends = ((input_ids == 0) & real).long()\n"
                    "    real = real & (ends.cumsum(1) == 0)\n"
                    "    asking, asked",
                )
            ],
        ),
    ),
    Mistake(
        "last_left_out",
        "The last prediction is left out, that of the end of a text. A text of n tokens has "
        "n − 1 predictions: only one place is lost by the shift.",
        [("asking & asked", "asking & asked & F.pad(asked, (0, 1))[:, 1:]")],
        other_forms=(
            [
                (
                    "asking & asked",
                    "asking & asked & (torch.arange(asked.size(1)) < asked.size(1) - 1)",
                )
            ],
        ),
    ),
    Mistake(
        "first_left_out",
        "The first prediction is left out, that of a text's second token. A text of n tokens "
        "has n − 1 predictions: only one place is lost by the shift.",
        [("asking & asked", "asking & asked & F.pad(asking, (1, 0))[:, :-1]")],
        other_forms=([("asking & asked", "asking & asked & (torch.arange(asked.size(1)) > 0)")],),
    ),
    Mistake(
        "plus_one",
        "The sum is divided by the number of predictions plus 1. Against a division by 0, "
        "`clamp(min=1)` changes nothing where there are some.",
        [("counts.sum().clamp(min=1)", "(counts.sum() + 1)")],
    ),
    Mistake(
        "divisor_by_id",
        "The sum is divided by the number of targets that are not 0. But the ends of texts are "
        "targets that count: divide by the number of predictions that count.",
        [("counts.sum().clamp(min=1)", "(targets != 0).sum().clamp(min=1)")],
    ),
    Mistake(
        "ends_apart",
        "What follows an end within a row does not count. It should, like anything else: only "
        "padding is left out.",
        [("asking & asked", "asking & asked & (input_ids[:, :-1] != 0)")],
    ),
    Mistake(
        "lengths",
        "The number of real tokens is taken for the place where they stop. That fails if the "
        "padding stands on the left: look at each place's own entry of the mask.",
        [("asking & asked", "torch.arange(1, real.size(1)) < real.sum(1, keepdim=True)")],
        points=2,
    ),
    Mistake(
        "no_softmax",
        "`nll_loss` was given logits. It takes log-probabilities (`log_softmax`); "
        "`cross_entropy` does both.",
        [("F.cross_entropy", "F.nll_loss")],
        section=SHIFT,
    ),
    Mistake(
        "softmaxed",
        "`cross_entropy` was given probabilities. It takes logits and does the softmax itself.",
        [("shifted.transpose(1, 2)", "shifted.softmax(-1).transpose(1, 2)")],
        section=SHIFT,
    ),
    Mistake(
        "real_tokens",
        "The sum is divided by the number of real tokens. Divide by the number of predictions "
        "that count: a text of n tokens has n − 1.",
        [("counts.sum().clamp(min=1)", "real.sum().clamp(min=1)")],
    ),
    Mistake(
        "one_less_a_row",
        "The sum is divided by the number of real tokens less one for each row. A row of "
        "nothing but padding has none to take off: count the predictions themselves.",
        [("counts.sum().clamp(min=1)", "(real.sum() - len(real)).clamp(min=1)")],
        points=2,
    ),
    Mistake(
        "batch_divisor",
        "The sum is divided by the number of rows. Divide by the number of predictions that count.",
        [("counts.sum().clamp(min=1)", "len(logits)")],
    ),
    Mistake(
        "asked_divisor",
        "The sum is divided by the number of real tokens that are asked for. With padding on "
        "the left the first one counts there, too, and nobody predicts it.",
        [("counts.sum().clamp(min=1)", "asked.sum().clamp(min=1)")],
        points=2,
    ),
    Mistake(
        "sequences",
        "Each text was averaged by itself, and then the averages: a token of a short text "
        "weighs more than one of a long text. Divide the sum of all by the number of all.",
        [
            (
                "(losses * counts).sum() / counts.sum().clamp(min=1)",
                "((losses * counts).sum(1) / counts.sum(1).clamp(min=1)).mean()",
            )
        ],
        other_forms=(
            [
                (
                    "(losses * counts).sum() / counts.sum().clamp(min=1)",
                    "((losses * counts).sum(1) / counts.sum(1)).mean()",
                )
            ],
            [
                (
                    "(losses * counts).sum() / counts.sum().clamp(min=1)",
                    "(losses * counts).sum(1) / counts.sum(1).clamp(min=1)\n"
                    "    rows = counts.any(1)\n"
                    "    loss = loss[rows].sum() / rows.sum().clamp(min=1)",
                )
            ],
        ),
    ),
    Mistake(
        "rows_summed",
        "Each text was averaged by itself, and the averages are added up. Divide the sum of "
        "all losses that count by their number.",
        [
            (
                "(losses * counts).sum() / counts.sum().clamp(min=1)",
                "((losses * counts).sum(1) / counts.sum(1).clamp(min=1)).sum()",
            )
        ],
    ),
    Mistake(
        "summed",
        "This is the sum over all predictions that count; divide by their number.",
        [(" / counts.sum().clamp(min=1)", "")],
    ),
    Mistake(
        "nan",
        "Where nothing is to be predicted it gives NaN: 0 divided by 0. The loss is 0 there.",
        [(".clamp(min=1)", "")],
        points=2,
    ),
    Mistake(
        "plain_zero",
        "Where nothing is to be predicted a plain Python number comes back. The loss is a "
        "tensor there, too, so that `backward` works: `logits.sum() * 0`, or `clamp(min=1)`.",
        [("    losses =", "    if not counts.any():\n        return 0.0\n    losses =")],
        other_forms=(
            [("    losses =", "    if not counts.any():\n        return 0\n    losses =")],
        ),
        points=2,
    ),
    Mistake(
        "constant_zero",
        "Where nothing is to be predicted the 0 does not hang on the logits, so `backward()` "
        "fails there. Which 0 can be computed from them?",
        [
            (
                "    losses =",
                "    if not counts.any():\n        return torch.zeros(())\n    losses =",
            )
        ],
        points=2,
    ),
    kept_name("attention_mask", "counts", "    losses ="),
    Mistake(
        "rolled",
        "`roll` brings the first token to the end, and where a text fills its row its last "
        "token is asked for the first one. Cut off the last logits.",
        [
            ("logits[:, :-1]", "logits"),
            ("input_ids[:, 1:]", "input_ids.roll(-1, 1)"),
            ("asking & asked", "real & real.roll(-1, 1)"),
        ],
    ),
    Mistake(
        "flattened_first",
        "The batch is flattened before it is shifted, so the last token of a row is asked for "
        "the first one of the next. Shift within the rows, then flatten.",
        _flattened_first,
        section=SHIFT,
    ),
    Mistake(
        "zeroed_logits",
        "The logits that do not count are made all equal, 0 or another number, but their loss "
        "is still counted: log of the vocabulary size each. Leave out their losses.",
        [
            ("shifted.transpose(1, 2)", "(shifted * counts[..., None]).transpose(1, 2)"),
            ("(losses * counts).sum() / counts.sum().clamp(min=1)", "losses.mean()"),
        ],
        other_forms=(
            [
                ("shifted.transpose(1, 2)", "(shifted * counts[..., None]).transpose(1, 2)"),
                ("(losses * counts).sum()", "losses.sum()"),
            ],
        ),
    ),
    Mistake(
        "hidden_logits",
        "The logits that do not count are set to −∞. A softmax of −∞ alone is NaN, and so is "
        "the loss. Leave out their losses instead.",
        [
            (
                "shifted.transpose(1, 2)",
                "shifted.masked_fill(~counts[..., None], -torch.inf).transpose(1, 2)",
            )
        ],
        other_forms=(
            [
                (
                    "shifted.transpose(1, 2)",
                    "shifted.masked_fill(~counts[..., None], -torch.inf).transpose(1, 2)",
                ),
                ("(losses * counts).sum() / counts.sum().clamp(min=1)", "losses.mean()"),
            ],
        ),
    ),
    Mistake(
        "perplexity",
        "This is e to the power of the loss, the perplexity.",
        [("return loss", "return loss.exp()")],
        section=SHIFT,
    ),
    Mistake(
        "negative",
        "The sign is wrong: this is the mean log-probability, and the loss is minus that.",
        [("return loss", "return -loss")],
        section=SHIFT,
    ),
    cut_off(
        [("return loss", "return loss.detach()")],
        "detached",
        other_forms=([("return loss", "return loss.item()")],),
    ),
    changed_in_place(
        "input_ids",
        [("    asking, asked", "    input_ids[~real] = -100\n    asking, asked")],
        "ids_changed",
    ),
)
