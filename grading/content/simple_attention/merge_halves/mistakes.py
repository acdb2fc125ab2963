"""The known mistakes of `merge_halves`."""

from __future__ import annotations

from grading.content.common import cut_off, kept_name
from grading.content.simple_attention.sections import SOFTMAX
from grading.exercise import Mistake
from grading.exercise.edits import Edits

_OVERFLOW = (
    "e^lse overflows at large scores and vanishes at very negative ones{}. Subtract the larger "
    "log-sum-exp before the exponential."
)

_ONE_MAXIMUM = (
    "One maximum is subtracted for all queries: where a query lies far below it, both "
    "exponentials vanish{}. Each query needs the larger of its own two."
)


def _axis_at(place: int) -> Edits:
    return [(f"share_{half}.unsqueeze(-1)", f"share_{half}.unsqueeze({place})") for half in "ab"]


_BY_EXPONENTIALS = [  # shares that are made of `total`
    ("(lse_a - seen).exp()", "lse_a.exp() / total"),
    ("(lse_b - seen).exp()", "lse_b.exp() / total"),
]


def _with_epsilon(epsilon: str) -> Edits:
    return [
        (
            "lse = torch.logaddexp(lse_a, lse_b)",
            f"total = lse_a.exp() + lse_b.exp() + {epsilon}\n    lse = total.log()",
        ),
        *_BY_EXPONENTIALS,
    ]


def _clamped_shares(limit: str) -> Edits:
    return [
        (
            "lse = torch.logaddexp(lse_a, lse_b)",
            f"lse_a, lse_b = lse_a.clamp(max={limit}), lse_b.clamp(max={limit})\n"
            "    lse = torch.logaddexp(lse_a, lse_b)",
        )
    ]


def _clamped_high(limit: str) -> Edits:
    return [
        (
            "lse = torch.logaddexp(lse_a, lse_b)",
            f"lse_a, lse_b = lse_a.clamp(max={limit}), lse_b.clamp(max={limit})\n"
            "    total = lse_a.exp() + lse_b.exp()\n"
            "    lse = total.log()\n"
            "    total = torch.where(total == 0, 1.0, total)",
        ),
        *_BY_EXPONENTIALS,
    ]


_BY_LARGEST = [
    (
        "lse = torch.logaddexp(lse_a, lse_b)",
        "largest = torch.maximum(lse_a, lse_b).max()\n"
        "    total = (lse_a - largest).exp() + (lse_b - largest).exp()\n"
        "    lse = largest + total.log()",
    ),
    ("(lse_a - seen).exp()", "(lse_a - largest).exp() / total"),
    ("(lse_b - seen).exp()", "(lse_b - largest).exp() / total"),
]


COMBINED = (
    "plain_average",
    "plain_sum",
    "not_normalised",
    "shares_exchanged",
    "larger_half_only",
    "lse_added",
    "lse_maximum",
    "lse_averaged",
    "lse_not_logarithm",
    "exchanged_results",
)

