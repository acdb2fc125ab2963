"""The known mistakes of `additive_mask`."""

from __future__ import annotations

from grading.content.common import changed_in_place, kept_name
from grading.content.encoder.sections import COMMON, LEFT, NOT_ARRIVED
from grading.exercise import Mistake

COMBINED = (
    "inverted",
    "one_more",
    "dtype_ignored",
    "left_ignored",
    "allowed_ignored",
    "allowed_inverted",
    "allowed_square_only",
    "ten_thousand_in_half",
)

MISTAKES = (
    Mistake(
        "query_axis",
        "The mask lies on the query axis, [batch, 1, tokens, 1]: that forbids padding to look, "
        "not to be looked at. The keys are the last axis.",
        [("real[:, None, None, :]", "real[:, None, :, None]")],
        section=NOT_ARRIVED,
    ),
    Mistake(
        "batch_not_first",
        "Without `allowed` the texts do not lie along the first axis. The mask is "
        "[batch, 1, 1, tokens]: the batch first, then an axis for the heads and one for the "
        "queries.",
        [
            (
                "    mask = torch.zeros",
                "    if allowed is None:\n        keep = keep.transpose(0, 2)\n"
                "    mask = torch.zeros",
            )
        ],
        other_forms=(
            [
                (
                    "    mask = torch.zeros",
                    "    if allowed is None:\n        keep = keep.transpose(0, 1)\n"
                    "    mask = torch.zeros",
                )
            ],
        ),
    ),
    Mistake(
        "padded_queries",
        "The rows of padded queries are hidden, too, where `allowed` is given. The mask says "
        "which *keys* may be looked at; what a row of padding looks at does not matter.",
        [("keep & allowed", "keep & allowed & real[:, None, :, None]")],
        points=3,
        any_error=True,
    ),
    Mistake(
        "left_other_text",
        "With `left`, the *batch* is turned round: each text has the mask of another, and "
        "padding still stands on its right. Turn the axis of the tokens.",
        [("position >= tokens - length if left", "(position < length).flip(0) if left")],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "left_from_the_longest",
        "With `left`, a text begins where it would if the batch were as wide as its longest "
        "text. It is `tokens` wide, which may be more.",
        [("tokens - length", "lengths.max() - length")],
        other_forms=(
            [
                (
                    "position >= tokens - length",
                    "(position >= lengths.max() - length) & (position < lengths.max())",
                )
            ],
        ),
        points=3,
        section=LEFT,
    ),
    Mistake(
        "inverted",
        "Real tokens and padding are exchanged: the real tokens are hidden. They get 0, "
        "padding gets the lowest number.",
        [("keep = real", "keep = ~real")],
    ),
    Mistake(
        "one_more",
        "One token of padding after each text is still seen (`<=`). A text of length n has the "
        "places 0 to n − 1.",
        [("lengths[:, None]", "lengths[:, None] + 1")],
    ),
    Mistake(
        "one_less",
        "The last real token of each text is hidden. A text of length n has the places 0 to n − 1.",
        [("lengths[:, None]", "lengths[:, None] - 1")],
    ),
    Mistake(
        "infinity",
        "Hidden keys get −∞. Here they are to get the lowest finite number of the dtype, "
        "`torch.finfo(dtype).min`: a row of nothing but −∞ gives NaN in a softmax.",
        [("torch.finfo(dtype).min", "-math.inf")],
    ),
    Mistake(
        "billion",
        "Hidden keys get −1e9; the statement asks for `torch.finfo(dtype).min`. In float16 "
        "−1e9 does not even exist: its lowest number is −65504.",
        [("torch.finfo(dtype).min", "-1e9")],
        other_forms=(
            [
                (
                    "mask.masked_fill(~keep, torch.finfo(dtype).min)",
                    "((~keep).float() * -1e9).to(dtype)",
                )
            ],
        ),
    ),
    Mistake(
        "ten_thousand",
        "Hidden keys get −10000; the statement asks for `torch.finfo(dtype).min`. Scores as "
        "low as −10000 do occur, and then padding leaks.",
        [("torch.finfo(dtype).min", "-1e4")],
    ),
    Mistake(
        "ten_thousand_in_half",
        "In half precision hidden keys get −10000. There, too, it is the lowest number of the "
        "dtype: `torch.finfo(dtype).min`, which is −65504 in float16.",
        [
            (
                "torch.finfo(dtype).min",
                "torch.finfo(dtype).min if torch.finfo(dtype).bits > 16 else -1e4",
            )
        ],
        points=3,
    ),
    Mistake(
        "lowest_of_float32_in_float64",
        "In float64 hidden keys get the lowest number of float32. Each dtype has its own: "
        "`torch.finfo(dtype).min` knows it, so no table is needed.",
        [
            (
                "torch.finfo(dtype).min",
                "max(torch.finfo(dtype).min, torch.finfo(torch.float32).min)",
            )
        ],
        points=3,
    ),
    Mistake(
        "tiny",
        "Padding gets 0, or next to nothing, so nothing is hidden. `masked_fill` returns a new "
        "tensor, and `.tiny` is the smallest *positive* number, `.min` the lowest: was a "
        "result dropped, or the wrong one of them taken?",
        [("torch.finfo(dtype).min", "torch.finfo(dtype).tiny")],
        other_forms=([("torch.finfo(dtype).min", "0")],),
    ),
    Mistake(
        "positive",
        "Hidden keys get the largest number; it is added to their scores, so they take all. "
        "The lowest number is `torch.finfo(dtype).min`.",
        [("torch.finfo(dtype).min", "torch.finfo(dtype).max")],
    ),
    Mistake(
        "first_length",
        "Every text is masked by the length of the first one; broadcast `lengths[:, None]` "
        "against the places.",
        [("lengths[:, None]", "lengths[:1, None].expand(len(lengths), 1)")],
    ),
    Mistake(
        "longest",
        "The mask is as wide as the longest text; there are `tokens` keys, more than that.",
        [
            (
                "position = torch.arange(tokens)",
                "tokens = int(lengths.max())\n    position = torch.arange(tokens)",
            )
        ],
        other_forms=(
            [
                (
                    "position = torch.arange(tokens)",
                    "tokens = int(lengths.max())\n    position = torch.arange(tokens)",
                ),
                ("keep & allowed", "keep & allowed[:, :tokens]"),
            ],
        ),
    ),
    Mistake(
        "dtype_ignored",
        "The argument `dtype` is not used: the mask is always float32. Added to float16 scores "
        "it would turn them into float32.",
        [("dtype=dtype", "dtype=torch.float32"), ("finfo(dtype)", "finfo(torch.float32)")],
        points=3,
    ),
    Mistake(
        "left_ignored",
        "The argument `left` is not used: padding is always expected on the right. With "
        "padding on the left the *last* n places are real.",
        [("position >= tokens - length if left else ", "")],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "left_without_allowed",
        "Where `allowed` is given, too, `left` is forgotten, and padding is expected on the "
        "right. The two have nothing to do with each other.",
        [("tokens - length if left", "tokens - length if left and allowed is None")],
        points=3,
    ),
    Mistake(
        "left_is_not_right",
        "With `left=True` the mask of right padding was turned into its opposite, so the first "
        "n places are hidden. It is the last n that are real.",
        [("position >= tokens - length", "position >= length")],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "left_one_more",
        "With padding on the left, one token of padding before each text is still seen: the "
        "text begins at place tokens − n.",
        [("tokens - length if", "tokens - length - 1 if")],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "left_one_less",
        "With padding on the left, the first real token of each text is hidden (`>`): the text "
        "begins *at* place tokens − n.",
        [("position >= tokens", "position > tokens")],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "not_a_number",
        "Zeros and ones are multiplied by −∞, and 0 · −∞ is NaN. Fill with the lowest number "
        "where a key is hidden (`masked_fill`, `where`).",
        [
            (
                "mask.masked_fill(~keep, torch.finfo(dtype).min)",
                "(~keep).to(dtype) * -math.inf",
            )
        ],
    ),
    Mistake(
        "causal_anyway",
        "Without `allowed` keys after the query are hidden, as in a decoder. An encoder looks "
        "both ways: hide padding, and only what `allowed` forbids.",
        [
            (
                "    if allowed is not None:",
                "    if allowed is None:\n"
                "        allowed = torch.ones(tokens, tokens, dtype=torch.bool).tril()\n"
                "    if allowed is not None:",
            )
        ],
    ),
    Mistake(
        "allowed_ignored",
        "`allowed` has no effect: keys that it forbids are still seen.",
        [("keep & allowed", "keep")],
        points=3,
    ),
    Mistake(
        "allowed_inverted",
        "`allowed` is read the wrong way round: True says that the query may look.",
        [("& allowed", "& ~allowed")],
        points=3,
    ),
    Mistake(
        "allowed_alone",
        "Where `allowed` is given, padding is forgotten: a key must be real *and* allowed.",
        [("keep & allowed", "allowed.expand(len(lengths), 1, *allowed.shape)")],
        points=3,
    ),
    Mistake(
        "either",
        "A key is seen if it is real *or* allowed; it must be real *and* allowed.",
        [("keep & allowed", "keep | allowed")],
        points=3,
    ),
    Mistake(
        "summed",
        "Two masks are added: where both hide a key, twice the lowest number is −∞. Combine "
        "the booleans (`&`) first, then fill once.",
        [
            (
                "keep = keep & allowed",
                "low, zero = torch.finfo(dtype).min, torch.zeros((), dtype=dtype)\n"
                "        return zero.masked_fill(~keep, low) + zero.masked_fill(~allowed, low)",
            )
        ],
        points=3,
    ),
    Mistake(
        "allowed_turned",
        "`allowed` is transposed: its rows are the queries, its columns the keys.",
        [("keep & allowed", "keep & allowed.T")],
        points=3,
        any_error=True,
    ),
    Mistake(
        "allowed_square_only",
        "It works only if there are as many queries as tokens; `allowed` may have fewer rows, "
        "or more.",
        [("keep & allowed", "keep & allowed.view(tokens, tokens)")],
        other_forms=(
            [
                (
                    "keep & allowed",
                    "keep & torch.cat([allowed, torch.ones(tokens, tokens).bool()])[:tokens]",
                )
            ],
        ),
        points=3,
        any_error=True,
    ),
    Mistake(
        "allowed_cut",
        "Only the first `tokens` rows of `allowed` are used. It has a row for each query, and "
        "there may be more queries than tokens: take it as it is.",
        [("keep & allowed", "keep & allowed[:tokens]")],
        points=3,
    ),
    Mistake(
        "one_for_all",
        "Where nothing is padded there is one mask for all texts, [1, 1, 1, tokens] or less. "
        "Its first axis is the batch, whatever the lengths.",
        [("return mask", "return mask[:1] if bool(real.all()) else mask")],
        other_forms=([("return mask", "return mask[0, 0] if bool(real.all()) else mask")],),
    ),
    Mistake(
        "nothing_is_everything",
        "A text of length 0 counts as full. Is there a slice `[-n:]`? With n = 0 that is the "
        "whole row, not nothing.",
        [
            (
                "position = torch.arange(tokens)",
                "lengths = lengths.masked_fill(lengths == 0, tokens)\n"
                "    position = torch.arange(tokens)",
            )
        ],
    ),
    Mistake(
        "nothing_is_everything_on_the_left",
        "With padding on the left a text of length 0 counts as full: a slice `[-n:]` with "
        "n = 0 is the whole row, not nothing.",
        [
            (
                "position >= tokens - length if left",
                "position >= (tokens - length) % tokens if left",
            )
        ],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "nothing_is_one",
        "A text of length 0 counts as one of length 1. Nothing of it is real: all of its row "
        "is hidden, and the lowest *finite* number is there to bear that.",
        [("lengths[:, None]", "lengths[:, None].clamp(min=1)")],
    ),
    Mistake(
        "all_flipped",
        "With `left=True` `allowed` is turned round as well: flip what comes from the lengths, "
        "and only then combine.",
        [
            ("position >= tokens - length if left else ", ""),
            ("return mask", "return mask.flip(-1) if left else mask"),
        ],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "lowest_of_another_dtype",
        "The numbers are the lowest of `dtype`, but the mask is float32 whatever `dtype` is, "
        "and has no room for those of float64. It must be of `dtype` itself.",
        [("zeros(keep.shape, dtype=dtype)", "zeros(keep.shape)")],
        points=3,
        any_error=True,
    ),
    Mistake(
        "rounded",
        "The mask is made in float32 and then converted: −3.4e38 becomes −∞ in half precision. "
        "Take `torch.finfo(dtype).min` of the dtype that is asked for.",
        [
            ("dtype=dtype", "dtype=torch.float32"),
            ("finfo(dtype)", "finfo(torch.float32)"),
            ("return mask", "return mask.to(dtype)"),
        ],
        points=3,
    ),
    Mistake(
        "lowest_through_float32",
        "The lowest number became a tensor of float32 on its way, in which that of float64 is "
        "−∞. Give `dtype` to every tensor that is made.",
        [("torch.finfo(dtype).min", "torch.tensor(torch.finfo(dtype).min)")],
        points=3,
    ),
    Mistake(
        "where_of_two_numbers",
        "It fails for float64: what `torch.where` makes of two plain numbers is float32, in "
        "which the lowest number of float64 has no place. Make a tensor of the right dtype "
        "first, and fill it.",
        [
            (
                "torch.zeros(keep.shape, dtype=dtype)",
                "torch.where(keep, 0.0, torch.finfo(dtype).min)",
            ),
            ("mask = mask.masked_fill(~keep, torch.finfo(dtype).min)", "mask = mask.to(dtype)"),
        ],
        points=3,
        any_error=True,
    ),
    Mistake(
        "always_float16",
        "Hidden keys always get −65504, the lowest number of float16. Each dtype has its own: "
        "`torch.finfo(dtype).min`.",
        [("finfo(dtype)", "finfo(torch.float16)")],
    ),
    Mistake(
        "full_square",
        "Without `allowed` the mask was expanded to [batch, 1, tokens, tokens]; leave the "
        "query axis at 1, it broadcasts.",
        [
            (
                "    if allowed is not None:",
                "    if allowed is None:\n"
                "        allowed = torch.ones(tokens, tokens, dtype=torch.bool)\n"
                "    if allowed is not None:",
            )
        ],
    ),
    Mistake(
        "queries_hidden_too",
        "The rows of padding are hidden as well as the columns. Hide keys only: what padding "
        "itself sees is nobody's concern.",
        [("real[:, None, None, :]", "real[:, None, None, :] & real[:, None, :, None]")],
        any_error=True,
    ),
    Mistake(
        "two_axes",
        "The mask is [batch, tokens]: against scores [batch, heads, queries, keys] PyTorch "
        "would take its batch for queries. Insert two axes of size 1.",
        [("return mask", "return mask[:, 0, 0] if allowed is None else mask")],
    ),
    Mistake(
        "three_axes",
        "The mask has three axes; against scores [batch, heads, queries, keys] PyTorch would "
        "take its batch for heads. It has four: [batch, 1, 1 or queries, tokens].",
        [("return mask", "return mask.squeeze(1)")],
    ),
    Mistake(
        "boolean",
        "The mask is boolean. A boolean mask is fine for some functions, but this one is to be "
        "*added*: 0 for what is seen, the lowest number for the rest.",
        [("return mask", "return mask == 0")],
    ),
    Mistake(
        "boolean_hidden",
        "The mask is boolean, and True where it hides. This one is to be *added*: 0 for what "
        "is seen, the lowest number for the rest.",
        [("return mask", "return mask != 0")],
    ),
    Mistake(
        "ones_and_zeros",
        "The mask holds ones and zeros. Added to the scores they hide nothing: what is seen "
        "gets 0, what is hidden the lowest number of the dtype.",
        [("return mask", "return keep.to(dtype)")],
        section=COMMON,
    ),
    Mistake(
        "ones_for_hidden",
        "The mask holds 1 for what is hidden and 0 for what is seen; added to the scores, a 1 "
        "hides nothing, on the contrary. Hidden keys get the lowest number of the dtype.",
        [("return mask", "return (~keep).to(dtype)")],
        section=COMMON,
    ),
    Mistake(
        "ones_seen",
        "What is seen has 1; it must be 0, because the mask is added.",
        [("torch.zeros(", "torch.ones(")],
    ),
    Mistake(
        "places_in_the_dtype",
        "Places and lengths are counted in the dtype of the mask, and `bfloat16` has no 257: "
        "in long texts they are rounded, and the mask ends at another token. "
        "Compare whole numbers; only the result has the dtype.",
        [
            ("torch.arange(tokens)", "torch.arange(tokens).to(dtype)"),
            ("lengths[:, None]", "lengths[:, None].to(dtype)"),
        ],
        other_forms=([("torch.arange(tokens)", "torch.arange(tokens).to(dtype)")],),
        points=3,
    ),
    changed_in_place(
        "lengths", [("return mask", "lengths -= tokens\n    return mask")], id="changed_lengths"
    ),
    kept_name("left=False", "real", "    keep = real[", "tokens", any_error=True),
    changed_in_place(
        "allowed",
        [
            (
                "    return mask",
                "    if allowed is not None:\n        allowed &= real.all(dim=0)\n    return mask",
            )
        ],
        id="changed_allowed",
        points=3,
    ),
)
