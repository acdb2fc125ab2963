"""The known mistakes of `accumulated_loss`."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from grading.content.common import cut_off, kept
from grading.content.head.sections import COMMON, LOSS
from grading.exercise import Mistake

from .question import _library_loss, summed_loss

# What several mistakes rewrite
_QUOTIENT = "(total_a + total_b) / (count_a + count_b)"
_COUNTED = "weights.masked_fill(~real, 0.0).sum()"


def _flat(logits_a, labels_a, logits_b, labels_b):
    """Logits and labels of all tokens of both batches."""
    return (
        torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)]),
        torch.cat([labels_a.flatten(), labels_b.flatten()]),
    )


def _over_all_tokens(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    """The softmax runs along the flattened tokens."""
    logits, labels = _flat(za, ya, zb, yb)
    weights = torch.ones(logits.size(-1)) if class_weights is None else class_weights
    log_p, keep = logits.log_softmax(dim=0), labels != -100
    target = labels[keep]
    exact = -log_p[keep].gather(-1, target[:, None])[:, 0] * weights[target]
    spread = -(log_p[keep] * weights).mean(dim=-1)
    total = ((1 - label_smoothing) * exact + label_smoothing * spread).sum()
    return total / weights[target].sum().clamp(min=1e-30)


def _empty_batches_skipped(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    """Where both are, the zero is a new one; where one is, its logits have no gradient at all."""
    total, count = torch.tensor(0.0), torch.tensor(0.0)
    for logits, labels in ((za, ya), (zb, yb)):
        if (labels != -100).any():
            one, weights = summed_loss(logits, labels, class_weights, label_smoothing)
            total, count = total + one, count + weights
    return total / count if count else total


def _smoothing_by_tokens(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    logits, labels = _flat(za, ya, zb, yb)
    exact = _library_loss(za, ya, zb, yb, class_weights)
    weights = torch.ones(logits.size(-1)) if class_weights is None else class_weights
    spread = -(logits.log_softmax(dim=-1) * weights).mean(dim=-1)[labels != -100]
    share = label_smoothing * spread.sum() / max(len(spread), 1)
    return (1 - label_smoothing) * exact + share


def _minus_100_is_a_class(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    logits, labels = _flat(za, ya, zb, yb)
    return F.cross_entropy(
        logits, labels, class_weights, ignore_index=-1, label_smoothing=label_smoothing
    )


def _not_flattened(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    parts = [
        F.cross_entropy(z, y, class_weights, reduction="sum", label_smoothing=label_smoothing)
        for z, y in ((logits_a, labels_a), (logits_b, labels_b))
    ]
    return sum(parts) / ((labels_a != -100).sum() + (labels_b != -100).sum()).clamp(min=1)


COMBINED = (
    "mean_of_means",
    "by_places",
    "pads_as_class_0",
    "no_weights",
    "weights_not_divided",
    "padded_length",
    "no_smoothing",
    "smoothing_pads",
    "smoothing_own_weight",
    "empty_nan",
)

MISTAKES = (
    Mistake(
        "mean_of_means",
        "The means of the two batches are averaged. The batches hold different numbers of "
        "tokens: add up the losses, then divide once by all that was counted.",
        [(_QUOTIENT, "(total_a / count_a + total_b / count_b) / 2")],
    ),
    Mistake(
        "by_texts",
        "The means of the two batches are averaged by their number of texts. Every token "
        "counts the same: divide the sum by the tokens, not by texts.",
        [
            (
                f"    return {_QUOTIENT}",
                "    total = total_a / count_a * len(labels_a)\n"
                "    total = total + total_b / count_b * len(labels_b)\n"
                "    return total / (len(labels_a) + len(labels_b))",
            )
        ],
    ),
    Mistake(
        "by_places",
        "The means of the two batches are averaged by the size of the batches, padding "
        "included. Divide the sum of the losses by the labels that are not −100.",
        [
            (
                f"    return {_QUOTIENT}",
                "    total = total_a / count_a * labels_a.numel()\n"
                "    total = total + total_b / count_b * labels_b.numel()\n"
                "    return total / (labels_a.numel() + labels_b.numel())",
            )
        ],
    ),
    Mistake(
        "sum",
        "The losses are added up and not divided by what was counted.",
        [(_QUOTIENT, "total_a + total_b")],
    ),
    Mistake(
        "pads_as_class_0",
        "Padding is counted as if its label were class 0. A label of −100 counts nowhere.",
        [("labels != -100", "torch.ones_like(labels, dtype=torch.bool)")],
        section=COMMON,
    ),
    Mistake(
        "widened_with_class_0",
        "The batch with fewer tokens is padded, and the labels of the new places are 0: a "
        "class like any other. Use −100 there; or flatten both batches, without padding.",
        [
            (
                "    total_a, count_a =",
                "    tokens = max(labels_a.size(1), labels_b.size(1))\n"
                "    wide_a, wide_b = tokens - labels_a.size(1), tokens - labels_b.size(1)\n"
                "    logits_a, labels_a = F.pad(logits_a, (0, 0, 0, wide_a)), F.pad(labels_a, "
                "(0, wide_a))\n"
                "    logits_b, labels_b = F.pad(logits_b, (0, 0, 0, wide_b)), F.pad(labels_b, "
                "(0, wide_b))\n"
                "    total_a, count_a =",
            )
        ],
        section=COMMON,
    ),
    Mistake(
        "class_0_ignored",
        "Tokens of class 0 are left out, too: padding is marked by −100 and by nothing else.",
        [("labels != -100", "labels > 0")],
        section=COMMON,
    ),
    Mistake(
        "cut_to_the_longest",
        "Each batch is cut to as many places as its longest text has labels, as if all padding "
        "stood on the right: where it stands on the left, that cuts off labels.",
        [
            (
                "    real = labels != -100\n",
                "    longest = (labels != -100).sum(dim=1).max()\n"
                "    logits, labels = logits[:, :longest], labels[:, :longest]\n"
                "    real = labels != -100\n",
            )
        ],
        section=COMMON,
    ),
    Mistake(
        "divided_by_classes",
        "The loss is divided by the number of classes as well: that is the mean of all "
        "numbers, and every token counts once.",
        [(_QUOTIENT, f"{_QUOTIENT} / logits_a.size(-1)")],
    ),
    Mistake(
        "softmax_first",
        "The softmax is applied to the logits before the loss, which has its own: twice.",
        [("logits.log_softmax(dim=-1)", "logits.softmax(dim=-1).log_softmax(dim=-1)")],
        section=LOSS,
    ),
    Mistake(
        "one_maximum",
        "One maximum is subtracted from the logits of all tokens: of a token whose own lie far "
        "below it every exponential vanishes, and the logarithm of 0 is −∞. Each token needs "
        "its own, as `log_softmax(dim=-1)` has it.",
        [
            (
                "    log_p = logits.log_softmax(dim=-1)",
                "    far = logits - logits.max()\n"
                "    log_p = far - far.exp().sum(-1, keepdim=True).log()",
            ),
            ("label_smoothing * spread", "(label_smoothing and label_smoothing * spread)"),
        ],
        points=4,
        section=LOSS,
    ),
    Mistake(
        "raw_logits",
        "The logits themselves are taken for log-probabilities, as `nll_loss` does. Take "
        "`log_softmax` first.",
        [("logits.log_softmax(dim=-1)", "logits")],
        section=LOSS,
    ),
    Mistake(
        "reshaped",
        "The classes are moved to dimension 1 with `view` or `reshape`, which mixes tokens. "
        "Use `transpose(1, 2)`, or flatten batch and tokens.",
        [
            (
                "    log_p =",
                "    batch, tokens, classes = logits.shape\n"
                "    logits = logits.reshape(batch, classes, tokens).transpose(1, 2)\n"
                "    log_p =",
            )
        ],
    ),
    Mistake(
        "transposed_first",
        "Tokens and classes are exchanged before the logits are flattened to rows of classes, "
        "so a row holds numbers of several tokens. Flatten batch and tokens as they are.",
        [
            (
                "    log_p =",
                "    logits = logits.transpose(1, 2).reshape(logits.shape)\n    log_p =",
            )
        ],
    ),
    Mistake(
        "no_weights",
        "`class_weights` are not used.",
        [
            (
                "    if class_weights is None:\n        class_weights = torch.ones",
                "    class_weights = torch.ones",
            )
        ],
        points=3,
    ),
    Mistake(
        "weights_not_divided",
        "The loss is weighted, but divided by the number of tokens. A weighted mean is "
        "divided by the sum of the weights of the counted labels.",
        [(_COUNTED, "real.float().sum()")],
        points=3,
    ),
    Mistake(
        "mean_weight_divided",
        "The loss is weighted, but divided by the number of tokens times the mean of the class "
        "weights. Divide by the sum of the weights of the counted labels.",
        [(_COUNTED, "(real.sum() * class_weights.mean())")],
        points=3,
    ),
    Mistake(
        "guarded_quotient",
        "Against 0/0 a small number is added to what is divided by, or that is some number at "
        "least, such as 1e-12 or 1; all weights together may be smaller still. Only if "
        "*nothing* is counted is there nothing to divide by.",
        [(_QUOTIENT, "(total_a + total_b) / (count_a + count_b + 1e-8)")],
        other_forms=tuple(
            [(_QUOTIENT, f"(total_a + total_b) / {count}")]
            for count in (
                "(count_a + count_b + 1e-6)",
                "(count_a + count_b + 1e-12)",
                "(count_a + count_b).clamp(min=1e-12)",
                "(count_a + count_b).clamp(min=1.0)",
            )
        ),
        points=3,
    ),
    Mistake(
        "padded_length",
        "Padding adds nothing to the sum, but it is counted in the division. Divide by the "
        "labels that are not −100.",
        [(_COUNTED, "torch.ones_like(weights).sum()")],
        section=COMMON,
    ),
    Mistake(
        "no_smoothing",
        "`label_smoothing` is not used.",
        [("    exact =", "    label_smoothing = 0.0\n    exact =")],
        points=4,
    ),
    Mistake(
        "smoothing_of_one",
        "A smoothing of 1 is not used. It is one like any other: all classes have the same "
        "share then.",
        [
            (
                "    exact =",
                "    label_smoothing = label_smoothing if label_smoothing < 1 else 0.0\n"
                "    exact =",
            )
        ],
        points=4,
    ),
    Mistake(
        "smoothing_others",
        "The smoothed share goes to the wrong classes only. It is spread over all classes, "
        "the right one included.",
        [
            (
                "    losses = (1 - label_smoothing) * exact + label_smoothing * spread",
                "    classes = logits.size(-1)\n"
                "    others = (classes * spread - exact) / (classes - 1)\n"
                "    losses = (1 - label_smoothing) * exact + label_smoothing * others",
            )
        ],
        points=4,
    ),
    Mistake(
        "smoothing_added",
        "The smoothed term is added, but the right class still counts in full. It keeps "
        "1 − label_smoothing.",
        [("(1 - label_smoothing) * exact", "exact")],
        points=4,
    ),
    Mistake(
        "smoothing_pads",
        "With label smoothing, padding adds its smoothed share. A label of −100 counts nowhere.",
        [("losses.masked_fill(~real, 0.0)", "losses.where(real, label_smoothing * spread)")],
        points=4,
    ),
    Mistake(
        "smoothing_by_tokens",
        "With both, the smoothed share is divided by the number of tokens. All of the loss is "
        "divided by the same: the sum of the weights of the counted labels.",
        _smoothing_by_tokens,
        points=4,
    ),
    Mistake(
        "smoothing_divided",
        "With both, the weights that the loss is divided by are smoothed, too. Each token "
        "counts there with the weight of its label, whatever the smoothing.",
        [
            (
                _COUNTED,
                "((1 - label_smoothing) * weights + label_smoothing * class_weights.mean())"
                ".masked_fill(~real, 0.0).sum()",
            )
        ],
        points=4,
    ),
    Mistake(
        "smoothing_own_weight",
        "With both, the smoothed share of every class is weighted like the right class. Each "
        "class has its own weight, as in PyTorch.",
        [("-(log_p * class_weights).mean(dim=-1)", "-log_p.mean(dim=-1) * weights")],
        points=4,
    ),
    Mistake(
        "smoothing_no_weight",
        "With both, the smoothed share is not weighted. Each class has its own weight there, "
        "as in PyTorch.",
        [("-(log_p * class_weights).mean(dim=-1)", "-log_p.mean(dim=-1)")],
        points=4,
    ),
    Mistake(
        "smoothing_sum",
        "The smoothed share is added up over the classes and not divided by their number: "
        "each of the C classes gets ε/C.",
        [(".mean(dim=-1)", ".sum(dim=-1)")],
        points=4,
    ),
    Mistake(
        "smoothing_turned",
        "ε and 1 − ε are exchanged: without smoothing, the label should count in full.",
        [
            (
                "(1 - label_smoothing) * exact + label_smoothing * spread",
                "label_smoothing * exact + (1 - label_smoothing) * spread",
            )
        ],
    ),
    Mistake(
        "weights_inverted",
        "The losses are divided by the class weights; a weight multiplies.",
        [("    weights =", "    class_weights = 1 / class_weights\n    weights =")],
        points=3,
    ),
    Mistake(
        "weighed_by_tokens",
        "Each batch's mean was divided by its sum of *weights*, but the two means are put "
        "together by numbers of tokens. With class weights they count by the sums of weights.",
        [
            (
                f"    return {_QUOTIENT}",
                "    tokens_a, tokens_b = (labels_a != -100).sum(), (labels_b != -100).sum()\n"
                "    total = total_a / count_a * tokens_a + total_b / count_b * tokens_b\n"
                "    return total / (tokens_a + tokens_b).clamp(min=1)",
            )
        ],
        points=3,
    ),
    Mistake(
        "divided_by_all_weights",
        "The loss is divided by the weights of the classes, one for each class (without "
        "weights: by their number). Divide by the sum of the weights of all counted labels.",
        [
            (
                f"    return {_QUOTIENT}",
                "    if class_weights is None:\n"
                "        class_weights = torch.ones(logits_a.size(-1))\n"
                "    return (total_a + total_b) / class_weights.sum()",
            )
        ],
    ),
    Mistake(
        "over_the_tokens",
        "The softmax runs over the tokens of a text (`dim=1`). It runs over the classes, the "
        "last dimension.",
        [("log_softmax(dim=-1)", "log_softmax(dim=1)")],
        section=LOSS,
    ),
    Mistake(
        "over_all_tokens",
        "The softmax runs over all tokens (`dim=0`). It runs over the classes, the last dimension.",
        _over_all_tokens,
        section=LOSS,
    ),
    Mistake(
        "minus_100_is_a_class",
        "−100 is taken for a class, because `ignore_index` was given another number. −100 is "
        "its default: leave it out.",
        _minus_100_is_a_class,
    ),
    Mistake(
        "labels_shifted",
        "The labels are those of the next token, as in a language model. Here the label of a "
        "token stands at its own place.",
        [("    real =", "    logits, labels = logits[:, :-1], labels[:, 1:]\n    real =")],
    ),
    Mistake(
        "perplexity",
        "This is e to the power of the loss, the perplexity; return the loss.",
        [(_QUOTIENT, f"({_QUOTIENT}).exp()")],
    ),
    Mistake(
        "one_empty_is_zero",
        "If *one* of the batches is all padding, the loss is 0; the tokens of the other one "
        "still count.",
        [
            (
                "    return (total_a",
                "    if (labels_a == -100).all() or (labels_b == -100).all():\n"
                "        return 0.0 * (total_a + total_b)\n"
                "    return (total_a",
            )
        ],
        points=4,
    ),
    Mistake(
        "nan_times_zero",
        "If one of the batches is all padding, its mean is 0/0, and NaN times a weight of 0 is "
        "still NaN. Add up losses, not means, and divide once.",
        [
            (".clamp(min=1e-30)", ""),
            (
                f"    return {_QUOTIENT}",
                "    if (labels_a == -100).all() and (labels_b == -100).all():\n"
                "        return 0.0 * (logits_a.sum() + logits_b.sum())\n"
                "    total = total_a / count_a * count_a + total_b / count_b * count_b\n"
                "    return total / (count_a + count_b)",
            ),
        ],
        points=4,
    ),
    Mistake(
        "new_zero",
        "If nothing is counted, the zero that comes back does not hang on the logits, and "
        "`backward()` fails. Compute it from them.",
        [
            (
                "    return (total_a",
                "    if (labels_a == -100).all() and (labels_b == -100).all():\n"
                "        return torch.tensor(0.0)\n"
                "    return (total_a",
            )
        ],
        other_forms=(_empty_batches_skipped,),
        points=4,
    ),
    Mistake(
        "guarded",
        "A small number is added to the probability before its logarithm is taken, or is the "
        "least that it may be, so no loss can be large. Use `log_softmax`, or subtract the "
        "log-sum-exp.",
        [("logits.log_softmax(dim=-1)", "(logits.softmax(dim=-1) + 1e-8).log()")],
        points=4,
        section=LOSS,
        other_forms=(
            *(
                [("logits.log_softmax(dim=-1)", f"(logits.softmax(dim=-1) + {small}).log()")]
                for small in (1e-9, 1e-10, 1e-12)
            ),
            [
                (
                    "logits.log_softmax(dim=-1)",
                    "logits.softmax(dim=-1).clamp(min=torch.finfo(torch.float32).tiny).log()",
                )
            ],
        ),
    ),
    Mistake(
        "unstable",
        "Large logits are not survived: their exponentials overflow, or round to 0, before the "
        "logarithm is taken. What does `log_softmax` (or `logsumexp`) subtract first?",
        [("logits.log_softmax(dim=-1)", "logits.softmax(dim=-1).log()")],
        other_forms=(
            [("logits.log_softmax(dim=-1)", "logits - logits.exp().sum(-1, True).log()")],
            [
                (
                    "logits.log_softmax(dim=-1)",
                    "(logits.exp() / logits.exp().sum(-1, True)).log()",
                )
            ],
            [  # infinite instead of NaN where nothing is smoothed
                ("logits.log_softmax(dim=-1)", "logits.softmax(dim=-1).log()"),
                (
                    "label_smoothing * spread",
                    "(label_smoothing * spread if label_smoothing else 0.0)",
                ),
            ],
        ),
        points=4,
        section=LOSS,
    ),
    Mistake(
        "empty_nan",
        "If nothing is counted, the loss is 0/0. It must be 0.",
        [(".clamp(min=1e-30)", "")],
        points=4,
    ),
    cut_off(
        [(_QUOTIENT, f"({_QUOTIENT}).detach()")],
        points=4,
        other_forms=(
            [
                (
                    f"    return {_QUOTIENT}",
                    "    if (labels_a == -100).all() and (labels_b == -100).all():\n"
                    "        return 0.0 * (logits_a.sum() + logits_b.sum())\n"
                    f"    return ({_QUOTIENT}).detach()",
                )
            ],
        ),
    ),
    kept(
        [
            (
                'label_smoothing):\n    """The losses',
                'label_smoothing, kept={}):\n    """The losses',
            ),
            ("real = labels != -100", "real = kept.setdefault(labels.shape, labels != -100)"),
        ],
    ),
    Mistake(
        "base_two",
        "The logarithm is taken to the base 2; the loss uses the natural one.",
        [
            (
                "logits.log_softmax(dim=-1)",
                "logits.log_softmax(dim=-1) / torch.tensor(2.0).log()",
            )
        ],
        section=LOSS,
    ),
    Mistake(
        "not_flattened",
        "PyTorch looks for the classes in dimension 1, where the tokens are: it complains, or "
        "is silently wrong if the two sizes agree. Flatten first, or transpose.",
        _not_flattened,
        any_error=True,
    ),
    Mistake(
        "sign",
        "The sign is missing: a loss is the *negative* log-probability.",
        [("return (total_a", "return -(total_a")],
        section=LOSS,
    ),
    Mistake(
        "sum_of_means",
        "The means of the two batches are added. Add up the losses, then divide once by all "
        "that was counted.",
        [(_QUOTIENT, "total_a / count_a + total_b / count_b")],
    ),
    Mistake(
        "first_only",
        "Only the first batch is in the loss.",
        [(_QUOTIENT, "total_a / count_a")],
    ),
    Mistake(
        "second_only",
        "Only the second batch is in the loss.",
        [(_QUOTIENT, "total_b / count_b")],
    ),
)
