"""The known mistakes of `repaired_attention`."""

from __future__ import annotations

import math
from dataclasses import replace

from grading.content.common import changed_in_place, cut_off, kept, zeros_hidden
from grading.content.simple_attention.sections import ROOT
from grading.exercise import Mistake, still_there
from grading.exercise.edits import Edits


def _scores(query, key):
    return query @ key.mT / math.sqrt(query.size(-1))


def _zero_scores_and_values(query, key, value, is_padding):
    key, value = (tensor.masked_fill(is_padding.unsqueeze(-1), 0.0) for tensor in (key, value))
    return _scores(query, key).softmax(dim=-1) @ value


def _nan_row(query, key, value, is_padding):
    scores = _scores(query, key).masked_fill(is_padding.unsqueeze(1), -math.inf)
    return scores.softmax(dim=-1) @ value


def _zeroed_after_softmax(query, key, value, is_padding):
    return (_scores(query, key).softmax(dim=-1) * ~is_padding.unsqueeze(1)) @ value


def _multiplied_scores(query, key, value, is_padding):
    return (_scores(query, key) * ~is_padding.unsqueeze(1)).softmax(dim=-1) @ value


def _zeros_hidden(query, key, value, is_padding):
    scores = _scores(query, key) * ~is_padding.unsqueeze(1)
    return scores.masked_fill(scores == 0, -math.inf).softmax(dim=-1).nan_to_num(0.0) @ value


_BUGS = {
    "inverted": (
        "`is_padding` is True for padding, but in PyTorch's function True means that the key takes "
        "part",
        [("~is_padding.unsqueeze(1)", "is_padding.unsqueeze(1)")],
    ),
    "scale_d_v": (
        "the scale is taken from the values' length; it belongs to the length of the queries and "
        "keys",
        [("1 / math.sqrt(key.size(-1))", "1 / math.sqrt(value.size(-1))")],
    ),
    "dropout": (
        "`dropout_p` is always on: this function does not know about `eval()`, it drops weights "
        "whenever it is told to",
        [("0.0", "0.1")],
    ),
    "dropout_with_gradients": (  # repaired by half
        "dropout is alive while gradients are recorded; the result must be the same every time, "
        "with gradients and without",
        [("0.0", "0.1 if query.requires_grad else 0.0")],
    ),
}

_ANY_GRADIENT = "any(t.requires_grad for t in (query, key, value))"


def _seeded(seed: int) -> Edits:
    return [
        ("    return F.scaled", f"    torch.manual_seed({seed})\n    return F.scaled"),
        ("dropout_p=0.0", "dropout_p=0.1"),
    ]


def _left(*names: str, **partly: tuple[str, Edits]) -> Mistake:
    """Some bugs still there, and one of them, ``partly``, in some calls only."""
    return still_there({**partly, **{name: _BUGS[name] for name in names}}, 3, 3)


def _bugs_left() -> list[Mistake]:
    """One, two or all three of the bugs still there, or one of them in some calls."""
    mistakes = []
    for bits in range(1, 16):
        names = [name for place, name in enumerate(_BUGS) if bits >> place & 1]
        if {"dropout", "dropout_with_gradients"} <= set(names):
            continue  # one bug, left or repaired by half
        left = _left(*names)
        edits = left.mutation
        by_any = [(old, new.replace("query.requires_grad", _ANY_GRADIENT)) for old, new in edits]
        mistakes.append(replace(left, other_forms=() if by_any == edits else (by_any,)))
    for name in ("inverted", "scale_d_v", "dropout"):  # in some calls only
        reason, [(gone, bug)] = _BUGS[name]
        partly = f"{reason} (for batches without any padding)"
        edits = [(gone, f"{gone} if is_padding.any() else {bug}")]
        mistakes.append(_left(**{f"{name}_without_padding": (partly, edits)}))
    reason, [(gone, bug)] = _BUGS["inverted"]
    for others in ((), ("scale_d_v",), ("dropout",), ("scale_d_v", "dropout")):
        partly = f"{reason} (for a batch of one, or for all others)"
        one, more = (
            _left(*others, inverted_by_batch=(partly, [(gone, f"{gone} if {when} else {bug}")]))
            for when in ("len(query) > 1", "len(query) == 1")
        )
        mistakes.append(replace(one, other_forms=(more.mutation,)))
    for names in ((), ("dropout",)):  # under an inverted mask too few calls show the scale
        partly = (
            "in some calls the scale is taken from the longer or shorter of keys and values; it "
            "belongs to the length of the queries and keys"
        )
        ways = ([("key.size(-1)", f"{w}(key.size(-1), value.size(-1))")] for w in ("max", "min"))
        longer, shorter = (_left(*names, scale_of_two=(partly, way)) for way in ways)
        mistakes.append(replace(longer, other_forms=(shorter.mutation,)))
    return mistakes