MISTAKES = (
    kept_name("output_b, lse_b", "seen", "    share_a = ("),
    Mistake(
        "log_of_the_mean",
        "The log-sum-exp is too small by log 2, as if it were that of the average of both "
        "halves; it is that of their sum.",
        [("return output, lse", "return output, lse - math.log(2)")],
    ),
    Mistake(
        "plain_average",
        "The two outputs are averaged half and half. A half whose keys score higher must "
        "count for more: its share is e^lse over the sum of both.",
        [
            (
                "share_a.unsqueeze(-1) * output_a + share_b.unsqueeze(-1) * output_b",
                "(output_a + output_b) / 2",
            )
        ],
    ),
    Mistake(
        "plain_sum",
        "The two outputs are added up. Each is an average already: weigh them with shares "
        "that sum to 1.",
        [
            (
                "share_a.unsqueeze(-1) * output_a + share_b.unsqueeze(-1) * output_b",
                "output_a + output_b",
            )
        ],
    ),
    Mistake(
        "not_normalised",
        "The outputs are multiplied by e^lse but not divided by the sum of both: the shares "
        "do not sum to 1.",
        [("(lse_a - seen).exp()", "lse_a.exp()"), ("(lse_b - seen).exp()", "lse_b.exp()")],
    ),
    Mistake(
        "shares_from_logarithms",
        "The shares are proportional to lse itself; lse is a logarithm, so take e^lse first.",
        [
            ("(lse_a - seen).exp()", "lse_a / (lse_a + lse_b)"),
            ("(lse_b - seen).exp()", "1 - share_a"),
        ],
    ),
    Mistake(
        "logarithms_taken_for_sums",
        "The log-sum-exps are added, and the outputs are weighed by their shares of that sum. "
        "They are *logarithms* of sums: add e^lse of both, and take the logarithm of that; the "
        "shares are those of e^lse.",
        [
            ("(lse_a - seen).exp()", "lse_a / (lse_a + lse_b)"),
            ("(lse_b - seen).exp()", "1 - share_a"),
            ("return output, lse", "return output, lse_a + lse_b"),
        ],
    ),
    Mistake(
        "shares_exchanged",
        "The shares are exchanged: the first half is weighed by the second half's sum.",
        [
            ("(lse_a - seen).exp()", "(lse_b - lse).exp()"),
            ("(lse_b - seen).exp()", "(lse_a - lse).exp()"),
        ],
    ),
    Mistake(
        "larger_half_only",
        "Only the half with the larger log-sum-exp is kept; the other one has a share, too.",
        [
            ("(lse_a - seen).exp()", "(lse_a >= lse_b).float()"),
            ("(lse_b - seen).exp()", "1 - share_a"),
        ],
    ),
    Mistake(
        "share_of_first_for_both",
        "Both outputs are weighed with the share of the first half; the second half's share is "
        "the rest to 1.",
        [
            ("(lse_a - seen).exp()", "torch.sigmoid(lse_a - lse_b)"),
            ("(lse_b - seen).exp()", "share_a"),
        ],
    ),
    Mistake(
        "share_inverted",
        "The shares are e^(lse − lse_a) and e^(lse − lse_b), which is one over the shares: the "
        "sign of the exponent is wrong.",
        [("lse_a - seen", "seen - lse_a"), ("lse_b - seen", "seen - lse_b")],
    ),
    Mistake(
        "softmax_over_queries",
        "The softmax runs over the queries of one half; for each query it must run over its "
        "two halves (`torch.stack((lse_a, lse_b))`, then `dim=0`).",
        [
            ("(lse_a - seen).exp()", "lse_a.softmax(dim=-1)"),
            ("(lse_b - seen).exp()", "lse_b.softmax(dim=-1)"),
        ],
    ),
    Mistake(
        "shares_without_axis",
        "The shares do not fit the outputs [..., queries, d_v]: they need an axis of size 1 at "
        "the end, [..., queries, 1], as `unsqueeze(-1)` makes it.",
        [
            (
                "share_a.unsqueeze(-1) * output_a + share_b.unsqueeze(-1) * output_b",
                "share_a * output_a + share_b * output_b",
            )
        ],
    ),
    Mistake(
        "axis_at_a_fixed_place",
        "The shares get their new axis at a fixed place (`[:, :, None]`), which is right for "
        "one number of axes in front and for no other. It belongs at the end: "
        "`unsqueeze(-1)`, or `[..., None]`.",
        _axis_at(2),
        other_forms=tuple(map(_axis_at, (1, 3))),
    ),
    Mistake(
        "lse_added",
        "The output is right, but the two log-sum-exps are added up. They are logarithms of "
        "sums: add the sums, then take the logarithm.",
        [("return output, lse", "return output, lse_a + lse_b")],
    ),
    Mistake(
        "lse_added_with_axis",
        "The output is right, but the two log-sum-exps are added up, and come back with the "
        "axis that the shares needed. They are logarithms of sums: add the sums, then take the "
        "logarithm, and return it as [..., queries].",
        [("return output, lse", "return output, (lse_a + lse_b).unsqueeze(-1)")],
    ),
    Mistake(
        "lse_without_maximum",
        "The output is right, but the log-sum-exp lacks the maximum that was subtracted before "
        "the exponentials: the logarithm of their sum is smaller by as much, so add it again.",
        [
            (
                "return output, lse",
                "largest = torch.maximum(lse_a, lse_b).clamp(min=-1e30)\n"
                "    total = (lse_a - largest).exp() + (lse_b - largest).exp()\n"
                "    return output, total.log()",
            )
        ],
    ),
    Mistake(
        "lse_maximum",
        "The output is right, but the larger log-sum-exp is returned: the smaller one's sum "
        "is missing.",
        [("return output, lse", "return output, torch.maximum(lse_a, lse_b)")],
    ),
    Mistake(
        "lse_averaged",
        "The output is right, but the two log-sum-exps are averaged. They are logarithms of "
        "sums: add the sums, then take the logarithm.",
        [("return output, lse", "return output, (lse_a + lse_b) / 2")],
    ),
    Mistake(
        "lse_not_logarithm",
        "The output is right, but the sum of exponentials is returned without its logarithm.",
        [("return output, lse", "return output, lse_a.exp() + lse_b.exp()")],
    ),
    Mistake(
        "base_two",
        "The logarithm to the base 2 is taken (`logaddexp2`); log-sum-exp is the natural one.",
        [("return output, lse", "return output, torch.logaddexp2(lse_a, lse_b)")],
        other_forms=(
            [("torch.logaddexp(lse_a", "torch.logaddexp2(lse_a")],
            [
                ("torch.logaddexp(lse_a", "torch.logaddexp2(lse_a"),
                ("(lse_a - seen).exp()", "(lse_a - seen).exp2()"),
                ("(lse_b - seen).exp()", "(lse_b - seen).exp2()"),
            ],
        ),
    ),
    Mistake(
        "log_of_summed_logarithms",
        "The output is right, but the logarithm is taken of the sum of both lse, which are "
        "logarithms already. Take e^lse of each first.",
        [("return output, lse", "return output, (lse_a + lse_b).log()")],
    ),
    Mistake(
        "sum_of_probabilities_in_lse",
        "The output is right, but lse is the average weighted by the shares; it is the "
        "logarithm of the summed exponentials, `logaddexp`.",
        [("return output, lse", "return output, share_a * lse_a + share_b * lse_b")],
    ),
    Mistake(
        "output_only",
        "Only the output is returned. Return the output and the merged log-sum-exp.",
        [("return output, lse", "return output")],
    ),
    Mistake(
        "exchanged_results",
        "The two results are exchanged: return the output first, then the log-sum-exp.",
        [("return output, lse", "return lse, output")],
    ),
    Mistake(
        "overflow",
        _OVERFLOW.format(", in the shares of the output and in the merged log-sum-exp"),
        [
            (
                "lse = torch.logaddexp(lse_a, lse_b)",
                "total = lse_a.exp() + lse_b.exp()\n    lse = total.log()",
            ),
            *_BY_EXPONENTIALS,
        ],
        points=2,
        section=SOFTMAX,
    ),
    Mistake(
        "overflow_guarded",
        _OVERFLOW.format(
            ", in the shares of the output and in the merged log-sum-exp, and a query whose "
            "sums vanish is taken for one that saw nothing"
        ),
        [
            (
                "lse = torch.logaddexp(lse_a, lse_b)",
                "total = lse_a.exp() + lse_b.exp()\n"
                "    lse = total.log()\n"
                "    total = torch.where(total == 0, 1.0, total)",
            ),
            *_BY_EXPONENTIALS,
        ],
        points=3,
        section=SOFTMAX,
    ),
    Mistake(
        "overflow_in_shares",
        _OVERFLOW.format(", in the shares of the output"),
        [
            (
                "lse = torch.logaddexp(lse_a, lse_b)",
                "total = lse_a.exp() + lse_b.exp()\n    lse = torch.logaddexp(lse_a, lse_b)",
            ),
            *_BY_EXPONENTIALS,
        ],
        points=2,
    ),
    Mistake(
        "overflow_in_shares_guarded",
        _OVERFLOW.format(
            ", in the shares of the output, and a query whose sums vanish is taken for one "
            "that saw nothing"
        ),
        [
            (
                "lse = torch.logaddexp(lse_a, lse_b)",
                "total = lse_a.exp() + lse_b.exp()\n"
                "    total = torch.where(total == 0, 1.0, total)\n"
                "    lse = torch.logaddexp(lse_a, lse_b)",
            ),
            *_BY_EXPONENTIALS,
        ],
        points=3,
    ),
    Mistake(
        "overflow_in_one_share",
        _OVERFLOW.format(", in one share, from which the other is taken as the rest to 1"),
        [
            ("(lse_a - seen).exp()", "lse_a.exp() / (lse_a.exp() + lse_b.exp())"),
            ("(lse_b - seen).exp()", "1 - share_a"),
        ],
        points=2,
    ),
    Mistake(
        "overflow_in_lse",
        _OVERFLOW.format(", in the merged log-sum-exp (the output is right)"),
        [("return output, lse", "return output, (lse_a.exp() + lse_b.exp()).log()")],
        points=3,
    ),
    Mistake(
        "first_subtracted",
        "The first half's log-sum-exp is subtracted, whichever is larger: e^(lse_b − lse_a) "
        "overflows where the second is far above it, and is NaN where the first half is empty. "
        "Subtract the larger of the two.",
        [
            (
                "torch.logaddexp(lse_a, lse_b)",
                "lse_a + (lse_b - lse_a).exp().log1p()",
            )
        ],
        other_forms=(
            [
                (
                    "torch.logaddexp(lse_a, lse_b)",
                    "lse_a + (lse_b - lse_a).exp().log1p()",
                ),
                ("lse.masked_fill(lse == -math.inf, 0.0)", "lse"),
            ],
        ),
        points=2,
        section=SOFTMAX,
    ),
    Mistake(
        "global_maximum",
        _ONE_MAXIMUM.format(", and 0/0 is NaN"),
        [
            (
                "return output, lse",
                "empty = (lse_a == -math.inf) & (lse_b == -math.inf)\n"
                "    return output.masked_fill(empty.unsqueeze(-1), 0.0), lse",
            ),
            *_BY_LARGEST,
        ],
        points=3,
    ),
    Mistake(
        "global_maximum_guarded",
        _ONE_MAXIMUM.format(", and it is taken for one that saw nothing"),
        [("    seen = ", "    total = total.clamp(min=1e-30)\n    seen = "), *_BY_LARGEST],
        points=3,
    ),
    Mistake(
        "global_maximum_nan",
        _ONE_MAXIMUM.format(", and 0/0 is NaN, as it is for a query that saw nothing at all"),
        _BY_LARGEST,
        points=2,
    ),
    cut_off([("return output, lse", "return output.detach(), lse.detach()")], points=3),
    Mistake(
        "finite_for_empty",
        "Minus infinity is replaced by a finite number, and the log-sum-exp of a query that "
        "saw no key in either half comes back finite. It must be −∞ there.",
        [("torch.logaddexp(lse_a, lse_b)", "torch.logaddexp(lse_a, lse_b).clamp(min=-1e30)")],
        other_forms=tuple(
            [("(lse_a, lse_b)", f"(lse_a.clamp(min=-{low}), lse_b.clamp(min=-{low}))")]
            for low in ("1e4", "1e9")
        ),
        points=3,
    ),
    Mistake(
        "clamped_low",
        "The log-sum-exps are kept above a number such as −100. They can lie below it, and −∞ "
        "is one of those that do.",
        [
            (
                "lse = torch.logaddexp(lse_a, lse_b)",
                "lse_a, lse_b = lse_a.clamp(min=-100.0), lse_b.clamp(min=-100.0)\n"
                "    lse = torch.logaddexp(lse_a, lse_b)",
            )
        ],
        points=2,
    ),
    Mistake(
        "clamped_high",
        "The log-sum-exps are kept below a number such as 80, so that their exponentials fit. "
        "They can lie above it: subtract the larger of the two instead.",
        _clamped_high("80.0"),
        other_forms=(
            *map(_clamped_high, ("85.0", "87.0", "88.0")),
            *map(_clamped_shares, ("80.0", "88.0")),
        ),
        points=3,
    ),
    Mistake(
        "zero_for_empty",
        "The −∞ of an empty half is replaced by 0 before the halves are merged: e⁰ = 1 is a "
        "share, and so the empty half has one. What is e to the −∞?",
        [
            (
                "lse = torch.logaddexp(lse_a, lse_b)",
                "lse_a, lse_b = (x.masked_fill(x == -math.inf, 0.0) for x in (lse_a, lse_b))\n"
                "    lse = torch.logaddexp(lse_a, lse_b)",
            )
        ],
        points=3,
    ),
    Mistake(
        "zero_output_empty",
        "A half whose output is zeros is taken for one that saw no key. Its values may have "
        "been zeros: it is its log-sum-exp, −∞ or not, that says whether it saw keys.",
        [
            (
                "    lse = torch.logaddexp(lse_a, lse_b)",
                "    lse_a = lse_a.masked_fill((output_a == 0).all(-1), -math.inf)\n"
                "    lse_b = lse_b.masked_fill((output_b == 0).all(-1), -math.inf)\n"
                "    lse = torch.logaddexp(lse_a, lse_b)",
            )
        ],
        points=3,
    ),
    Mistake(
        "zeros_for_one_empty",
        "A query that saw no key in one half gets zeros. It has the other half, whose output "
        "it gets; zeros are for a query that saw no key in either.",
        [
            (
                "return output, lse",
                "either = (lse_a == -math.inf) | (lse_b == -math.inf)\n"
                "    return output.masked_fill(either.unsqueeze(-1), 0.0), lse",
            )
        ],
        points=3,
    ),
    Mistake(
        "other_half_for_all",
        "Where one query saw no key in a half, all queries get the other half alone. Only that "
        "query does: for the others both halves count.",
        [
            (
                "    lse = torch.logaddexp(lse_a, lse_b)",
                "    if (lse_a == -math.inf).any():\n"
                "        return output_b, lse_b\n"
                "    if (lse_b == -math.inf).any():\n"
                "        return output_a, lse_a\n"
                "    lse = torch.logaddexp(lse_a, lse_b)",
            )
        ],
        points=3,
    ),
    Mistake(
        "overflow_with_epsilon",
        _OVERFLOW.format(
            ", in the shares of the output and in the merged log-sum-exp; and a small number "
            "is added to the sum, so that a query that saw nothing gets its logarithm, not −∞"
        ),
        _with_epsilon("1e-12"),
        other_forms=tuple(map(_with_epsilon, ("1e-10", "1e-9", "1e-8"))),
        points=2,
        section=SOFTMAX,
    ),
    Mistake(
        "zeros_for_all",
        "Where a query saw no key in either half, the output is zeros for all queries. Only "
        "its own is: the others saw keys.",
        [
            (
                "return output, lse",
                "if (lse == -math.inf).any():\n"
                "        output = torch.zeros_like(output)\n"
                "    return output, lse",
            )
        ],
        points=3,
    ),
    Mistake(
        "nan_when_empty",
        "A query that saw no key in either half gives NaN: −∞ minus −∞. Its output must be "
        "zeros and its log-sum-exp −∞.",
        [("lse.masked_fill(lse == -math.inf, 0.0)", "lse")],
        points=3,
    ),
    Mistake(
        "nan_twice_when_empty",
        "A query that saw no key in either half gives NaN for both results: the larger "
        "log-sum-exp is −∞, and −∞ minus −∞ is NaN. Subtract a finite number there.",
        [
            (
                "lse = torch.logaddexp(lse_a, lse_b)",
                "larger = torch.maximum(lse_a, lse_b)\n"
                "    lse = larger + ((lse_a - larger).exp() + (lse_b - larger).exp()).log()",
            )
        ],
        points=3,
    ),
    Mistake(
        "nan_lse_when_empty",
        "For a query that saw no key in either half the output is right, but the log-sum-exp "
        "is NaN: the larger one is −∞, and −∞ minus −∞ is NaN. It must be −∞.",
        [
            (
                "return output, lse",
                "larger = torch.maximum(lse_a, lse_b)\n"
                "    lse = larger + ((lse_a - larger).exp() + (lse_b - larger).exp()).log()\n"
                "    return output, lse",
            )
        ],
        points=3,
    ),
    Mistake(
        "zero_lse_when_empty",
        "For a query that saw no key in either half the log-sum-exp is 0. No keys have the sum "
        "0, and log 0 is −∞. (0 may stand in for it only while the shares are computed.)",
        [("return output, lse", "return output, seen")],
        points=3,
    ),
    Mistake(
        "lowest_lse_when_empty",
        "For a query that saw no key in either half the log-sum-exp is the lowest float32 "
        "number (`nan_to_num` makes it of −∞, or a lower limit). It must stay −∞.",
        [("return output, lse", "return output, lse.nan_to_num()")],
        points=3,
    ),
)
