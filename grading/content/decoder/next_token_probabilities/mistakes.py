"""The known mistakes of `next_token_probabilities`."""

from __future__ import annotations

from grading.content.common import cut_off, kept_name
from grading.content.decoder.sections import COMMON, TEMPERATURE
from grading.exercise import Mistake

_BEFORE = "F.pad(ordered.cumsum(-1)[..., :-1], (1, 0))"  # what several mistakes rewrite


_ALONG_1 = [  # the vocabulary is looked for along axis 1
    ("logits.size(-1)", "logits.size(1)"),
    (
        "topk(min(top_k, vocab)).values[..., -1:]",
        "topk(min(top_k, vocab), dim=1).values[:, -1:]",
    ),
    (
        "left = scores.masked_fill(~keep, -math.inf).softmax(-1)",
        "left = scores.masked_fill(~keep, -math.inf).softmax(1)",
    ),
    ("sort(descending", "sort(dim=1, descending"),
    (_BEFORE, "ordered.cumsum(1) - ordered"),
    ("scatter(-1", "scatter(1"),
    (
        "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
        "result = scores.masked_fill(~keep, -math.inf).softmax(1)",
    ),
]
_LOW = "scores.masked_fill(~keep, -1e4)"
_GREEDY = (
    "    if temperature == 0:\n"
    "        best = logits.argmax(-1)\n"
    "        return F.one_hot(best, vocab).to(logits.dtype)\n"
)


COMBINED = (
    "multiplied",
    "small_fill",
    "one_less",
    "not_renormalised",
    "crossing_dropped",
    "crossing_and_next",
    "p_before_k",
    "not_scattered",
    "no_limit",
)