COMBINED = (
    "inverted",
    "scale_d_v",
    "dropout",
    "other_rate",
    "scale_multiplied",
    "no_scale",
)

BROKEN = ("inverted", "scale_d_v", "dropout")

MISTAKES = (
    *_bugs_left(),
    kept(
        [
            ("value, is_padding):", "value, is_padding, kept={}):"),
            (
                "~is_padding.unsqueeze(1)",
                "~kept.setdefault(is_padding.shape, is_padding).unsqueeze(1)",
            ),
        ]
    ),
    changed_in_place(
        "is_padding",
        [("~is_padding.unsqueeze(1)", "is_padding.logical_not_().unsqueeze(1)")],
        "changed_mask",
    ),
    Mistake(
        "added_mask",
        "The mask is added to (or subtracted from) the scores as ones and zeros, so padding "
        "is hardly hidden. Pass it as booleans, or as 0 and −∞.",
        [("~is_padding.unsqueeze(1)", "(~is_padding).float().unsqueeze(1)")],
        equivalent=([("~is_padding.unsqueeze(1)", "-is_padding.float().unsqueeze(1)")],),
    ),
    Mistake(
        "nan_row",
        "A sentence that is all padding gives NaN: a softmax over nothing but −∞ is 0/0. Its "
        "result must be zeros, as PyTorch's function gives.",
        _nan_row,
        points=2,
    ),
    Mistake(
        "finite_fill",
        "A sentence that is all padding gets the plain average of its padding, because the "
        "fill is a finite number, the same for all. Its result must be zeros.",
        [("~is_padding.unsqueeze(1)", "is_padding.unsqueeze(1) * -1e9")],
        points=2,
    ),
    Mistake(
        "empty_sees_all",
        "A sentence that is all padding sees its keys, or one of them, all the same. Its "
        "result must be zeros, as PyTorch's function gives.",
        [
            (
                "~is_padding.unsqueeze(1)",
                "~is_padding.unsqueeze(1) | is_padding.all(-1)[:, None, None]",
            )
        ],
        other_forms=tuple(
            [
                (
                    "~is_padding.unsqueeze(1)",
                    "~is_padding.unsqueeze(1) | (is_padding.all(-1)[:, None, None]"
                    f" & (torch.arange(key.size(1)) == {place}))",
                )
            ]
            for place in ("0", "key.size(1) - 1")
        ),
        points=2,
    ),
    cut_off(
        [
            ("return F.scaled", "output = F.scaled"),
            ("\n    )", "\n    )\n    return output.detach()"),
        ],
        points=2,
    ),
    Mistake(
        "mask_at_queries",
        "The mask is laid over the queries (`[batch, keys, 1]`); it belongs to the keys, "
        "`[batch, 1, keys]`.",
        [("unsqueeze(1)", "unsqueeze(2)")],
    ),
    Mistake(
        "causal",
        "Later keys are hidden as well, as a decoder needs it. Only padding is to be hidden.",
        [
            (
                "~is_padding.unsqueeze(1)",
                "~is_padding.unsqueeze(1)\n"
                "        & torch.ones(query.size(1), key.size(1), dtype=torch.bool).tril()",
            )
        ],
    ),
    Mistake(
        "dropout_on_output",
        "Dropout falls on the output now (`nn.Dropout`, `F.dropout`): a fresh `nn.Dropout` is "
        "in training mode. The result must be the same every time.",
        [
            ("return F.scaled", "output = F.scaled"),
            ("\n    )", "\n    )\n    return F.dropout(output, 0.1)"),
        ],
    ),
    Mistake(
        "no_axis_for_queries",
        "It fails unless there is one sentence: the mask has no axis for the queries between "
        "batch and keys, so its batch meets the queries. Make it `[batch, 1, keys]`.",
        [("unsqueeze(1)", "unsqueeze(0)")],
        any_error=True,
    ),
    Mistake(
        "scale_d_k",
        "The scores are divided by d_k itself; divide by its square root.",
        [("math.sqrt(key.size(-1))", "key.size(-1)")],
        section=ROOT,
    ),
    Mistake(
        "zeroed_after_softmax",
        "The weights of padding are set to 0 after the softmax, but the other weights are not "
        "scaled up again: they sum to less than 1. Mask the scores, before the softmax.",
        _zeroed_after_softmax,
    ),
    Mistake(
        "scale_multiplied",
        "The scores are multiplied by √d_k: `scale` is a factor, so pass one divided by the root.",
        [("1 / math.sqrt(key.size(-1))", "math.sqrt(key.size(-1))")],
        section=ROOT,
    ),
    Mistake(
        "scale_keys",
        "The scale is taken from the number of keys; it belongs to the length of one query "
        "or key vector, `query.size(-1)`.",
        [("key.size(-1)", "key.size(1)")],
        section=ROOT,
    ),
    Mistake(
        "scale_queries",
        "The scale is taken from the number of queries; it belongs to the length of one query "
        "or key vector, `query.size(-1)`.",
        [("key.size(-1)", "query.size(1)")],
        section=ROOT,
    ),
    Mistake(
        "first_sentence_mask",
        "Every sentence is masked like the first one.",
        [("~is_padding.unsqueeze(1)", "~is_padding[:1].unsqueeze(1)")],
    ),
    Mistake(
        "one_sentence_asked",
        "The mask is left out where one sentence, the first or the last, has no padding. "
        "Others of the batch may have some: ask all of them, or always pass the mask.",
        [
            (
                "~is_padding.unsqueeze(1)",
                "~is_padding.unsqueeze(1) if is_padding[0].any() else None",
            )
        ],
        other_forms=(
            [
                (
                    "~is_padding.unsqueeze(1)",
                    "~is_padding.unsqueeze(1) if is_padding[-1].any() else None",
                )
            ],
        ),
    ),
    Mistake(
        "zero_scores_and_values",
        "There is no mask: the keys and values of padding are set to 0. A score of 0 is a full "
        "share for the softmax, e⁰ = 1, so the other weights sum to less than 1. Mask the "
        "scores, before the softmax.",
        _zero_scores_and_values,
    ),
    Mistake(
        "padding_zeroed",
        "Where there are as many queries as keys, the output of padding is set to zeros, too. "
        "Padding is hidden as a key only: each query gets its output.",
        [
            ("return F.scaled", "output = F.scaled"),
            (
                "\n    )",
                "\n    )\n"
                "    if query.size(1) == key.size(1):\n"
                "        output = output * ~is_padding.unsqueeze(-1)\n"
                "    return output",
            ),
        ],
    ),
    Mistake(
        "right_padding_only",
        "The tokens are counted, as if all padding stood on the right: where it stands in "
        "front or between, tokens are hidden in its place. Use the mask as it is.",
        [
            (
                "~is_padding.unsqueeze(1)",
                "(torch.arange(key.size(1)) < (~is_padding).sum(-1)[:, None]).unsqueeze(1)",
            )
        ],
    ),
    Mistake(
        "seeded_dropout",
        "Dropout is alive under a fixed seed: the result is the same every time, and some "
        "weights are still dropped. Nothing is to be dropped, and nobody's seed to be set.",
        _seeded(0),
        other_forms=tuple(map(_seeded, (42, 1, 123, 1234))),
    ),
    Mistake(
        "other_rate",
        "Dropout is still alive, at another rate. Nothing is to be dropped: the result must be "
        "the same every time.",
        [("dropout_p=0.0", "dropout_p=0.05")],
        other_forms=tuple([("dropout_p=0.0", f"dropout_p={p}")] for p in (0.2, 0.5)),
    ),
    Mistake(
        "multiplied_scores",
        "The scores are multiplied by the mask: hidden ones become 0, and e⁰ = 1 is a full "
        "share for the softmax. Set them to minus infinity.",
        _multiplied_scores,
    ),
    zeros_hidden(
        _zeros_hidden,
    ),
    Mistake(
        "mask_removed",
        "The mask is gone altogether: padding takes part like any token.",
        [("        attn_mask=~is_padding.unsqueeze(1),\n", "")],
    ),
    Mistake(
        "no_scale",
        "The scale is gone altogether (`scale=1`): divide by √d_k.",
        [("1 / math.sqrt(key.size(-1))", "1.0")],
        section=ROOT,
    ),
)
