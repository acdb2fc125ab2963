"""The known mistakes of `weights_time_first`."""

from __future__ import annotations

from grading.content.common import cut_off, kept_name
from grading.content.simple_attention.sections import MASKS, ROOT, SOFTMAX
from grading.exercise import Mistake

COMBINED = (
    "no_scale",
    "scale_d_k",
    "scale_keys",
    "scale_queries",
    "softmax_over_queries",
    "softmax_over_batch",
    "double_softmax",
    "roles_exchanged",
    "read_as_batch_first",
    "result_time_first",
    "reshaped",
)

MISTAKES = (
    Mistake(
        "no_scale",
        "These are the numbers you get without dividing the scores by √d_k.",
        [(" / math.sqrt(query.size(-1))", "")],
        section=ROOT,
    ),
    Mistake(
        "scale_d_k",
        "The scores are divided by d_k itself; divide by its square root.",
        [("math.sqrt(query.size(-1))", "query.size(-1)")],
        section=ROOT,
    ),
    Mistake(
        "times_root_d_k",
        "The scores are multiplied by √d_k; they must be divided by it.",
        [("/ math", "* math")],
        section=ROOT,
    ),
    kept_name("(query, key", "key", "    scores ="),
    Mistake(
        "half_precedence",
        "`d_k ** 1/2` is (d_k ** 1) / 2, because the power comes before the division. Write "
        "`d_k ** 0.5`, or `math.sqrt(d_k)`.",
        [("math.sqrt(query.size(-1))", "(query.size(-1) / 2)")],
        other_forms=([("math.sqrt(query.size(-1))", "query.size(-1) / 2")],),
        section=ROOT,
    ),
    Mistake(
        "integer_root",
        "The root of d_k is cut down to a whole number (`int`, `isqrt`); divide by the root as "
        "it is.",
        [("math.sqrt(query.size(-1))", "math.isqrt(query.size(-1))")],
        section=ROOT,
    ),
    Mistake(
        "floor_division",
        "The quotients are rounded down to whole numbers: `//` does that, `/` divides.",
        [("/ math", "// math")],
        section=ROOT,
    ),
    Mistake(
        "fixed_d_k",
        "The scores are divided by the root of a number that is written into the code, as 64 "
        "or 512. d_k is what query and key have: `query.size(-1)`.",
        [("query.size(-1)", "64")],
        other_forms=tuple([("query.size(-1)", str(d_k))] for d_k in (512, 128, 32, 16, 8)),
        section=ROOT,
    ),
    Mistake(
        "dropout",
        "Dropout is alive: some weights are dropped by chance, and the same input gives other "
        "numbers each time. Nothing here asks for it; leave it out.",
        [("return weights", "return F.dropout(weights, 0.1)")],
        other_forms=tuple(
            [("return weights", f"return F.dropout(weights, {p})")] for p in (0.2, 0.3, 0.5)
        ),
        section=SOFTMAX,
    ),
    Mistake(
        "scale_keys",
        "The scores are divided by the root of the number of keys; d_k is the length of one "
        "query or key vector, `query.size(-1)`.",
        [("math.sqrt(query.size(-1))", "math.sqrt(key.size(1))")],
        section=ROOT,
    ),
    Mistake(
        "scale_queries",
        "The scores are divided by the root of the number of queries; d_k is the length of one "
        "query or key vector, `query.size(-1)`.",
        [("math.sqrt(query.size(-1))", "math.sqrt(query.size(1))")],
        section=ROOT,
    ),
    Mistake(
        "scale_batch",
        "The scores are divided by the root of the batch size; in this layout `size(1)` is the "
        "batch, and d_k is `query.size(-1)`.",
        [("math.sqrt(query.size(-1))", "math.sqrt(query.size(0))")],
        section=ROOT,
    ),
    Mistake(
        "scaled_after_softmax",
        "The weights are divided by √d_k after the softmax, so their rows no longer sum to 1; "
        "scale the scores before it.",
        [
            (" / math.sqrt(query.size(-1))", ""),
            ("scores.softmax(dim=-1)", "scores.softmax(dim=-1) / math.sqrt(query.size(-1))"),
        ],
        section=SOFTMAX,
    ),
    Mistake(
        "softmax_over_queries",
        "The softmax runs over the queries: the columns sum to 1, and it is the rows that "
        "must. Use `dim=-1`.",
        [("dim=-1", "dim=-2")],
        section=SOFTMAX,
    ),
    Mistake(
        "softmax_over_batch",
        "The softmax runs over the batch, so that sequences which have nothing to do with "
        "each other compete. Use `dim=-1`.",
        [("dim=-1", "dim=0")],
        section=SOFTMAX,
    ),
    Mistake(
        "no_softmax",
        "These are the scaled scores; the softmax is missing.",
        [("scores.softmax(dim=-1)", "scores")],
        section=SOFTMAX,
    ),
    Mistake(
        "double_softmax",
        "The softmax is applied twice, which flattens the weights.",
        [("scores.softmax(dim=-1)", "scores.softmax(dim=-1).softmax(dim=-1)")],
        section=SOFTMAX,
    ),
    Mistake(
        "log_softmax",
        "These are logarithms of the weights: use `softmax`, not `log_softmax`.",
        [("scores.softmax(dim=-1)", "scores.log_softmax(dim=-1)")],
        section=SOFTMAX,
    ),
    Mistake(
        "sigmoid",
        "Each score went through a sigmoid on its own; a softmax makes the keys of a row "
        "compete, so that the row sums to 1.",
        [("scores.softmax(dim=-1)", "scores.sigmoid()")],
        section=SOFTMAX,
    ),
    Mistake(
        "divided_by_sum",
        "Each row of scores is divided by its sum, without the exponential; scores can be "
        "negative, and so are these weights.",
        [("scores.softmax(dim=-1)", "scores / scores.sum(dim=-1, keepdim=True)")],
        section=SOFTMAX,
    ),
    Mistake(
        "divided_by_largest",
        "The exponentials of a row are divided by the largest of them; divide by their sum, so "
        "that the row sums to 1.",
        [("scores.softmax(dim=-1)", "(scores - scores.amax(dim=-1, keepdim=True)).exp()")],
        section=SOFTMAX,
    ),
    Mistake(
        "no_keepdim",
        "In the softmax by hand the sum of a row lost its axis, so that it meets another axis "
        "of the exponentials, or none: `sum(dim=-1, keepdim=True)`.",
        [("    return weights", "    return weights / weights.sum(dim=-1)")],
        section=SOFTMAX,
    ),
    Mistake(
        "key_reversed",
        "`key.T` turns round all three axes; exchange the last two alone, with "
        "`transpose(-2, -1)`, when the batch stands in front.",
        [
            ("key = key.transpose(0, 1)", "key = key.permute(2, 1, 0)"),
            ("key.transpose(-2, -1)", "key"),
        ],
    ),
    Mistake(
        "hard_maximum",
        "Each row is 1 at its largest score and 0 elsewhere: that is the argmax. The softmax "
        "leaves something for the other keys.",
        [
            (
                "scores.softmax(dim=-1)",
                "F.one_hot(scores.argmax(dim=-1), scores.size(-1)).to(scores.dtype)",
            )
        ],
        section=SOFTMAX,
    ),
    Mistake(
        "cosine",
        "Queries and keys are normalised to length 1 before the product: that is cosine "
        "similarity. The scaled dot product keeps their lengths.",
        [
            ("query.transpose(0, 1)", "F.normalize(query.transpose(0, 1), dim=-1)"),
            ("key = key.transpose(0, 1)", "key = F.normalize(key.transpose(0, 1), dim=-1)"),
        ],
    ),
    Mistake(
        "cosine_unscaled",
        "These are weights from cosine similarity (vectors of length 1, no scale). The scaled "
        "dot product keeps the lengths and divides by √d_k.",
        [
            ("query.transpose(0, 1)", "F.normalize(query.transpose(0, 1), dim=-1)"),
            ("key = key.transpose(0, 1)", "key = F.normalize(key.transpose(0, 1), dim=-1)"),
            (" / math.sqrt(query.size(-1))", ""),
        ],
    ),
    Mistake(
        "roles_exchanged",
        "Query and key are exchanged: row i must belong to query i, so the product is "
        "query · keyᵀ.",
        [("query @ key.transpose(-2, -1)", "key @ query.transpose(-2, -1)")],
    ),
    Mistake(
        "result_reshaped",
        "The weights are computed with their axes in another order, such as [queries, keys, "
        "batch] or [batch, keys, queries], and brought to [batch, queries, keys] with "
        "`reshape` or `view`, which keeps the numbers in their order and so mixes them up. "
        "Exchange axes with `permute` or `transpose`.",
        [
            (
                "    return weights",
                "    return weights.permute(1, 2, 0).reshape(weights.shape)",
            )
        ],
        other_forms=([("    return weights", "    return weights.mT.reshape(weights.shape)")],),
    ),
    Mistake(
        "transposed_result",
        "The softmax runs over the keys, but the result is transposed: the last axis must be "
        "the keys.",
        [("return weights", "return weights.transpose(-2, -1)")],
    ),
    Mistake(
        "read_as_batch_first",
        "The first axis was taken for the batch. In this layout it is time: exchange the first "
        "two axes before multiplying.",
        [
            (
                "    query = query.transpose(0, 1)  # [batch, queries, d_k]\n"
                "    key = key.transpose(0, 1)  # [batch, keys, d_k]\n",
                "",
            )
        ],
    ),
    Mistake(
        "query_left_time_first",
        "Only the keys were brought into the layout [batch, tokens, d_k]; the queries still "
        "have time first. Exchange the first two axes of both.",
        [("    query = query.transpose(0, 1)  # [batch, queries, d_k]\n", "")],
        any_error=True,  # what shows it are the two cases in which the shapes happen to fit
    ),
    Mistake(
        "key_left_time_first",
        "Only the queries were brought into the layout [batch, tokens, d_k]; the keys still "
        "have time first. Exchange the first two axes of both.",
        [("    key = key.transpose(0, 1)  # [batch, keys, d_k]\n", "")],
        any_error=True,
    ),
    Mistake(
        "result_time_first",
        "The weights are right but laid out as [queries, batch, keys]; the batch comes first "
        "in the result.",
        [("return weights", "return weights.transpose(0, 1)")],
    ),
    Mistake(
        "reshaped",
        "Axes are exchanged with `view` or `reshape`, which keeps the numbers in their order "
        "and so mixes sequences. Use `transpose`.",
        [
            ("query.transpose(0, 1)", "query.reshape(query.size(1), query.size(0), -1)"),
            ("key = key.transpose(0, 1)", "key = key.reshape(key.size(1), key.size(0), -1)"),
        ],
        other_forms=(
            [
                (
                    "key = key.transpose(0, 1)",
                    "key = key.reshape(key.size(1), key.size(2), key.size(0))",
                ),
                ("key.transpose(-2, -1)", "key"),
            ],
        ),
    ),
    Mistake(
        "base_two",
        "The powers are taken to the base 2 instead of e.",
        [("scores.softmax(dim=-1)", "(scores * math.log(2)).softmax(dim=-1)")],
        section=SOFTMAX,
    ),
    Mistake(
        "sign",
        "The scores have the wrong sign: keys that match least get the most.",
        [("query @ key.transpose(-2, -1)", "-query @ key.transpose(-2, -1)")],
        section=SOFTMAX,
    ),
    Mistake(
        "distance",
        "The scores are distances between query and key; they must be dot products.",
        [("query @ key.transpose(-2, -1)", "-torch.cdist(query, key)")],
        section="“Step 1: scores” in chapter 1",
    ),
    Mistake(
        "absolute_scores",
        "The scores lost their sign before the softmax (`abs`).",
        [("scores.softmax(dim=-1)", "scores.abs().softmax(dim=-1)")],
        section=SOFTMAX,
    ),
    Mistake(
        "clipped_scores",
        "Negative scores were set to 0 before the softmax (`relu`, `clamp`); e⁰ = 1 is a "
        "large share.",
        [("scores.softmax(dim=-1)", "scores.relu().softmax(dim=-1)")],
        section=SOFTMAX,
    ),
    Mistake(
        "causal",
        "Later keys are hidden, as a decoder needs it. Here every query may look at every key.",
        [
            (
                "    weights =",
                "    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)\n"
                "    scores = scores.masked_fill(later, -math.inf)\n"
                "    weights =",
            )
        ],
        section=MASKS,
    ),
    Mistake(
        "summed_over_batch",
        "The product sums over the batch as well, so all sequences have the same weights. "
        "In `einsum` the batch's letter must stand in the result.",
        [
            ("query @ key.transpose(-2, -1)", 'torch.einsum("bid,bjd->ij", query, key)'),
            ("return weights", "return weights.expand(len(query), -1, -1)"),
        ],
    ),
    Mistake(
        "first_sequence_only",
        "All sequences get the weights of the first one.",
        [("return weights", "return weights[:1].expand(len(query), -1, -1)")],
    ),
    cut_off([("return weights", "return weights.detach()")], points=2),
    Mistake(
        "clamped",
        "The scores are cut off at a limit (`clamp`), so large ones become equal. `softmax` "
        "subtracts each row's maximum by itself and does not overflow.",
        [("scores.softmax(dim=-1)", "scores.clamp(-50.0, 50.0).softmax(dim=-1)")],
        points=2,
        section=SOFTMAX,
    ),
    Mistake(
        "overflow",
        "The exponentials overflow at large scores: inf/inf is NaN, which `nan_to_num` only "
        "hides. Subtract each row's maximum first, or use `softmax`, which does.",
        [("scores.softmax(dim=-1)", "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)")],
        other_forms=(
            [
                (
                    "scores.softmax(dim=-1)",
                    "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)\n"
                    "    weights = weights.nan_to_num(0.0)",
                )
            ],
        ),
        points=2,
        section=SOFTMAX,
    ),
    Mistake(
        "minimum_subtracted",
        "Each row's lowest score is subtracted before the exponential: what lies far above it "
        "overflows, and inf/inf is NaN. Which score must be subtracted, so that none is left "
        "above 0?",
        [
            (
                "    weights = scores.softmax(dim=-1)",
                "    exponentials = (scores - scores.amin(dim=-1, keepdim=True)).exp()\n"
                "    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)",
            )
        ],
        points=2,
        section=SOFTMAX,
    ),
    Mistake(
        "global_maximum",
        "What is subtracted from a row isn't its own largest score, but that of all rows, say: "
        "rows that lie far below it underflow to 0/0. Each needs its own (`dim=-1, "
        "keepdim=True`).",
        [
            (
                "    weights = scores.softmax(dim=-1)",
                "    exponentials = (scores - scores.max()).exp()\n"
                "    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)",
            )
        ],
        points=2,
        section=SOFTMAX,
    ),
)
