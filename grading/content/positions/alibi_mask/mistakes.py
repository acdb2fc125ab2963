"""The known mistakes of `alibi_mask`."""

from __future__ import annotations

from grading.content.common import kept_name
from grading.content.positions.sections import MISTAKES
from grading.exercise import Mistake

_POWER = "2 ** int(math.log2(num_attention_heads))"
_EXPONENT = "-8 * torch.arange(1, power + 1) / power"
_QUERIES = "torch.arange(keys - queries, keys)"
_HIDDEN = "mask.masked_fill(apart < 0, -math.inf)"


COMBINED = (
    "no_offset",
    "sign",
    "exponent_from_zero",
    "slopes_backwards",
    "no_causal",
    "peeks",
    "own_hidden",
    "finite",
    "slopes_by_formula",
    "slopes_of_next_power",
    "signed",
)

MISTAKES = (
    Mistake(
        "no_offset",
        "The queries are numbered from 0; they are the *last* of the keys, so the first one "
        "stands at keys − queries.",
        [(_QUERIES, "torch.arange(queries)")],
        section=MISTAKES,
    ),
    Mistake(
        "power_below",
        "The largest power of two *below* the number of heads is taken, also where that number "
        "is a power of two itself. Then it is the one.",
        [(_POWER, "2 ** max(0, math.ceil(math.log2(num_attention_heads)) - 1)")],
    ),
    Mistake(
        "sign",
        "The bias is positive, so that far keys are preferred; subtract the distance.",
        [("-slopes", "slopes")],
    ),
    Mistake(
        "exponent_from_zero",
        "The heads are counted from 0 in the exponent, so the first slope is 1; it is 2^(−8/H).",
        [
            ("torch.arange(1, power + 1)", "torch.arange(power)"),
            ("torch.arange(1, 2 * power, 2)", "torch.arange(0, 2 * power, 2)"),
        ],
    ),
    Mistake(
        "slopes_inverted",
        "The exponent is −8/h, so the slopes grow from head to head; it is −8h/H.",
        [(_POWER, "num_attention_heads"), (_EXPONENT, "-8 / torch.arange(1, power + 1)")],
    ),
    Mistake(
        "slopes_without_eight",
        "The exponent lacks its factor of 8: the slopes are 2^(−h/H), and they must be 2^(−8h/H).",
        [
            ("-8 * torch.arange(1, power + 1)", "-torch.arange(1, power + 1)"),
            ("-8 * torch.arange(1, 2 * power, 2)", "-torch.arange(1, 2 * power, 2)"),
        ],
    ),
    Mistake(
        "slopes_linspace",
        "The exponents run from −1 to −8 in equal steps (`linspace`), which is right for 8 "
        "heads only. They are multiples of −8/H: the first is −8/H, and the last −8.",
        [
            (
                "-8 * torch.arange(1, power + 1) / power",
                "-torch.linspace(1, 8, power)",
            ),
            (
                "-8 * torch.arange(1, 2 * power, 2) / (2 * power)",
                "-torch.linspace(1, 8, 2 * power)[0::2]",
            ),
        ],
    ),
    Mistake(
        "no_distance",
        "Every other key has the same penalty, the slope; it is the slope times the distance.",
        [("apart.abs()", "(apart != 0)")],
    ),
    Mistake(
        "slopes_backwards",
        "The slopes are in reverse order: head 1 has the steepest.",
        [("[:num_attention_heads]", "[:num_attention_heads].flip(0)")],
    ),
    Mistake(
        "no_causal",
        "Keys after the query are not hidden; with `causal=True` they are −∞.",
        [("    if causal:\n", ""), (f"        mask = {_HIDDEN}\n", "")],
    ),
    Mistake(
        "peeks",
        "Each query sees one key too many, the one right after it.",
        [("apart < 0", "apart < -1")],
    ),
    Mistake(
        "own_hidden",
        "A query does not see its own token; only keys after it are hidden.",
        [("apart < 0", "apart < 1")],
    ),
    Mistake(
        "finite",
        "Keys after the query have a large negative number, not −∞.",
        [("-math.inf", "-1e9")],
        other_forms=([("-math.inf", "-1e4")],),
    ),
    Mistake(
        "slopes_by_formula",
        "The formula 2^(−8h/H) is used for a number of heads that is no power of two. Take the "
        "slopes of the next smaller power, and then every second one of twice that power.",
        [(_POWER, "num_attention_heads")],
        points=3,
    ),
    Mistake(
        "slopes_of_next_power",
        "For numbers of heads that are no power of two, or for some of them, the slopes are "
        "the first ones of the next larger power. Begin with all those of the next smaller "
        "one: round down, not up or to the nearest.",
        [("int(math.log2(num_attention_heads))", "math.ceil(math.log2(num_attention_heads))")],
        other_forms=(
            [("int(math.log2(num_attention_heads))", "round(math.log2(num_attention_heads))")],
        ),
        points=3,
    ),
    Mistake(
        "whole_exponents",
        "The exponents are cut to whole numbers (`//`): with more than eight heads they aren't "
        "whole, and 8 // heads is 0. Divide with `/`.",
        [(_EXPONENT, "-(8 // power) * torch.arange(1, power + 1)")],
        other_forms=(
            [(_EXPONENT, "-8 * torch.arange(1, power + 1) // power")],
            [(_EXPONENT, "-(8 * torch.arange(1, power + 1) // power)")],
        ),
    ),
    Mistake(
        "between_in_order",
        "The additional slopes are the first ones of twice the power; take every second of "
        "them, the 1st, 3rd, 5th, …: the others are there already.",
        [("2 * power, 2)", "2 * power)")],
        points=3,
    ),
    Mistake(
        "between_even",
        "The additional slopes are the 2nd, 4th, … of twice the power, which are there "
        "already; take the 1st, 3rd, ….",
        [("torch.arange(1, 2 * power, 2)", "torch.arange(2, 2 * power, 2)")],
        points=3,
    ),
    Mistake(
        "between_first",
        "The additional slopes come before those of the next smaller power; they come after them.",
        [
            (
                "torch.cat([slopes, between])[:num_attention_heads]",
                "torch.cat([between[: num_attention_heads - power], slopes])",
            )
        ],
        points=3,
    ),
    Mistake(
        "slopes_halved",
        "The slopes of a power of two are 1/2, 1/4, 1/8, … for any number of heads; those are "
        "the slopes of eight heads. The exponent is −8h/H.",
        [(_EXPONENT, "-torch.arange(1, power + 1)")],
    ),
    Mistake(
        "no_penalty",
        "Later keys are hidden, but there is no penalty: every key that is seen has 0. It "
        "should be minus slope times distance.",
        [("apart.abs()", "(0 * apart)")],
    ),
    Mistake(
        "keys_from_the_end",
        "The keys are counted from the last one backwards; the first key stands at 0.",
        [("- torch.arange(keys)", "- torch.arange(keys).flip(0)")],
    ),
    Mistake(
        "float64",
        "The numbers are right, but float64; the mask is to be float32.",
        [("return mask", "return mask.double()")],
    ),
    Mistake(
        "slopes_sorted",
        "The slopes are right but sorted; the additional ones come after all others.",
        [("[:num_attention_heads]", "[:num_attention_heads].sort(descending=True).values")],
        points=3,
    ),
    Mistake(
        "signed",
        "With `causal=False`, keys after the query get a bonus instead of a penalty: the "
        "distance needs its absolute value.",
        [("apart.abs()", "apart")],
        points=3,
    ),
    Mistake(
        "no_offset_without_causal",
        "With `causal=False` the queries are numbered from 0; they are the *last* of the keys "
        "there, too, so the first one stands at keys − queries.",
        [(_QUERIES, f"({_QUERIES} - (0 if causal else keys - queries))")],
        points=3,
        section=MISTAKES,
    ),
    Mistake(
        "future_free",
        "With `causal=False`, keys after the query have no penalty at all; their distance "
        "counts like that of keys before it.",
        [("apart.abs()", "apart.clamp(min=0)")],
        points=3,
    ),
    Mistake(
        "always_causal",
        "Keys after the query are hidden with `causal=False`, too.",
        [("if causal", "if True")],
        points=3,
    ),
    Mistake(
        "key_places",
        "The bias is slope times key position, as BLOOM has it. After the softmax of a decoder "
        "that is the same, but here the bias itself is asked for, minus slope times distance.",
        [("-slopes", "slopes"), ("apart.abs()", "torch.arange(keys).expand(queries, -1)")],
        other_forms=(
            [  # with causal=True alone
                (
                    "-slopes[:, None, None] * apart.abs()",
                    "slopes[:, None, None]\\\n        "
                    "* (torch.arange(keys).expand(queries, -1) if causal else -apart.abs())",
                )
            ],
        ),
    ),
    Mistake(
        "places_from_the_last",
        "With `causal=True` all queries have the same row of numbers: the distances are those "
        "from the last key. After the softmax that is the same, but here the bias itself is "
        "asked for, minus slope times the distance from each query's own place.",
        [
            (
                "apart.abs()",
                "(torch.arange(keys).flip(0).expand(queries, -1) if causal else apart.abs())",
            )
        ],
        other_forms=([("apart.abs()", "torch.arange(keys).flip(0).expand(queries, -1)")],),
    ),
    Mistake(
        "query_places",
        "The penalty depends on the query's position alone, one number along each row, which "
        "the softmax does not notice; it must be the distance to the key.",
        [("apart.abs()", f"{_QUERIES}[:, None].expand(-1, keys)")],
    ),
    Mistake(
        "squared",
        "The distance is squared; the penalty is linear.",
        [("apart.abs()", "apart**2")],
    ),
    Mistake(
        "no_slopes",
        "These are the distances without the slopes: all heads are the same.",
        [("-slopes[:, None, None]", "-torch.ones(num_attention_heads, 1, 1)")],
    ),
    Mistake(
        "divided_by_slope",
        "The distances are divided by the slopes; multiply.",
        [("-slopes[:, None, None] * apart.abs()", "-apart.abs() / slopes[:, None, None]")],
    ),
    Mistake(
        "slopes_base_e",
        "The slopes are powers of e; they are powers of 2.",
        [("slopes = 2.0", "slopes = math.e"), ("between = 2.0", "between = math.e")],
    ),
    Mistake(
        "first_slope_for_all",
        "All heads have the slope of the first one.",
        [
            (
                "-slopes[:, None, None]",
                "-slopes[:1, None, None].expand(num_attention_heads, 1, 1)",
            )
        ],
    ),
    Mistake(
        "neighbour_free",
        "The distance counts only the tokens between query and key, so the nearest neighbour "
        "costs nothing; its distance is 1.",
        [("apart.abs()", "(apart.abs() - 1).clamp(min=0)")],
    ),
    Mistake(
        "distances_in_bfloat16",
        "The distances are converted to bfloat16, which has only the even numbers beyond 256. "
        "float32 has them all.",
        [("apart.abs()", "apart.abs().bfloat16()")],
    ),
    Mistake(
        "one_off",
        "All distances are one too large: a token's distance to itself is 0.",
        [("apart.abs()", "(apart.abs() + 1)")],
    ),
    Mistake(
        "one_short",
        "The queries stand one place too early: the last query is the last key, so the first "
        "one stands at keys − queries.",
        [(_QUERIES, "torch.arange(keys - queries - 1, keys - 1)")],
    ),
    Mistake(
        "one_far",
        "The queries stand one place too late: the last query is the last key, so the first "
        "one stands at keys − queries.",
        [(_QUERIES, "torch.arange(keys - queries + 1, keys + 1)")],
    ),
    Mistake(
        "lowest_number",
        "Keys after the query have the lowest number of float32; the mask should have −∞ there.",
        [("-math.inf", "torch.finfo(torch.float32).min")],
    ),
    Mistake(
        "zero_times_infinity",
        "A triangle of 0 and 1 was multiplied by −∞, and 0 · ∞ is NaN. Use `masked_fill` or "
        "`torch.where`.",
        [(_HIDDEN, "mask + (apart < 0) * -math.inf")],
    ),
    Mistake(
        "slopes_of_eight",
        "The slopes are 1/2, 1/4, 1/8, … for any number of heads; those are the slopes of "
        "eight heads. The exponent is −8h/H.",
        [(_POWER, "num_attention_heads"), (_EXPONENT, "-torch.arange(1, power + 1)")],
    ),
    Mistake(
        "triangle_from_the_top",
        "The bias is right, but the triangle that hides later keys is that of a square matrix "
        "(`tril()` without `diagonal`): cached keys are hidden.",
        [("apart < 0", "torch.ones(queries, keys).tril() == 0")],
        section=MISTAKES,
    ),
    Mistake(
        "triangle_turned",
        "The triangle is the wrong way round: the keys before the query are hidden.",
        [("apart < 0", "apart > 0")],
    ),
    Mistake(
        "causal_inverted",
        "`causal` is used the wrong way round.",
        [("if causal", "if not causal")],
    ),
    Mistake(
        "transposed",
        "The last two axes are exchanged; the result is [heads, queries, keys].",
        [("return mask", "return mask.transpose(-2, -1)")],
    ),
    Mistake(
        "with_batch_axis",
        "There is a batch axis too many; the result is [heads, queries, keys].",
        [("return mask", "return mask[None]")],
    ),
    Mistake(
        "no_head_axis",
        "There is no axis for the heads: each head has a slope, and so a matrix, of its own.",
        [("return mask", "return mask[0]")],
    ),
    Mistake(
        "exponentials",
        "This is e to the power of the bias; it is added to scores, before the softmax.",
        [("return mask", "return mask.exp()")],
    ),
    kept_name(
        "causal=True",
        "mask",
        "    if causal",
        "(queries, keys)",
        other_forms=(
            [
                ("causal=True):", "causal=True, kept={}):"),
                ("    mask = -", "    apart = kept.setdefault(keys, apart)\n    mask = -"),
            ],
        ),
    ),
    Mistake(
        "kept_whatever_causal_is",
        "The mask, or its distances, is kept for later calls of the same sizes, and `causal` "
        "is not asked again: it may be another one.",
        [
            ("causal=True):", "causal=True, kept={}):"),
            (
                "return mask",
                "return kept.setdefault((num_attention_heads, queries, keys), mask)",
            ),
        ],
        points=3,
    ),
    Mistake(
        "zeroed",
        "Hidden keys have the bias 0, so they are preferred to all others; they need −∞.",
        [("-math.inf", "0.0")],
    ),
    Mistake(
        "crash_on_other_heads",
        "It fails for a number of heads that is no power of two.",
        [
            (
                "    power =",
                "    assert math.log2(num_attention_heads).is_integer()\n    power =",
            )
        ],
        points=3,
        any_error=True,
    ),
)
