"""The known mistakes of `route`."""

from __future__ import annotations

from grading.content.common import changed_in_place, cut_off, kept_value
from grading.content.modern_decoder.sections import BALANCE
from grading.exercise import Mistake

_SUMS = "(scores + bias)"
_SORTED = "(scores + bias).sort(dim=-1, descending=True, stable=True).indices"
_DIVIDED = "chosen / chosen.sum(dim=-1, keepdim=True)"
_STEP = "speed * (average - load).sign()"
_SHORT_LOADS = [
    (", minlength=experts", ""),
    (
        f"new_bias = bias + {_STEP}",
        f"new_bias = bias.clone()\n    new_bias[: len(load)] += {_STEP}",
    ),
]


COMBINED = (
    "biased_weights",
    "not_normalised",
    "softmax_scores",
    "no_bias",
    "sign_of_bias",
    "any_of_equal",
    "softmax_of_chosen",
    "not_the_sign",
    "average_of_tokens",
)

MISTAKES = (
    Mistake(
        "biased_weights",
        "The weights are made of score + bias. The bias counts for the choice alone; weights "
        "are made of the scores without it.",
        [("scores.gather", "(scores + bias).gather")],
    ),
    Mistake(
        "not_normalised",
        "The weights aren't divided by their sum, so those of a token don't sum to 1.",
        [("chosen / chosen.sum(dim=-1, keepdim=True)", "chosen")],
    ),
    Mistake(
        "scaled",
        "The weights are multiplied by a number (`routed_scaling_factor`, 2.5 in DeepSeek-V3), "
        "so those of a token don't sum to 1.",
        [(_DIVIDED, f"{_DIVIDED} * 2.5")],
    ),
    Mistake(
        "guarded_sum",
        "The sum that the weights are divided by is kept away from 0 (`clamp`, or a small "
        "number added), so weights of tokens with very small scores don't sum to 1. A sum of "
        "sigmoids is never 0.",
        [(_DIVIDED, "chosen / chosen.sum(dim=-1, keepdim=True).clamp(min=1e-6)")],
        other_forms=(
            [(_DIVIDED, "chosen / chosen.sum(dim=-1, keepdim=True).clamp(min=1e-2)")],
            [(_DIVIDED, "chosen / (chosen.sum(dim=-1, keepdim=True) + 1e-6)")],
            [(_DIVIDED, "chosen / (chosen.sum(dim=-1, keepdim=True) + 1e-9)")],
        ),
    ),
    Mistake(
        "normalised_over_all",
        "The scores are divided by the sum over *all* experts. Divide by the sum over those "
        "that were chosen.",
        [("chosen / chosen.sum(", "chosen / scores.sum(")],
    ),
    Mistake(
        "normalised_over_tokens",
        "The sum runs over the tokens; it runs over the experts of each token.",
        [("chosen.sum(dim=-1, keepdim=True)", "chosen.sum(dim=0, keepdim=True)")],
        other_forms=([("chosen.sum(dim=-1, keepdim=True)", "chosen.sum()")],),
    ),
    Mistake(
        "softmax_scores",
        "The scores are a softmax over the experts, as in Mixtral. Here each is the sigmoid of "
        "its own logit.",
        [("logits.sigmoid()", "logits.softmax(-1)")],
    ),
    Mistake(
        "logits_as_scores",
        "The logits themselves are taken for scores. A score is the *sigmoid* of a logit.",
        [("logits.sigmoid()", "logits")],
    ),
    Mistake(
        "softmax_of_chosen",
        "The weights are a softmax of the chosen scores. Divide them by their sum instead.",
        [("chosen / chosen.sum(dim=-1, keepdim=True)", "chosen.softmax(-1)")],
        other_forms=(
            [
                ("scores.gather", "logits.gather"),
                ("chosen / chosen.sum(dim=-1, keepdim=True)", "chosen.softmax(-1)"),
            ],
        ),
    ),
    Mistake(
        "chosen_by_logits",
        "The bias is added to the *logits* for the choice. It's added to the scores, behind "
        "the sigmoid.",
        [(_SUMS, "(logits + bias)")],
        other_forms=(
            [("logits.sigmoid()", "(logits + bias).sigmoid()"), (_SUMS, "scores")],
            [(_SUMS, "(logits + bias).sigmoid()")],
        ),
    ),
    Mistake(
        "no_bias",
        "The bias isn't used in the choice.",
        [(_SUMS, "scores")],
    ),
    Mistake(
        "bias_subtracted",
        "The bias is subtracted for the choice; it is added.",
        [(_SUMS, "(scores - bias)")],
    ),
    Mistake(
        "smallest_chosen",
        "The experts with the *smallest* sums are chosen.",
        [("descending=True", "descending=False")],
    ),
    Mistake(
        "order_lost",
        "The experts aren't in the order of the choice: the largest sum comes first.",
        [("order[:, :top_k]", "order[:, :top_k].sort(dim=-1).values")],
        other_forms=([("order[:, :top_k]", "order[:, :top_k].flip(-1)")],),
    ),
    Mistake(
        "ordered_by_weight",
        "The chosen experts are in the order of their weights. They come in the order of the "
        "choice, by score + bias.",
        [
            (
                "    chosen = ",
                "    best = scores.gather(-1, expert_ids).argsort(dim=-1, descending=True, "
                "stable=True)\n"
                "    expert_ids = expert_ids.gather(-1, best)\n"
                "    chosen = ",
            )
        ],
    ),
    Mistake(
        "weights_in_other_order",
        "The weights aren't in the order of the experts they belong to.",
        [
            (
                "chosen / chosen.sum(dim=-1, keepdim=True)",
                "(chosen / chosen.sum(dim=-1, keepdim=True)).sort(-1, descending=True).values",
            )
        ],
        other_forms=([("scores.gather(-1, expert_ids)", "scores.topk(top_k).values")],),
    ),
    Mistake(
        "dense",
        "There is a weight for each expert. Return those of the chosen ones, [tokens, top_k], "
        "in the order of `expert_ids`.",
        [
            (
                "    load = ",
                "    weights = torch.zeros_like(scores).scatter(-1, expert_ids, weights)\n"
                "    load = ",
            )
        ],
    ),
    Mistake(
        "over_tokens",
        "The largest sums are looked for among the tokens of an expert. Each *token* chooses "
        "among its experts, along the last axis.",
        [(_SORTED, "(scores + bias).sort(dim=0, descending=True, stable=True).indices")],
        any_error=True,
    ),
    Mistake(
        "exchanged",
        "The weights come first, then the experts' ids.",
        [("return weights, expert_ids,", "return expert_ids, weights,")],
    ),
    Mistake(
        "any_of_equal",
        "Of equal sums not the lower index comes first: `topk`, and a sort that isn't told to "
        "be stable, promise nothing about equal numbers.",
        [(_SORTED, "(scores + bias).topk(top_k).indices")],
        other_forms=(
            [("stable=True", "stable=False")],
            [(_SORTED, "(scores + bias).argsort(dim=-1, descending=True)")],
        ),
        points=3,
    ),
    Mistake(
        "chosen_again",
        "Where the largest sum is looked for again and again, those that were chosen are "
        "marked with 0 or another number that sums reach, and may be chosen twice: sums can "
        "be negative. Mark them with −∞.",
        [
            (
                f"    order = {_SORTED}\n",
                "    left, places = (scores + bias).detach().clone(), []\n"
                "    for _ in range(top_k):\n"
                "        places.append(left.argmax(-1))\n"
                "        left[torch.arange(tokens), places[-1]] = 0.0\n"
                "    order = torch.stack(places, dim=-1)\n",
            )
        ],
        other_forms=tuple(
            [
                (
                    f"    order = {_SORTED}\n",
                    "    left, places = (scores + bias).detach().clone(), []\n"
                    "    for _ in range(top_k):\n"
                    "        places.append(left.argmax(-1))\n"
                    f"        left[torch.arange(tokens), places[-1]] = {mark}\n"
                    "    order = torch.stack(places, dim=-1)\n",
                )
            ]
            for mark in (-1.0, -10.0)
        ),
    ),
    Mistake(
        "larger_score_of_equal",
        "Of equal sums the one with the larger score comes first. It should be the one with "
        "the lower index.",
        [
            (
                f"    order = {_SORTED}\n",
                "    first = scores.sort(dim=-1, descending=True, stable=True).indices\n"
                "    sums = (scores + bias).gather(-1, first)\n"
                "    order = first.gather(\n"
                "        -1, sums.sort(dim=-1, descending=True, stable=True).indices\n"
                "    )\n",
            )
        ],
        points=3,
    ),
    Mistake(
        "higher_of_equal",
        "Of equal sums the *higher* index comes first. It should be the lower one.",
        [(_SORTED, "(scores + bias).sort(dim=-1, stable=True).indices.flip(-1)")],
        points=3,
    ),
    Mistake(
        "equal_by_a_trick",
        "Equal sums are told apart by a small number for each index, which also exchanges "
        "experts whose sums differ by less. A stable sort keeps equal ones in their order.",
        [(_SUMS, "(scores + bias - 1e-4 * torch.arange(experts))")],
        other_forms=([(_SUMS, "(scores + bias - 1e-6 * torch.arange(experts))")],),
        points=3,
    ),
    Mistake(
        "nearly_equal",
        "Sums that are nearly equal are taken for equal ones (rounded, or compared with a "
        "tolerance). The lower index comes first only where they are exactly equal.",
        [(_SUMS, "(scores + bias).mul(1e5).round()")],
        points=3,
    ),
    Mistake(
        "large_trick",
        "Equal sums are told apart by a number for each index that is so large that experts "
        "whose sums differ by a thousandth are exchanged. A stable sort keeps equal ones in "
        "their order.",
        [(_SUMS, "(scores + bias - 1e-3 * torch.arange(experts))")],
        other_forms=([(_SUMS, "(scores + bias - 1e-2 * torch.arange(experts))")],),
    ),
    Mistake(
        "sign_of_bias",
        "The bias moves the wrong way: the biases of busy experts rise. They should fall, and "
        "those of idle ones rise.",
        [("(average - load)", "(load - average)")],
        points=3,
        section=BALANCE,
    ),
    Mistake(
        "not_the_sign",
        "The bias changes by speed times the *difference* from the average. Only its sign "
        "counts: up or down by `speed`.",
        [(_STEP, "speed * (average - load)")],
        other_forms=(
            [(_STEP, "speed * (average - load) / average")],
            [(_STEP, "speed * (average - load) / load.sum()")],
        ),
        points=3,
        section=BALANCE,
    ),
    Mistake(
        "never_stays",
        "An expert whose load is exactly the average changes its bias. It stays.",
        [(_STEP, "speed * torch.where(load > average, -1.0, 1.0)")],
        other_forms=([(_STEP, "speed * torch.where(load >= average, -1.0, 1.0)")],),
        points=3,
        section=BALANCE,
    ),
    Mistake(
        "average_of_tokens",
        "The load is compared with a wrong average. The loads of all experts sum to tokens × "
        "top_k, so their average is that divided by the number of experts.",
        [("tokens * top_k / experts", "tokens * top_k // experts")],
        other_forms=(
            [("tokens * top_k / experts", "tokens / experts")],
            [("tokens * top_k / experts", "tokens / top_k")],
            [("tokens * top_k / experts", "load[load > 0].mean()")],
            [("tokens * top_k / experts", "load.median()")],
        ),
        points=3,
        section=BALANCE,
    ),
    Mistake(
        "load_of_scores",
        "The load is a sum of scores or weights. It's the *number* of tokens that chose the "
        "expert.",
        [
            (
                "    average = ",
                "    load = scores.sum(0) / scores.sum() * top_k * tokens\n    average = ",
            )
        ],
        other_forms=(
            [
                (
                    "torch.bincount(expert_ids.flatten(), minlength=experts)",
                    "torch.zeros(experts).index_add(0, expert_ids.flatten(), weights.flatten())",
                ),
                ("tokens * top_k / experts", "load.mean()"),
            ],
            [
                (
                    "    average = ",
                    "    load = scores.sum(0)\n    average = load.mean()\n    _ = ",
                )
            ],
        ),
        points=3,
        section=BALANCE,
    ),
    Mistake(
        "load_of_first",
        "Only each token's first choice counts as load. All its top_k choices do.",
        [("bincount(expert_ids.flatten()", "bincount(expert_ids[:, 0]")],
        other_forms=(
            [
                ("bincount(expert_ids.flatten()", "bincount(expert_ids[:, 0]"),
                ("tokens * top_k / experts", "tokens / experts"),
            ],
        ),
        points=3,
        section=BALANCE,
    ),
    Mistake(
        "counts_too_few",
        "`bincount` stops at the highest index that occurs. Tell it how many experts there "
        "are, for those that no token has chosen: `minlength`.",
        [(", minlength=experts", "")],
        any_error=True,
        section=BALANCE,
    ),
    Mistake(
        "loads_missing",
        "`bincount` stops at the highest index that occurs, so the loads of experts behind it "
        "are missing: their biases stay, or the average is that of the others. Tell it how "
        "many experts there are: `minlength`.",
        [*_SHORT_LOADS, ("tokens * top_k / experts", "load.mean()")],
        other_forms=(_SHORT_LOADS,),
        points=3,
        section=BALANCE,
    ),
    Mistake(
        "step_alone",
        "The step alone comes back. The new bias is the old one *plus* the step.",
        [("bias + speed", "speed")],
        points=3,
        section=BALANCE,
    ),
    Mistake(
        "speed_or_default",
        "A `speed` of 0 is taken for none, as `speed or 0.001` does. It is a number like any "
        "other, with which the bias stays; the default in the signature is enough.",
        [("+ speed *", "+ (speed or 0.001) *")],
        points=3,
    ),
    Mistake(
        "fixed_speed",
        "The bias changes by a fixed number, not by the argument `speed`.",
        [("+ speed *", "+ 0.001 *")],
        other_forms=([("+ speed *", "+ 1.0 *")],),
        points=3,
        section=BALANCE,
    ),
    Mistake(
        "bias_centred",
        "The mean is taken off the biases, or off their steps. Each bias moves by `speed`, up "
        "or down, or stays; nothing else happens to it.",
        [
            (
                "return weights, expert_ids, new_bias",
                "return weights, expert_ids, new_bias - new_bias.mean()",
            )
        ],
        other_forms=([(_STEP, f"{_STEP}\n    new_bias = new_bias - (new_bias - bias).mean()")],),
        points=3,
        section=BALANCE,
    ),
    Mistake(
        "old_bias",
        "The bias comes back as it was.",
        [(_STEP, "0.0")],
        points=3,
        section=BALANCE,
    ),
    changed_in_place(
        "bias",
        [
            (
                "bias + speed * (average - load).sign()",
                "bias.data.add_(speed * (average - load).sign())",
            )
        ],
        points=0,
        any_error=True,
    ),
    cut_off([("    return weights, ", "    return weights.detach(), ")]),
    kept_value("speed=0.001", "order[:, :top_k]", "(order.shape, top_k)"),
)
