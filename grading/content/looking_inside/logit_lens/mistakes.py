"""The known mistakes of `logit_lens`."""

from __future__ import annotations

from grading.content.common import kept_name
from grading.exercise import Mistake

_NORM = "F.layer_norm(x, size, norm_weight, norm_bias, 1e-5)"
_LAST = "torch.stack([*normed, last])"
_RANKS = "ranks = (logits > logits.gather(-1, index)).sum(-1)"
_SETTLED = "settled = (wrong * after).amax(0)"
_LOG_PROBS = "logits.log_softmax(-1)"
_NORM_TWICE = (_LAST, "torch.stack([*normed, F.layer_norm(last, size, norm_weight, norm_bias)])")


COMBINED = (
    "no_norm",
    "normed_twice",
    "log_of_softmax",
    "shifted",
    "rank_from_1",
    "rank_turned",
    "argsort",
    "first_on_top",
    "never_is_minus_1",
    "never_is_0",
    "never_is_the_last",
)

MISTAKES = (
    Mistake(
        "no_norm",
        "The final norm is missing. The table was trained on normed states; what an "
        "inner state gives without the norm isn't what the model would say there.",
        [(_NORM, "x")],
    ),
    Mistake(
        "normed_twice",
        "The last state goes through the final norm once more. In these states it has been "
        "through it already; only the others haven't.",
        [_NORM_TWICE],
        points=4,
    ),
    Mistake(
        "embeddings_not_normed",
        "The embeddings don't go through the norm. The last state is the only one that has "
        "been through it; the first one hasn't.",
        [(f"[{_NORM} for x in inner]", f"[x if x is inner[0] else {_NORM} for x in inner]")],
    ),
    Mistake(
        "plain_norm",
        "The norm is applied without its gain and bias: multiply by `norm_weight` and add "
        "`norm_bias`.",
        [(_NORM, "F.layer_norm(x, size, None, None, 1e-5)")],
    ),
    Mistake(
        "no_norm_bias",
        "The norm's bias is missing: add `norm_bias`.",
        [(_NORM, "F.layer_norm(x, size, norm_weight, None, 1e-5)")],
    ),
    Mistake(
        "no_norm_weight",
        "The norm's gain is missing: multiply by `norm_weight` before `norm_bias` is added.",
        [(_NORM, "F.layer_norm(x, size, None, norm_bias, 1e-5)")],
    ),
    Mistake(
        "rms",
        "The norm doesn't subtract the mean (RMSNorm). The final norm is a LayerNorm.",
        [(_NORM, "F.rms_norm(x, size, norm_weight, 1e-5) + norm_bias")],
    ),
    Mistake(
        "unbiased",
        "The norm's variance is divided by n − 1. A LayerNorm divides by n: `correction=0`.",
        [
            (
                _NORM,
                "(x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt() "
                "* norm_weight + norm_bias",
            )
        ],
        other_forms=(
            [
                (
                    _NORM,
                    "(x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True) * norm_weight "
                    "+ norm_bias",
                )
            ],
            [
                (
                    _NORM,
                    "(x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-5) "
                    "* norm_weight + norm_bias",
                )
            ],
        ),
    ),
    Mistake(
        "other_epsilon",
        "The norm's ε isn't 1e-5, or it's added outside of the root: the embeddings are small, "
        "and there it shows.",
        [(_NORM, _NORM.replace("1e-5", "1e-12"))],
        other_forms=(
            [(_NORM, _NORM.replace("1e-5", "1e-6"))],
            [(_NORM, _NORM.replace("1e-5", "0.0"))],
            [
                (
                    _NORM,
                    "(x - x.mean(-1, keepdim=True)) / (x.std(-1, correction=0, keepdim=True) "
                    "+ 1e-5) * norm_weight + norm_bias",
                )
            ],
        ),
    ),
    Mistake(
        "bias_first",
        "The norm's bias is added before the gain is multiplied. First the gain, then the bias.",
        [(_NORM, "(F.layer_norm(x, size, None, None, 1e-5) + norm_bias) * norm_weight")],
    ),
    Mistake(
        "over_tokens",
        "The norm's mean and variance are taken over the tokens. They belong to each state by "
        "itself, over its last axis.",
        [
            (
                _NORM,
                "(x - x.mean(1, keepdim=True)) / (x.var(1, correction=0, keepdim=True) + 1e-5)"
                ".sqrt() * norm_weight + norm_bias",
            )
        ],
    ),
    Mistake(
        "embeddings_left_out",
        "The first state, the embeddings, is left out. It's a depth like the others: depth 0.",
        [("*inner, last = hidden_states", "*inner, last = hidden_states[1:]")],
    ),
    Mistake(
        "last_left_out",
        "The last state is left out. It's a depth like the others; only, it has been normed.",
        [(_LAST, "torch.stack(normed or [last])")],
    ),
    Mistake(
        "probabilities",
        "These are probabilities. Asked for are their natural logarithms.",
        [(_LOG_PROBS, "logits.softmax(-1)")],
    ),
    Mistake(
        "bare_logits",
        "These are logits. Their softmax is missing: a logarithm of a probability is a logit "
        "minus the log-sum-exp of its row.",
        [(_LOG_PROBS, "logits")],
    ),
    Mistake(
        "log_of_softmax",
        "The logarithm is taken of a softmax, or of a sum of exponentials as they are. What is "
        "very unlikely is rounded to 0 there, what is very large to ∞: `log_softmax` goes "
        "without that step.",
        [(_LOG_PROBS, "logits.softmax(-1).log()")],
        other_forms=(
            [(_LOG_PROBS, "(logits - logits.exp().sum(-1, keepdim=True).log())")],
            [(_LOG_PROBS, "logits.double().softmax(-1).log().float()")],
        ),
        points=4,
    ),
    Mistake(
        "ranks_of_probabilities",
        "For the ranks, probabilities are compared. Very unlikely ones are rounded to 0, and "
        "then none is larger than another: compare the logits.",
        [
            (
                "return log_probs, ranks,",
                "p = logits.softmax(-1)\n"
                "    ranks = (p > p.gather(-1, index)).sum(-1)\n"
                "    return log_probs, ranks,",
            )
        ],
        points=4,
    ),
    Mistake(
        "small_number_added",
        "A small number is added to the probabilities, or they, or their logarithms, have a "
        "lower limit. What is less likely than that gets a wrong logarithm: `log_softmax` "
        "needs no such help.",
        [(_LOG_PROBS, "(logits.softmax(-1) + 1e-12).log()")],
        other_forms=(
            [(_LOG_PROBS, "(logits.softmax(-1) + 1e-10).log()")],
            [(_LOG_PROBS, "logits.softmax(-1).clamp(min=1e-12).log()")],
            [(_LOG_PROBS, "logits.softmax(-1).clamp(min=1e-10).log()")],
            [(_LOG_PROBS, "(logits.softmax(-1) + 1e-20).log()")],
            [(_LOG_PROBS, "(logits.softmax(-1) + 1e-30).log()")],
            [(_LOG_PROBS, "logits.softmax(-1).clamp(min=1e-20).log()")],
            [(_LOG_PROBS, "logits.softmax(-1).clamp(min=1e-30).log()")],
            [
                (
                    _LOG_PROBS,
                    "logits.softmax(-1).clamp(min=torch.finfo(torch.float32).tiny).log()",
                )
            ],
        ),
        points=4,
    ),
    Mistake(
        "other_base",
        "The logarithms have another base. Natural logarithms are asked for.",
        [(_LOG_PROBS, "logits.log_softmax(-1) / torch.tensor(2.0).log()")],
        other_forms=([(_LOG_PROBS, "logits.log_softmax(-1) / torch.tensor(10.0).log()")],),
    ),
    Mistake(
        "losses",
        "The sign is missing: these are losses, −log p. Asked for is log p.",
        [(_LOG_PROBS, "-logits.log_softmax(-1)")],
    ),
    Mistake(
        "other_softmax",
        "The softmax runs along another axis than the vocabulary. Give it `dim=-1`.",
        [(_LOG_PROBS, "logits.log_softmax(1)")],
        other_forms=(
            [(_LOG_PROBS, "logits.log_softmax(0)")],
            [(_LOG_PROBS, "logits.log_softmax(2)")],
        ),
    ),
    Mistake(
        "shifted",
        "The targets are shifted by one position. `target_ids` already holds, at each "
        "position, the word that is to be followed there.",
        [("index = target_ids.expand", "index = target_ids.roll(-1, 1).expand")],
        other_forms=(
            [("index = target_ids.expand", "index = target_ids.roll(1, 1).expand")],
            [
                (
                    "index = target_ids.expand",
                    "target_ids = torch.cat([target_ids[:, 1:], target_ids[:, -1:]], 1)\n"
                    "    index = target_ids.expand",
                )
            ],
            [
                (
                    "index = target_ids.expand",
                    "target_ids = F.pad(target_ids[:, 1:], (0, 1))\n    index = target_ids.expand",
                )
            ],
        ),
    ),
    Mistake(
        "most_likely",
        "These are the log-probabilities of the most likely word. Asked for are those of the "
        "target.",
        [(f"{_LOG_PROBS}.gather(-1, index).squeeze(-1)", f"{_LOG_PROBS}.amax(-1)")],
    ),
    Mistake(
        "rank_from_1",
        "Ranks are counted from 1. The most likely word has no word above it: rank 0.",
        [("return log_probs, ranks,", "return log_probs, ranks + 1,")],
        equivalent=(
            [(_RANKS, _RANKS.replace(">", ">=")), ("wrong = ranks > 0", "wrong = ranks > 1")],
        ),
        points=4,
    ),
    Mistake(
        "rank_counts_itself",
        "The target is counted among the words above it, so no rank is 0 and nothing is ever "
        "settled: count logits that are *larger* than the target's.",
        [(_RANKS, _RANKS.replace(">", ">="))],
        points=3,
    ),
    Mistake(
        "rank_turned",
        "Words with *smaller* logits are counted. The rank is the number of words with a "
        "larger one.",
        [("return log_probs, ranks,", "return log_probs, len(table) - 1 - ranks,")],
        points=4,
    ),
    Mistake(
        "smaller_counted",
        "Words with *smaller* logits are counted, so a target counts as settled where it's the "
        "least likely word. The rank is the number of words with a larger logit.",
        [(_RANKS, _RANKS.replace(">", "<"))],
        points=3,
    ),
    Mistake(
        "argsort",
        "`argsort` gives the word at each rank. Asked for is the rank of a word: where the "
        "target is in that order.",
        [
            (
                _RANKS,
                "ranks = logits.argsort(-1, descending=True).gather(-1, index).squeeze(-1)",
            )
        ],
        points=3,
    ),
    Mistake(
        "argsort_for_ranks",
        "For the ranks, `argsort` gives the word at each rank. Asked for is the rank of a "
        "word: where the target is in that order.",
        [
            (
                "return log_probs, ranks,",
                "ranks = logits.argsort(-1, descending=True).gather(-1, index).squeeze(-1)\n"
                "    return log_probs, ranks,",
            )
        ],
        points=4,
    ),
    Mistake(
        "on_top_or_not",
        "The ranks say only whether the target is the most likely word. A rank is the number "
        "of words above it.",
        [("return log_probs, ranks,", "return log_probs, (ranks > 0).long(),")],
        other_forms=([("return log_probs, ranks,", "return log_probs, (ranks == 0).long(),")],),
        points=4,
    ),
    Mistake(
        "first_on_top",
        "This is the first depth at which the target is on top, even if it isn't at a later "
        "one. It's settled where it gets on top *and stays there to the last depth*.",
        [(_SETTLED, "settled = torch.where(wrong.all(0), depths, wrong.int().argmin(0))")],
        other_forms=(
            [(_SETTLED, "settled = wrong.int().argmin(0)")],
            [(_SETTLED, "settled = torch.where(wrong[-1], depths, wrong.int().argmin(0))")],
        ),
        points=4,
    ),
    Mistake(
        "any_word_settled",
        "This is the depth from which on the most likely word stays the same, whichever it is. "
        "Asked for is the depth from which on it is the target.",
        [
            (
                _SETTLED,
                "top = logits.argmax(-1)\n    settled = ((top != top[-1]) * after).amax(0)",
            )
        ],
        points=4,
    ),
    Mistake(
        "last_wrong",
        "This is the last depth at which the target is not on top, or one too few. It's "
        "settled at the depth after that one.",
        [(_SETTLED, "settled = ((wrong * after).amax(0) - 1).clamp(min=0)")],
        other_forms=(
            [(_SETTLED, "settled = (wrong * after).amax(0) - 1")],
            [
                (
                    _SETTLED,
                    "settled = (wrong * after).amax(0) - 1\n"
                    "    settled = torch.where(wrong[-1], depths, settled)",
                )
            ],
        ),
        points=4,
    ),
    Mistake(
        "one_too_deep",
        "All depths are one too large: the embeddings are depth 0.",
        [(_SETTLED, "settled = (wrong * after).amax(0) + 1")],
        other_forms=(
            [
                (
                    _SETTLED,
                    "settled = torch.where(wrong[-1], depths, (wrong * after).amax(0) + 1)",
                )
            ],
        ),
        points=4,
    ),
    Mistake(
        "last_depth_ignored",
        "The last depth isn't looked at. A target is settled only if it's still on top there; "
        "otherwise it gets the number of depths.",
        [(_SETTLED, "settled = (wrong * after)[:-1].amax(0)")],
        other_forms=(
            [
                (
                    _SETTLED,
                    "settled = torch.where(wrong[-2], depths, (wrong * after)[:-1].amax(0))",
                )
            ],
        ),
        points=4,
    ),
    Mistake(
        "never_is_minus_1",
        "A target that isn't on top at the last depth gets −1. It gets the number of depths.",
        [(_SETTLED, "settled = torch.where(wrong[-1], -1, (wrong * after).amax(0))")],
        points=4,
    ),
    Mistake(
        "never_is_0",
        "A target that isn't on top at the last depth gets 0, as if it had been there from the "
        "embeddings on. It gets the number of depths.",
        [(_SETTLED, "settled = torch.where(wrong[-1], 0, (wrong * after).amax(0))")],
        points=4,
    ),
    Mistake(
        "always_is_never",
        "A target that is on top at all depths gets the number of depths, as if it never were: "
        "its first depth is 0, which counts as false. Ask whether there is one at all.",
        [(_SETTLED, "settled = (wrong * after).amax(0)\n    settled[settled == 0] = depths")],
        points=4,
    ),
    Mistake(
        "never_is_the_last",
        "A target that isn't on top at the last depth gets the number of the last depth. It "
        "gets the number of depths, which is one more.",
        [(_SETTLED, "settled = (wrong * after).amax(0).clamp(max=depths - 1)")],
        points=4,
    ),
    Mistake(
        "last_time_on_top",
        "This is the last depth at which the target is on top. Asked for is the first one from "
        "which on it is on top without a break.",
        [
            (
                _SETTLED,
                "settled = torch.where(wrong.all(0), depths, (~wrong * after).amax(0) - 1)",
            )
        ],
        points=4,
    ),
    Mistake(
        "times_on_top",
        "This is the number of depths at which the target isn't on top. A depth is asked for: "
        "that after the last one at which it isn't.",
        [(_SETTLED, "settled = wrong.sum(0)")],
        other_forms=([(_SETTLED, "settled = torch.where(wrong[-1], depths, wrong.sum(0))")],),
        points=4,
    ),
    Mistake(
        "batch_first",
        "The depths aren't the first axis: `[depths, batch, tokens]`, as `torch.stack` makes it.",
        [
            (
                "return log_probs, ranks, settled",
                "return log_probs.transpose(0, 1), ranks.transpose(0, 1), settled",
            )
        ],
        other_forms=(
            [
                (
                    "return log_probs, ranks, settled",
                    "return log_probs.permute(1, 2, 0), ranks.permute(1, 2, 0), settled",
                )
            ],
        ),
        points=0,
    ),
    Mistake(
        "floating_point",
        "The numbers are right, but ranks or depths are floating point numbers. Asked for is "
        "int64.",
        [
            (
                "return log_probs, ranks, settled",
                "return log_probs, ranks.float(), settled.float()",
            )
        ],
        points=3,
    ),
    kept_name("target_ids", "states", "    logits ="),
)