MISTAKES = (
    Mistake(
        "multiplied",
        "The logits are multiplied by the temperature; divide by it. A temperature below 1 "
        "must make the largest probability larger.",
        [("logits / temperature", "logits * temperature")],
        section=TEMPERATURE,
    ),
    Mistake(
        "no_temperature",
        "`temperature` is not used.",
        [("logits / temperature", "logits")],
        section=TEMPERATURE,
    ),
    Mistake(
        "temperature_last",
        "The filters looked at the logits before they were divided by the temperature. Divide "
        "first: it changes what top-p keeps.",
        [
            ("logits / temperature", "logits"),
            ("result = scores", "result = (scores / temperature)"),
        ],
        points=3,
    ),
    Mistake(
        "small_fill",
        "The logits that are cut are set to about 0 (such as 1e-10). That is no small logit: "
        "e⁰ = 1. Set them to −∞.",
        [
            (
                "result = scores.masked_fill(~keep, -math.inf)",
                "result = scores.masked_fill(~keep, 1e-10)",
            )
        ],
        other_forms=(
            [
                (
                    "left = scores.masked_fill(~keep, -math.inf)",
                    "left = scores.masked_fill(~keep, 1e-10)",
                ),
                (
                    "result = scores.masked_fill(~keep, -math.inf)",
                    "result = scores.masked_fill(~keep, 1e-10)",
                ),
            ],
        ),
        section=COMMON,
    ),
    Mistake(
        "no_top_k",
        "`top_k` is not used.",
        [("        keep = scores >= smallest\n", "")],
    ),
    Mistake(
        "one_more",
        "Top-k keeps k + 1 tokens: in descending order the smallest that is kept is number "
        "k − 1, counted from 0.",
        [("min(top_k, vocab)", "min(top_k + 1, vocab)")],
        section=COMMON,
    ),
    Mistake(
        "one_less",
        "Top-k keeps k − 1 tokens: the k-th largest must stay, so cut what is *smaller* than it.",
        [("min(top_k, vocab)", "max(1, min(top_k - 1, vocab))")],
        other_forms=([("scores >= smallest", "(scores > smallest) | (top_k >= vocab)")],),
    ),
    Mistake(
        "not_renormalised",
        "What is cut gets 0, but the others are not enlarged: the rows sum to less than 1. Cut "
        "logits before the softmax, or divide by the new sum.",
        [
            (
                "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                "result = scores.softmax(-1) * keep",
            )
        ],
    ),
    Mistake(
        "k_not_renormalised",
        "After top-k the rows sum to less than 1: what is cut gets 0, but the others are not "
        "enlarged. Cut logits before the softmax, or divide by the new sum.",
        [
            (
                "left = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                "left = scores.softmax(-1) * keep",
            ),
            (
                "    return result",
                "    if top_p is None:\n"
                "        result = scores.softmax(-1) * keep\n"
                "    return result",
            ),
        ],
    ),
    Mistake(
        "whole_batch",
        "Top-k keeps k tokens of the whole batch. Each row has its own k-th largest logit: "
        "`topk` along the last axis, and keep that axis with `[..., -1:]`.",
        [
            (
                "scores.topk(min(top_k, vocab)).values[..., -1:]",
                "scores.flatten().topk(min(top_k, vocab)).values[-1]",
            )
        ],
    ),
    Mistake(
        "smallest_threshold",
        "There is one top-k threshold for all rows. Each row has its own k-th largest logit: "
        "take it along the last axis, and keep that axis with `[..., -1:]`.",
        [("values[..., -1:]", "values[..., -1:].min()")],
        other_forms=(
            [("values[..., -1:]", "values[..., -1:].max()")],
            [("values[..., -1:]", "values[..., -1:].flatten()[0]")],
        ),
    ),
    Mistake(
        "best_cut",
        "Top-k cuts the k most likely tokens and keeps the others: what is *smaller* than the "
        "k-th largest is to be cut.",
        [("scores >= smallest", "scores < smallest")],
        other_forms=([("scores >= smallest", "(scores < smallest) | (top_k >= vocab)")],),
    ),
    Mistake(
        "lost_axis",
        "The k-th largest logits have lost their last axis: they are `[batch]` beside logits "
        "of `[batch, vocab]`. `[..., -1:]`, or `keepdim=True`, keeps it.",
        [("values[..., -1:]", "values[..., -1]")],
    ),
    Mistake(
        "softmax_twice",
        "A softmax is given probabilities. It takes logits: probabilities lie between 0 and 1, "
        "and what a second softmax makes of them is nearly uniform.",
        [("logits / temperature", "(logits / temperature).softmax(-1)")],
        other_forms=([("return result", "return result.softmax(-1)")],),
    ),
    Mistake(
        "heated_twice",
        "The logits are divided by the temperature twice. Once is enough, before the filters.",
        [("logits / temperature", "logits / temperature / temperature")],
        other_forms=([("result = scores", "result = (scores / temperature)")],),
        section=TEMPERATURE,
    ),
    Mistake(
        "none_compared",
        "`top_k` and `top_p` may be None, and None cannot be compared with a number: ask "
        "whether they are `not None` first.",
        [("top_k is not None", "top_k > 0")],
        other_forms=([("top_p is not None and top_p < 1", "top_p < 1")],),
    ),
    Mistake(
        "after_softmax",
        "The probabilities are divided by the temperature, so they no longer sum to 1. Divide "
        "the logits, before the softmax.",
        [("logits / temperature", "logits"), ("return result", "return result / temperature")],
        section=TEMPERATURE,
    ),
    Mistake(
        "only_kept",
        "With top-k only the k probabilities that are left come back. All tokens need one, "
        "those that are cut 0, in the order of the vocabulary.",
        [
            (
                "return result",
                "return result if top_k is None else "
                "result.sort(descending=True).values[..., :top_k]",
            )
        ],
    ),
    Mistake(
        "ids",
        "The id of a token comes back, drawn or the most likely one. Asked for are the "
        "probabilities with which it is drawn.",
        [
            ("return F.one_hot(best, vocab).to(logits.dtype)", "return best"),
            ("return result", "return result.argmax(-1)"),
        ],
        other_forms=(
            [
                ("return F.one_hot(best, vocab).to(logits.dtype)", "return best[..., None]"),
                ("return result", "return result.argmax(-1, keepdim=True)"),
            ],
            [
                ("return F.one_hot(best, vocab).to(logits.dtype)", "return best[..., None]"),
                ("return result", "return result.multinomial(1)"),
            ],
            [
                ("return F.one_hot(best, vocab).to(logits.dtype)", "return best"),
                ("return result", "return result.multinomial(1).squeeze(-1)"),
            ],
        ),
    ),
    Mistake(
        "no_top_p",
        "`top_p` is not used.",
        [("        keep = keep & ~outside.scatter(-1, order, outside)\n", "")],
        points=3,
    ),
    Mistake(
        "crossing_dropped",
        "The token whose probability makes the sum reach p is cut. The nucleus is the smallest "
        "set whose sum *reaches* p, so this token belongs to it.",
        [("before >= top_p", "(before + ordered > top_p) & (before > 0)")],
        points=3,
    ),
    Mistake(
        "first_dropped",
        "What makes the sum larger than p is cut, be it the first token: then no token is "
        "left, and the softmax of −∞ alone is NaN. Cut a token if those *before* it reach p.",
        [("before >= top_p", "before + ordered > top_p")],
        points=3,
    ),
    Mistake(
        "crossing_and_next",
        "The nucleus has one token too many: it is complete as soon as its sum reaches p.",
        [
            (
                "        keep = keep &",
                "        outside = outside & outside.roll(1, -1)\n        keep = keep &",
            )
        ],
        points=3,
    ),
    Mistake(
        "p_before_k",
        "Top-p was taken of all tokens, not of those that top-k left. Top-k comes first, and "
        "what is left counts as 1.",
        [("left = scores.masked_fill(~keep, -math.inf)", "left = scores")],
        other_forms=([("top_k is not None", "top_k is not None and top_p is None")],),
        points=3,
    ),
    Mistake(
        "tail_of_p",
        "What is cut are the least likely tokens that sum to p. It is the other way round: "
        "what *stays* sums to p at least, so at most 1 − p is cut.",
        [("before >= top_p", "1 - before <= top_p")],
        other_forms=([("before >= top_p", "(1 - before - ordered < top_p) & (before > 0)")],),
        points=3,
    ),
    Mistake(
        "first_not_kept",
        "Where the most likely token alone has more than p, it is cut, too, and nothing is "
        "left: a softmax of −∞ alone is NaN. At least one token always stays.",
        [
            (
                "before >= top_p",
                "torch.cat([ordered[..., :1] > top_p, before[..., 1:] >= top_p], -1)",
            )
        ],
        points=3,
    ),
    Mistake(
        "share_of_the_largest",
        "What is cut is less likely than `top_p` times the most likely token (“min-p”). Top-p "
        "compares sums: those of the tokens that are more likely.",
        [("outside = before >= top_p", "outside = ordered < top_p * ordered[..., :1]")],
        points=3,
    ),
    kept_name("top_p=None", "keep", "    result =", "(scores.shape, top_k, top_p)"),
    Mistake(
        "sum_along_0",
        "The running sum for top-p goes along another axis than the vocabulary. It needs "
        "`cumsum(dim=-1)`.",
        [(_BEFORE, "ordered.cumsum(0) - ordered")],
        other_forms=([(_BEFORE, "ordered.cumsum(1) - ordered")],),
        points=3,
    ),
    Mistake(
        "sum_of_logits",
        "The running sum for top-p is made of logits. Probabilities are summed: softmax first.",
        [
            (
                "left = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                "left = scores.masked_fill(~keep, -math.inf)",
            )
        ],
        points=3,
    ),
    Mistake(
        "sum_unsorted",
        "The running sum for top-p goes through the vocabulary in its own order. Sort the "
        "probabilities first, the largest in front.",
        [
            ("ordered, order = left.sort(descending=True, stable=True)", "ordered = left"),
            ("outside.scatter(-1, order, outside)", "outside"),
        ],
        points=3,
    ),
    Mistake(
        "nucleus_cut",
        "Top-p cuts the most likely tokens, whose sum reaches p, and keeps the others. They "
        "are what stays.",
        [("before >= top_p", "before < top_p")],
        points=3,
    ),
    Mistake(
        "not_scattered",
        "What top-p cuts was found in sorted order, and was cut at the same places of the "
        "*unsorted* logits. Bring it back into the order of the vocabulary first.",
        [("outside.scatter(-1, order, outside)", "outside")],
        points=3,
    ),
    Mistake(
        "gathered",
        "What top-p cuts was found in sorted order, and `gather` (or an index) does not bring "
        "it back: it sorts once more. `scatter` puts each mark where its token came from.",
        [("outside.scatter(-1, order, outside)", "outside.gather(-1, order)")],
        points=3,
    ),
    Mistake(
        "p_ascending",
        "Top-p adds up the *least* likely tokens first: the order is ascending where it should "
        "be descending.",
        [("descending=True", "descending=False")],
        points=3,
    ),
    Mistake(
        "p_not_renormalised",
        "After top-p the rows sum to less than 1: what is cut gets 0, but the others are not "
        "enlarged. Cut logits before the softmax, or divide by the new sum.",
        [("return result", "return result if top_p is None else left * keep")],
        points=3,
    ),
    Mistake(
        "sorted_by_p",
        "With top-p the probabilities come back sorted, and nobody knows which token they "
        "belong to. Bring them back into the order of the vocabulary.",
        [
            (
                "return result",
                "return result if top_p is None else result.sort(descending=True).values",
            )
        ],
        points=3,
    ),
    Mistake(
        "one_filter",
        "If both `top_k` and `top_p` are given, only top-k is done (`elif`). Top-p follows, on "
        "what top-k has left.",
        [("    if top_p", "    elif top_p")],
        points=3,
    ),
    Mistake(
        "threshold",
        "Each token's own probability was compared with p. Top-p compares the sum, of the "
        "token and of all that are more likely.",
        [
            (
                "~outside.scatter(-1, order, outside)",
                "(left >= ordered[..., :1].clamp(max=top_p))",
            )
        ],
        points=3,
    ),
    Mistake(
        "sorted_result",
        "The probabilities are right but sorted, and nobody knows which token they belong to. "
        "Bring them back into the order of the vocabulary.",
        [
            (
                "return F.one_hot(best, vocab).to(logits.dtype)",
                "return F.one_hot(best, vocab).to(logits.dtype).sort(descending=True).values",
            ),
            ("return result", "return result.sort(descending=True).values"),
        ],
    ),
    Mistake(
        "logits_returned",
        "These are the filtered logits; the softmax at the end is missing.",
        [
            (
                "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                "result = scores.masked_fill(~keep, -math.inf)",
            )
        ],
    ),
    Mistake(
        "logarithms",
        "These are logarithms of the probabilities (`log_softmax`).",
        [
            (
                "return F.one_hot(best, vocab).to(logits.dtype)",
                "return F.one_hot(best, vocab).to(logits.dtype).log()",
            ),
            ("return result", "return result.log()"),
        ],
    ),
    Mistake(
        "smallest_kept",
        "The filters keep the *least* likely tokens: the order is ascending where it should be "
        "descending.",
        [
            ("scores.topk", "(-scores).topk"),
            ("scores >= smallest", "-scores >= smallest"),
            ("left = scores", "left = (-scores)"),
        ],
    ),
    Mistake(
        "least_likely_k",
        "Top-k keeps the *least* likely tokens. It keeps the most likely ones: their logits "
        "are the largest.",
        [
            ("scores.topk", "(-scores).topk"),
            ("scores >= smallest", "-scores >= smallest"),
        ],
    ),
    Mistake(
        "softmax_over_batch",
        "The softmax runs over the batch. It belongs to the vocabulary, `dim=-1`, so that each "
        "row sums to 1.",
        [
            (
                "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                "result = scores.masked_fill(~keep, -1e9).softmax(0)",
            )
        ],
        other_forms=(
            [
                (
                    "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                    "result = scores.masked_fill(~keep, -math.inf).softmax(0)",
                )
            ],
            [
                (
                    "left = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                    "left = scores.masked_fill(~keep, -math.inf).softmax(0)",
                ),
                (
                    "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                    "result = scores.masked_fill(~keep, -math.inf).softmax(0)",
                ),
            ],
        ),
    ),
    Mistake(
        "always_greedy",
        "Every row is 1 at its largest logit: that is greedy, whatever the settings.",
        [
            (
                "    if temperature == 0:\n        best = logits.argmax(-1)\n        return F",
                "    best = logits.argmax(-1)\n    return F",
            )
        ],
        section="“Write” in chapter 8",
    ),
    Mistake(
        "first_row",
        "All rows keep the tokens of the first one. Each row has its own.",
        [("    result =", "    keep = keep.reshape(-1, vocab)[0]\n    result =")],
    ),
    cut_off([("return result", "return result.detach()")], "detached"),
    Mistake(
        "in_place",
        "The logits that were given are changed in place, by `/=` or by writing into them. "
        "Whoever calls the function needs them again: divide with `/`, cut with `masked_fill`.",
        [("    return result", "    logits.detach().div_(temperature)\n    return result")],
        other_forms=(
            [
                (
                    "    scores = logits / temperature",
                    "    logits /= temperature\n    scores = logits",
                )
            ],
            [
                (
                    "    return result",
                    "    if temperature == 1:\n"
                    "        logits.detach().masked_fill_(~keep, -math.inf)\n"
                    "    return result",
                )
            ],
        ),
    ),
    Mistake(
        "no_zero",
        "With temperature 0 the logits are divided by 0. As T falls to 0 the most likely token "
        "gets everything: give it 1.",
        [(_GREEDY, "")],
        points=3,
        section=TEMPERATURE,
    ),
    Mistake(
        "zero_is_one",
        "Temperature 0 is treated as if there were no temperature (in Python 0 counts as "
        "False). As T falls to 0 the most likely token gets everything: give it 1.",
        [(_GREEDY, "    temperature = temperature or 1.0\n")],
        points=3,
        section=TEMPERATURE,
    ),
    Mistake(
        "zero_in_batch",
        "With temperature 0 only the largest logit of the whole batch gets 1. Each row has its "
        "own: `argmax(dim=-1)`.",
        [(".to(logits.dtype)", ".to(logits.dtype) * (logits == logits.max())")],
        points=3,
        section=TEMPERATURE,
    ),
    Mistake(
        "temperature_floor",
        "A small temperature is raised to a larger one, such as 0.1. Every temperature above 0 "
        "is the one that was asked for.",
        [("logits / temperature", "logits / max(temperature, 0.1)")],
        other_forms=tuple(
            [("logits / temperature", f"{these} / max(temperature, {least})")]
            for these in ("logits", "(logits - logits.amax(-1, True))")
            for least in (1e-5, 0.001, 0.01, 0.05)
        ),
        points=3,
        section=TEMPERATURE,
    ),
    Mistake(
        "nearly_zero",
        "With temperature 0 the logits are divided by a small number that is not small enough: "
        "where two are near, both get a share. Give 1 to the largest instead.",
        [(_GREEDY, "    temperature = max(temperature, 1e-3)\n")],
        other_forms=(
            [(_GREEDY, "    temperature = max(temperature, 1e-2)\n")],
            [(_GREEDY, "    temperature = max(temperature, 2e-3)\n")],
            [(_GREEDY, "    temperature = max(temperature, 5e-2)\n")],
        ),
        points=3,
        section=TEMPERATURE,
    ),
    Mistake(
        "finite_fill",
        "The logits that are cut are set to a low number, such as −1000. Divided by a "
        "temperature of nearly 0, those that stay may lie lower still, and what was cut wins. "
        "Set it to −∞.",
        [
            ("left = scores.masked_fill(~keep, -math.inf)", f"left = {_LOW}"),
            ("result = scores.masked_fill(~keep, -math.inf)", f"result = {_LOW}"),
        ],
        points=3,
        section=TEMPERATURE,
    ),
    Mistake(
        "lowered",
        "The logits that are cut are lowered by a number, such as 50, so their probability is "
        "small and not 0. Set them to −∞.",
        [
            ("left = scores.masked_fill(~keep, -math.inf)", "left = (scores - 50.0 * ~keep)"),
            (
                "result = scores.masked_fill(~keep, -math.inf)",
                "result = (scores - 50.0 * ~keep)",
            ),
        ],
        points=3,
    ),
    Mistake(
        "by_hand",
        "At a temperature near 0 the result is NaN: exponentials (or powers of probabilities) "
        "taken by hand become infinite, or all of them 0, before they are divided by their "
        "sum. What does `softmax` subtract first?",
        [
            (
                "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                "result = scores.exp() * keep / (scores.exp() * keep).sum(-1, keepdim=True)",
            )
        ],
        other_forms=(
            [
                (
                    "scores = logits / temperature",
                    "scores = (logits.softmax(-1) ** (1 / temperature)).log()",
                )
            ],
        ),
        points=3,
        section=TEMPERATURE,
    ),
    Mistake(
        "zero_integers",
        "With temperature 0 the result is made of integers, as `one_hot` gives them. It must "
        "have the dtype of the logits.",
        [(".to(logits.dtype)", "")],
        points=3,
        section=TEMPERATURE,
    ),
    Mistake(
        "zero_index",
        "With temperature 0 the id of the token comes back. Asked for are probabilities here, "
        "too: 1 at this token, 0 elsewhere.",
        [("F.one_hot(best, vocab).to(logits.dtype)", "best")],
        points=3,
        section=TEMPERATURE,
    ),
    Mistake(
        "no_limit",
        "`topk` fails if k is larger than the vocabulary; take the smaller of the two.",
        [("min(top_k, vocab)", "top_k")],
        points=3,
        any_error=True,
    ),
    Mistake(
        "limit_less",
        "Where k is larger than the vocabulary, one token is cut. Then all of them stay: the "
        "limit is the vocabulary's size, and no less.",
        [("min(top_k, vocab)", "min(top_k, vocab - 1)")],
        points=3,
    ),
    Mistake(
        "zero_softmax",
        "With temperature 0 a softmax follows after the most likely token got its 1, and gives "
        "the others a share again.",
        [(".to(logits.dtype)", ".to(logits.dtype).softmax(-1)")],
        points=3,
        section=TEMPERATURE,
    ),
    Mistake(
        "k_of_two_axes",
        "Top-k works for two axes only. `[..., -1:]` takes the last number however many axes "
        "stand before it, `[:, [-1]]` does not.",
        [
            (
                "topk(min(top_k, vocab)).values[..., -1:]",
                "topk(min(top_k, vocab)).values[:, [-1]]",
            )
        ],
        points=3,
        any_error=True,
    ),
    Mistake(
        "two_axes_only",
        "It works for two axes only. Count the vocabulary from the end (`dim=-1`, "
        "`[..., -1:]`) and any number of axes may stand before it.",
        [
            ("argmax(-1)", "argmax(1)"),
            *_ALONG_1,
        ],
        other_forms=(
            [
                (
                    "result = scores.masked_fill(~keep, -math.inf).softmax(-1)",
                    "result = scores.masked_fill(~keep, -math.inf).softmax(1)",
                )
            ],
            [("vocab = logits.size(-1)", "_, vocab = logits.shape")],
            [
                ("best = logits.argmax(-1)", "best = logits.argmax(1, keepdim=True)"),
                (
                    "F.one_hot(best, vocab).to(logits.dtype)",
                    "torch.zeros_like(logits).scatter(1, best, 1.0)",
                ),
                *_ALONG_1,
            ],
        ),
        points=2,
        any_error=True,
    ),
)
