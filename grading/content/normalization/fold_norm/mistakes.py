"""The known mistakes of `fold_norm`."""

from __future__ import annotations

from grading.content.common import kept_value
from grading.content.normalization.sections import RMS
from grading.exercise import Mistake

_BIAS_ASKED_FOR = (
    '    if "bias" in after:\n        constant = after["bias"] + constant',
    '    constant = after["bias"] + constant',
)
_BOTH_ASKED_FOR = (
    "{name: tensor - tensor.mean(0) for name, tensor in before.items()}",
    "{\n"
    '        "weight": before["weight"] - before["weight"].mean(0),\n'
    '        "bias": before["bias"] - before["bias"].mean(0),\n'
    "    }",
)


COMBINED = (
    "no_gain",
    "no_shift",
    "shift_through_folded",
    "shift_subtracted",
    "bias_lost",
    "not_centred",
    "rows_centred",
    "before_bias",
)

MISTAKES = (
    Mistake(
        "root_of_the_length",
        "The new weight of the second layer has a factor √n, as if RMSNorm divided by the "
        "length. It divides by the root of the mean square: nothing is to be made up for.",
        [('after["weight"] * gain  #', 'after["weight"] * gain * len(gain) ** 0.5  #')],
        section=RMS,
    ),
    Mistake(
        "after_centred",
        "Means are subtracted from the second layer's weight, too. Only what comes *before* "
        "the norm is centred.",
        [
            (
                '    constant = after["weight"]',
                '    folded = folded - folded.mean(0)\n    constant = after["weight"]',
            )
        ],
    ),
    Mistake(
        "matrix_times_gain",
        "The weights after the norm are multiplied with the gain as a matrix with a vector "
        "(`@`), which adds up along each row. The gain stretches every column by itself: `*`.",
        [('after["weight"] * gain', 'after["weight"] @ gain')],
        other_forms=(
            [
                (
                    'after["weight"] * gain',
                    '(after["weight"] @ gain)[:, None].expand_as(after["weight"])',
                )
            ],
        ),
        any_error=True,
    ),
    Mistake(
        "no_gain",
        "The weights after the norm are not multiplied by the gain.",
        [(" * gain", "")],
    ),
    Mistake(
        "gain_divided",
        "The weights after the norm are divided by the gain; multiply: W (γ · x) = (W · γ) x.",
        [("* gain", "/ gain")],
    ),
    Mistake(
        "gain_twice",
        "The gain is multiplied into the weights after the norm twice.",
        [("* gain", "* gain * gain")],
    ),
    Mistake(
        "gain_for_sample_variance",
        "The weights after the norm carry a factor for n − 1. LayerNorm divides by n, as the "
        "mean square of RMSNorm does, so there is nothing to make good.",
        [
            (
                "folded = ",
                "n = len(gain)\n    folded = ((n - 1) / n) ** 0.5 * ",
            )
        ],
        other_forms=([("folded = ", "n = len(gain)\n    folded = (n / (n - 1)) ** 0.5 * ")],),
    ),
    Mistake(
        "no_shift",
        "The bias of the norm is lost: it passes through the matrix after it and becomes "
        "W β, a constant.",
        [('after["weight"] @ shift', 'torch.zeros(len(after["weight"]))')],
    ),
    Mistake(
        "shift_through_folded",
        "The bias of the norm went through the matrix that already contains the gain. It is "
        "added after the gain, so it meets the original weights: W β.",
        [('after["weight"] @ shift', "folded @ shift")],
    ),
    Mistake(
        "shift_divided_by_gain",
        "The bias of the norm is divided by the gain before it meets the weights that contain "
        "it: where the gain is 0, that is NaN. It needs no division: W β, with the original "
        "weights.",
        [('after["weight"] @ shift', "folded @ (shift / gain)")],
    ),
    Mistake(
        "shift_through_centred",
        "The bias of the norm went through a matrix whose rows have lost their means. It may "
        "have a mean itself: it passes through the original weights, W β.",
        [
            (
                'constant = after["weight"] @ shift',
                'constant = (after["weight"] - after["weight"].mean(1, keepdim=True)) @ shift',
            )
        ],
    ),
    Mistake(
        "shift_subtracted",
        "W β is subtracted from the bias; it must be added.",
        [('after["bias"] + constant', 'after["bias"] - constant')],
    ),
    Mistake(
        "bias_lost",
        "The bias of the layer after the norm itself is lost: its new bias is b + W β.",
        [('    if "bias" in after:\n        constant = after["bias"] + constant\n', "")],
    ),
    Mistake(
        "roles_exchanged",
        "Gain and bias of the norm are exchanged: `weight` is multiplied, `bias` is added.",
        [("gain, shift =", "shift, gain =")],
    ),
    Mistake(
        "not_centred",
        "The layer before the norm is unchanged, so nothing subtracts the mean any more: "
        "RMSNorm does not.",
        [("tensor - tensor.mean(0)", "tensor")],
        points=3,
        section=RMS,
    ),
    Mistake(
        "rows_centred",
        "The mean of each *row* of the first matrix is subtracted. The mean that LayerNorm "
        "subtracts runs over the outputs of the layer: over the rows, `mean(dim=0)`.",
        [("tensor.mean(0)", "tensor.mean(-1, keepdim=True)")],
        points=3,
        section=RMS,
    ),
    Mistake(
        "sums_subtracted",
        "The sum of each column is subtracted; it must be its mean.",
        [("tensor.mean(0)", "tensor.sum(0)")],
        points=3,
        section=RMS,
    ),
    Mistake(
        "divided_by_inputs",
        "The sum of each column, or that of the bias, is divided by the number of inputs. They "
        "have as many numbers as the layer has outputs, and the mean is their sum divided by "
        "that.",
        [("tensor.mean(0)", 'tensor.sum(0) / before["weight"].size(1)')],
        other_forms=(
            [
                (
                    "tensor.mean(0)",
                    'tensor.sum(0) / before["weight"].size(1 if name == "bias" else 0)',
                )
            ],
        ),
        points=3,
        section=RMS,
    ),
    Mistake(
        "one_mean",
        "One mean of the whole first matrix is subtracted; each of its columns has its own.",
        [("tensor.mean(0)", "tensor.mean()")],
        points=3,
        section=RMS,
    ),
    Mistake(
        "before_bias",
        "The weights of the first layer are centred, but its bias is not; it adds to the mean "
        "of the outputs as well.",
        [("{name: tensor -", '{name: tensor if name == "bias" else tensor -')],
        points=3,
        section=RMS,
    ),
    Mistake(
        "bias_by_weights",
        "From the bias of the first layer the mean of the weights is subtracted; it is its own "
        "mean that must go.",
        [("tensor.mean(0)", '(before["weight"].mean() if name == "bias" else tensor.mean(0))')],
        points=3,
    ),
    Mistake(
        "bias_dropped",
        "The bias of the first layer is zero now, or gone. Only its mean is to be taken away.",
        [("{name: tensor -", '{name: 0.0 * tensor if name == "bias" else tensor -')],
        points=3,
        section=RMS,
    ),
    Mistake(
        "gain_before",
        "The gain is multiplied into the layer *before* the norm, too (or there instead), "
        "where the norm divides by the size again.",
        [("tensor - tensor.mean(0)", "gain.diag() @ (tensor - tensor.mean(0))")],
        points=3,
    ),
    Mistake(
        "gain_on_rows",
        "The gain multiplies the rows of the matrix after the norm, its outputs; it belongs "
        "to the columns, the numbers that come out of the norm.",
        [("* gain", "* gain[:, None]")],
        any_error=True,
    ),
    Mistake(
        "shift_through_transposed",
        "The bias of the norm is multiplied with the transposed matrix (β W); each output "
        "is a row of W times β, so it is W β.",
        [('after["weight"] @ shift', 'shift @ after["weight"]')],
        any_error=True,
    ),
    Mistake(
        "shift_added",
        "The bias of the norm is added to the bias as it is. It passes through the matrix "
        "first: W β.",
        [('after["weight"] @ shift', "shift")],
        any_error=True,
    ),
    Mistake(
        "centred_before_gain",
        "The mean of each row of the matrix after the norm is taken away before the gain is "
        "multiplied in. Behind the gain that would change nothing; before it, it does. It "
        "isn't needed.",
        [
            (
                'after["weight"] * gain',
                '(after["weight"] - after["weight"].mean(1, keepdim=True)) * gain',
            )
        ],
    ),
    Mistake(
        "gain_on_bias",
        "The bias of the layer after the norm is multiplied by the gain; it is added after "
        "the matrix, where the gain has no say.",
        [('after["bias"] + constant', 'after["bias"] * gain + constant')],
        any_error=True,
    ),
    Mistake(
        "transposed",
        "The matrix after the norm is transposed; it keeps the shape `[out, hidden]`.",
        [('after["weight"] * gain', 'after["weight"].T * gain')],
        any_error=True,
    ),
    Mistake(
        "sum_of_shift",
        "W β is summed to a single number, the same for all outputs; sum each row by itself.",
        [('after["weight"] @ shift', '(after["weight"] @ shift).sum()')],
    ),
    Mistake(
        "standardised",
        "The columns of the first matrix are also divided by their standard deviation. Only "
        "the mean is taken away: the norm's division stays where it is, in RMSNorm.",
        [("tensor - tensor.mean(0)", "(tensor - tensor.mean(0)) / tensor.std(0)")],
        points=3,
        section=RMS,
    ),
    kept_value("norm, after", 'after["weight"] * gain', 'after["weight"].shape'),
    Mistake(
        "crash_without_bias",
        'A layer without a bias has no `"bias"` in its dictionary: ask with `in` or `get`.',
        [_BIAS_ASKED_FOR, _BOTH_ASKED_FOR],
        points=3,
    ),
    Mistake(
        "crash_without_after_bias",
        'If the layer after the norm has no bias, there is no `"bias"` in its dictionary; '
        "the new bias is then W β alone.",
        [_BIAS_ASKED_FOR],
        points=3,
    ),
    Mistake(
        "crash_without_before_bias",
        'If the layer before the norm has no bias, there is no `"bias"` in its dictionary, '
        "and nothing to be centred.",
        [_BOTH_ASKED_FOR],
        points=3,
    ),
    Mistake(
        "bias_of_the_other",
        "Whether the layer *after* the norm has a bias is asked of the layer before it. Either "
        "may have one without the other: ask each for its own.",
        [('if "bias" in after', 'if "bias" in before')],
        other_forms=([('if "bias" in after', 'if "bias" in after and "bias" in before')],),
        points=3,
    ),
    Mistake(
        "bias_only_if_there",
        "A layer without a bias stays without one, so W β is lost. After the norm there must "
        "be a bias now.",
        [
            (
                "    return new_before, new_after",
                '    if "bias" not in after:\n'
                '        del new_after["bias"]\n'
                "    return new_before, new_after",
            )
        ],
        points=3,
    ),
    Mistake(
        "zeros_for_no_bias",
        "Where the layer after the norm had no bias, its new one is zeros, so W β is lost. "
        "The new bias is then W β alone.",
        [
            (
                '        constant = after["bias"] + constant',
                '        constant = after["bias"] + constant\n'
                "    else:\n"
                "        constant = torch.zeros_like(constant)",
            )
        ],
        points=3,
    ),
    Mistake(
        "bias_made_up",
        "The first layer had no bias and needs none now; a mean of nothing is taken away.",
        [
            (
                "    return new_before, new_after",
                '    new_before.setdefault("bias", torch.zeros_like(gain))\n'
                "    return new_before, new_after",
            )
        ],
        points=3,
    ),
    Mistake(
        "float64_returned",
        "The numbers are right, but they come back in float64. Weights keep their dtype: "
        "convert what was computed with more digits back to that of the given ones.",
        [
            (
                "    return new_before, new_after",
                "    states = new_before, new_after\n"
                "    return tuple({n: t.double() for n, t in s.items()} for s in states)",
            )
        ],
    ),
    Mistake(
        "not_two",
        "Return a pair of dictionaries, for the layers before and after the norm: neither one "
        "alone nor one for the norm, which has no weights any more.",
        [("return new_before, new_after", "return new_after")],
        equivalent=([("return new_before, new_after", "return new_before, norm, new_after")],),
    ),
    Mistake(
        "order_of_result",
        "The two dictionaries come in the wrong order: first the layer before the norm, then "
        "the one after it.",
        [("return new_before, new_after", "return new_after, new_before")],
    ),
    Mistake(
        "after_in_place",
        "The numbers are right, but the given dictionary `after` is changed (`*=`, `mul_`, "
        "`pop`, or a key assigned). Make a new one.",
        [
            (
                'new_after = {"weight": folded, "bias": constant}',
                'after["weight"] *= gain\n    after["bias"] = constant\n    new_after = after',
            )
        ],
        other_forms=([('after["bias"] + constant', 'after.pop("bias") + constant')],),
    ),
    Mistake(
        "in_place",
        "The numbers are right, but the given dictionaries are changed (`*=`, `-=`, or a key "
        "assigned). Make new ones.",
        [
            (
                "new_before = {name: tensor - tensor.mean(0) for name, tensor in before.items()}",
                "for tensor in before.values():\n"
                "        tensor -= tensor.mean(0)\n"
                "    new_before = before",
            ),
            (
                'new_after = {"weight": folded, "bias": constant}',
                'after["weight"] *= gain\n    after["bias"] = constant\n    new_after = after',
            ),
        ],
    ),
)
