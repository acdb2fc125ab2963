"""The known mistakes of `shaped_layer_norm`."""

from __future__ import annotations

from grading.content.common import kept
from grading.content.normalization.sections import (
    BY_HAND,
    EPS,
    EPS_OF_MODEL,
    GAIN,
    MISTAKES,
    RMS,
    VARIANCE,
    WHICH_NUMBERS,
)
from grading.exercise import Mistake
from grading.exercise.edits import Edits

from .question import with_forward


def _axis_by_axis(self, x, axes):
    for axis in axes:
        centred = x - x.mean(axis, keepdim=True)
        x = centred / (x.var(axis, keepdim=True, correction=0) + self.eps).sqrt()
    return x * self.weight + self.bias


def _inside(name: str) -> Edits:
    """PyTorch's module as an attribute."""
    return [
        (
            "self.weight = nn.Parameter(torch.ones(normalized_shape))",
            f"self.{name} = nn.LayerNorm(normalized_shape, eps)",
        ),
        ("        self.bias = nn.Parameter(torch.zeros(normalized_shape))\n", ""),
        ("normalised * self.weight + self.bias", f"self.{name}(x)"),
    ]


COMBINED = (
    "last_axis_only",
    "unbiased",
    "mean_kept",
    "no_gain",
    "no_bias",
    "bias_before_gain",
    "eps_outside",
    "eps_ignored",
    "no_eps",
)

MISTAKES = (
    kept(
        [
            (
                'that ``normalized_shape`` names."""\n',
                'that ``normalized_shape`` names."""\n\n    kept = {}\n',
            ),
            (
                "        axes = tuple",
                "        x = self.kept.setdefault(x.shape, x)\n        axes = tuple",
            ),
        ]
    ),
    Mistake(
        "random_start",
        "A fresh module's gain or bias is random; the gain starts at 1 and the bias at 0, so "
        "that nothing is changed before something was learned.",
        [("torch.ones(", "torch.randn(")],
        other_forms=(
            [("torch.ones(", "torch.rand(")],
            [("torch.ones(", "torch.randn("), ("torch.zeros(", "torch.randn(")],
            [("torch.zeros(", "torch.randn(")],
        ),
        points=3,
        section=GAIN,
    ),
    Mistake(
        "last_axis_only",
        "Mean and variance are taken over the last axis alone; they belong to all the trailing "
        "axes that `normalized_shape` names, together.",
        [("tuple(range(-self.count, 0))", "(-1,)")],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "first_axis_only",
        "Mean and variance are taken over one axis, the first of those that `normalized_shape` "
        "names; take them over all of these axes together.",
        [("tuple(range(-self.count, 0))", "(-self.count,)")],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "all_axes",
        "Mean and variance are taken over the whole tensor, the batch included. Each example "
        "is normalised by itself: only over the trailing axes in `normalized_shape`.",
        [("tuple(range(-self.count, 0))", "tuple(range(x.dim()))")],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "all_but_batch",
        "Mean and variance are taken over everything but the first axis. How many axes are "
        "normalised is said by `normalized_shape`, not by the number of axes of `x`.",
        [("tuple(range(-self.count, 0))", "tuple(range(1, x.dim()))")],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "leading_axes",
        "Mean and variance are taken over the axes in front (batch, tokens), so that examples "
        "influence each other, as in BatchNorm. Take the trailing axes.",
        [("tuple(range(-self.count, 0))", "tuple(range(x.dim() - self.count))")],
        section="“Each token by itself: LayerNorm and BatchNorm” in chapter 4",
    ),
    Mistake(
        "unbiased",
        "The variance is divided by n − 1, PyTorch's default; layer normalisation divides by "
        "n (`correction=0`).",
        [(", correction=0", "")],
        section=VARIANCE,
    ),
    Mistake(
        "mean_kept",
        "The mean is not subtracted from the numbers, only the size is set.",
        [("x - x.mean(axes, keepdim=True)", "x")],
        section=BY_HAND,
    ),
    Mistake(
        "mean_square",
        "The mean is subtracted, but the division is by the root mean square of the original "
        "numbers. The variance is that of the numbers without their mean.",
        [("x.var(axes, keepdim=True, correction=0)", "x.square().mean(axes, keepdim=True)")],
        section=BY_HAND,
    ),
    Mistake(
        "centred_only",
        "The mean is subtracted and nothing is divided: the variance must become 1.",
        [("centred / root", "centred")],
        section=BY_HAND,
    ),
    Mistake(
        "multiplied",
        "The numbers are multiplied by the root of the variance; divide by it.",
        [("centred / root", "centred * root")],
        section=BY_HAND,
    ),
    Mistake(
        "no_root",
        "The numbers are divided by the variance; divide by its root.",
        [("(variance + self.eps).sqrt()", "variance + self.eps")],
        section=BY_HAND,
    ),
    Mistake(
        "no_gain",
        "The gain (`weight`) is not applied, which cannot be seen as long as it is 1.",
        [(" * self.weight", "")],
        section=GAIN,
    ),
    Mistake(
        "no_bias",
        "The bias is not added, which cannot be seen as long as it is 0.",
        [(" + self.bias", "")],
        section=GAIN,
    ),
    Mistake(
        "bias_before_gain",
        "The bias is added before the gain is multiplied, so it is multiplied, too. Gain "
        "first, then bias.",
        [("normalised * self.weight + self.bias", "(normalised + self.bias) * self.weight")],
        section=GAIN,
    ),
    Mistake(
        "eps_outside",
        "eps is added outside the root, to the standard deviation; it belongs inside: "
        "√(variance + eps).",
        [("(variance", "variance.sqrt()"), (").sqrt()", "")],
        points=3,
        section=EPS,
    ),
    Mistake(
        "eps_ignored",
        "The `eps` that was given is not used: these are the numbers for 1e-5, PyTorch's default.",
        [("self.eps = eps", "self.eps = 1e-5")],
        points=3,
        section=EPS_OF_MODEL,
    ),
    Mistake(
        "no_eps",
        "There is no eps: equal numbers give 0/0, which is NaN, and small numbers are blown "
        "up. Add it to the variance.",
        [(" + self.eps", "")],
        points=3,
        section=EPS,
    ),
    Mistake(
        "tiny_eps",
        "The `eps` that was given is not used: these are the numbers for a tiny one, such as "
        "the chapter's 1e-12.",
        [("self.eps = eps", "self.eps = 1e-12")],
        points=3,
        section=EPS_OF_MODEL,
    ),
    Mistake(
        "smallest_eps",
        "An eps that is very small is replaced by a larger one (`max`). Use the `eps` that was "
        "given, however small it is.",
        [("self.eps = eps", "self.eps = max(eps, 1e-6)")],
        other_forms=tuple(
            [("self.eps = eps", f"self.eps = max(eps, {least})")] for least in ("1e-8", "1e-5")
        ),
        points=3,
        section=EPS,
    ),
    Mistake(
        "eps_squared",
        "The root is taken of variance + eps²; eps itself is added to the variance.",
        [("+ self.eps", "+ self.eps**2")],
        points=3,
        section=EPS,
    ),
    Mistake(
        "eps_raised",
        "A very small eps is replaced by a larger one, such as the rounding unit of float32; "
        "take it as it was given.",
        [("+ self.eps", "+ max(self.eps, torch.finfo(x.dtype).eps)")],
        points=3,
        section=EPS,
    ),
    Mistake(
        "eps_divided",
        "eps is added to the sum of the squares, and divided with it by their number; it is "
        "added to the variance.",
        [("+ self.eps", "+ self.eps / self.weight.numel()")],
        points=3,
        section=EPS,
    ),
    Mistake(
        "eps_on_both",
        "eps is added twice, to the variance and to its root. Once, inside the root.",
        [("(variance + self.eps).sqrt()", "(variance + self.eps).sqrt() + self.eps")],
        points=3,
        section=EPS,
    ),
    Mistake(
        "eps_as_floor",
        "The variance is not allowed below eps (`clamp`, `max`); eps is added to it.",
        [("(variance + self.eps).sqrt()", "variance.clamp(min=self.eps).sqrt()")],
        points=3,
        section=EPS,
    ),
    Mistake(
        "two_axes_always",
        "Mean and variance are always taken over the last two axes; how many there are is "
        "said by `normalized_shape`.",
        [("tuple(range(-self.count, 0))", "(-2, -1)")],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "two_axes_at_most",
        "One and two axes are right, but of three only the last two are normalised. Make the "
        "axes from the length of `normalized_shape`.",
        [("tuple(range(-self.count, 0))", "tuple(range(-min(2, self.count), 0))")],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "axes_from_the_left",
        "As many axes are normalised as `normalized_shape` has, but counted from the front; "
        "they are the last ones.",
        [("tuple(range(-self.count, 0))", "tuple(range(self.count))")],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "axis_by_axis",
        "The axes are normalised one after the other. One mean and one variance belong to all "
        "of them together: `mean(dim=(-2, -1))`.",
        with_forward(_axis_by_axis),
        other_forms=(with_forward(lambda self, x, axes: _axis_by_axis(self, x, axes[::-1])),),
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "one_of_both_over_the_last_axis",
        "Mean and variance are taken over different axes, one of them over the last axis "
        "alone. Both belong to all the axes that `normalized_shape` names, together.",
        [
            (
                "x.var(axes, keepdim=True, correction=0)",
                "centred.square().mean(-1, keepdim=True)",
            )
        ],
        other_forms=(
            [
                (
                    "x.var(axes, keepdim=True, correction=0)",
                    "x.var(-1, keepdim=True, correction=0)",
                )
            ],
            [("x.mean(axes, keepdim=True)", "x.mean(-1, keepdim=True)")],
        ),
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "averaged_variances",
        "The variances along the last axis are averaged. The variance of all numbers together "
        "also counts how far the means of the rows lie apart: `var(dim=(-2, -1))`.",
        [
            (
                "x.var(axes, keepdim=True, correction=0)",
                "x.var(-1, keepdim=True, correction=0).mean(axes, keepdim=True)",
            )
        ],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "axes_from_one",
        "As many axes are normalised as `normalized_shape` has, but counted from axis 1; they "
        "are the last ones.",
        [("tuple(range(-self.count, 0))", "tuple(range(1, self.count + 1))")],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "often_copied",
        "These are the numbers of a class that is often copied: statistics over the last axis "
        "alone, a variance divided by n − 1, eps outside the root. All three are to be "
        "changed.",
        [
            ("tuple(range(-self.count, 0))", "(-1,)"),
            (", correction=0", ""),
            ("(variance", "variance.sqrt()"),
            (").sqrt()", ""),
        ],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "rms_norm",
        "This is RMSNorm with a bias: the mean is subtracted nowhere.",
        [
            ("x - x.mean(axes, keepdim=True)", "x"),
            ("x.var(axes, keepdim=True, correction=0)", "x.square().mean(axes, keepdim=True)"),
        ],
        section=RMS,
    ),
    Mistake(
        "sum_of_squares",
        "The squares are summed and not averaged: divide by how many numbers there are.",
        [
            (
                "x.var(axes, keepdim=True, correction=0)",
                "centred.square().sum(axes, keepdim=True)",
            )
        ],
        section=BY_HAND,
    ),
    Mistake(
        "wrong_count",
        "The sums run over all the trailing axes but are divided by the size of the last one "
        "alone; divide by the product of the sizes.",
        [
            ("x.mean(axes, keepdim=True)", "x.sum(axes, keepdim=True) / x.size(-1)"),
            (
                "x.var(axes, keepdim=True, correction=0)",
                "centred.square().sum(axes, keepdim=True) / x.size(-1)",
            ),
        ],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "no_keepdim",
        "`keepdim=True` is missing: the mean of token j is subtracted from the j-th number of "
        "every token, if the shapes fit at all.",
        [
            ("x.mean(axes, keepdim=True)", "x.mean(axes)"),
            ("x.var(axes, keepdim=True, correction=0)", "x.var(axes, correction=0)"),
        ],
        section=WHICH_NUMBERS,
    ),
    Mistake(
        "gain_on_input",
        "The gain is multiplied to the numbers before they are normalised, where its size is "
        "forgotten again. Normalise first.",
        [
            ("        axes =", "        x = x * self.weight\n        axes ="),
            (" * self.weight", ""),
        ],
        section=GAIN,
    ),
    Mistake(
        "one_plus_gain",
        "The result is multiplied by 1 + gain. The gain starts at 1 and is multiplied as it is.",
        [("* self.weight", "* (1 + self.weight)")],
        section=GAIN,
    ),
    Mistake(
        "roles_exchanged",
        "Gain and bias are exchanged: `weight` is multiplied, `bias` is added.",
        [("normalised * self.weight + self.bias", "normalised * self.bias + self.weight")],
        section=GAIN,
    ),
    Mistake(
        "mean_absolute_deviation",
        "The numbers are divided by their mean absolute deviation; the variance averages squares.",
        [
            (
                "x.var(axes, keepdim=True, correction=0)",
                "centred.abs().mean(axes, keepdim=True)",
            ),
            ("(variance + self.eps).sqrt()", "variance + self.eps"),
        ],
        section=BY_HAND,
    ),
    Mistake(
        "one_number_each",
        "Gain and bias have the wrong shape (the case says which): they need one number for "
        "each place of `normalized_shape`.",
        [
            ("torch.ones(normalized_shape)", "torch.ones(normalized_shape[-1])"),
            ("torch.zeros(normalized_shape)", "torch.zeros(normalized_shape[-1])"),
        ],
        section=GAIN,
    ),
    Mistake(
        "no_super_init",
        "`super().__init__()` is missing at the beginning of `__init__`: before it, a module "
        "cannot hold parameters.",
        [("        super().__init__()\n", "")],
        section=GAIN,
    ),
    Mistake(
        "plain_tensors",
        "Gain and bias are not among the module's weights under the names `weight` and `bias`. "
        "Assign an `nn.Parameter` to each: a plain tensor is seen by no optimiser and saved by "
        "nothing.",
        [
            ("nn.Parameter(torch.ones(normalized_shape))", "torch.ones(normalized_shape)"),
            ("nn.Parameter(torch.zeros(normalized_shape))", "torch.zeros(normalized_shape)"),
        ],
        section=MISTAKES,
    ),
    Mistake(
        "module_inside",
        "Gain and bias belong to a module inside this one, so they are called after it, such "
        "as `norm.weight`. Their names must be `weight` and `bias`: assign them to `self`.",
        _inside("norm"),
        other_forms=(_inside("layer_norm"), _inside("ln")),
        section=MISTAKES,
    ),
    Mistake(
        "buffers",
        "Gain or bias, or both, are saved but not learned (`register_buffer`, or "
        "`requires_grad` is off). Make them `nn.Parameter`s.",
        [
            (
                "self.weight = nn.Parameter(torch.ones(normalized_shape))",
                'self.register_buffer("weight", torch.ones(normalized_shape))',
            ),
            (
                "self.bias = nn.Parameter(torch.zeros(normalized_shape))",
                'self.register_buffer("bias", torch.zeros(normalized_shape))',
            ),
        ],
        other_forms=tuple(
            [
                (
                    f"self.{name} = nn.Parameter(torch.{of}(normalized_shape))",
                    f'self.register_buffer("{name}", torch.{of}(normalized_shape))',
                )
            ]
            for name, of in (("weight", "ones"), ("bias", "zeros"))
        ),
        points=3,
        section=GAIN,
    ),
    Mistake(
        "zero_gain",
        "In a fresh module the gain must be 1 everywhere; here it is 0, and a fresh module "
        "gives nothing but zeros.",
        [("torch.ones(normalized_shape)", "torch.zeros(normalized_shape)")],
        points=3,
        section=GAIN,
    ),
    Mistake(
        "bias_of_one",
        "In a fresh module the bias must be 0 everywhere; here it is 1.",
        [("torch.zeros(normalized_shape)", "torch.ones(normalized_shape)")],
        points=3,
        section=GAIN,
    ),
    Mistake(
        "always_float32",
        "The result is float32 whatever `x` is: after `.double()` it must be float64.",
        [
            (
                "normalised * self.weight + self.bias",
                "(normalised * self.weight + self.bias).float()",
            )
        ],
        points=3,
    ),
    Mistake(
        "float32_inside",
        "After `.double()` mean or variance are still computed in float32 (`.float()`), which "
        "has too few digits for large numbers. Compute in the dtype of `x`.",
        [("x.mean(axes, keepdim=True)", "x.float().mean(axes, keepdim=True).to(x.dtype)")],
        other_forms=(
            [
                (
                    "        axes = tuple",
                    "        dtype, x = x.dtype, x.float()\n        axes = tuple",
                ),
                ("return normalised *", "return normalised.to(dtype) *"),
            ],
        ),
        points=3,
    ),
    Mistake(
        "constant_left_behind",
        "After `.double()` a tensor of the module is still float32. A constant that is an "
        "attribute does not move with the module; `register_buffer` makes it do so.",
        [
            (
                "        self.eps = eps\n",
                "        self.eps = eps\n"
                "        numbers = torch.Size(normalized_shape).numel()\n"
                "        self.average = torch.full((numbers,), 1 / numbers)\n",
            ),
            (
                "x.mean(axes, keepdim=True)",
                "(x.flatten(-self.count) @ self.average)[(..., *[None] * self.count)]",
            ),
        ],
        points=3,
        any_error=True,
    ),
    Mistake(
        "detached_statistics",
        "The values are right, but mean and variance are cut off from autograd (`detach`, "
        "`no_grad`, `item`). They depend on `x`, and the gradient must know.",
        [("x.mean(", "x.detach().mean("), ("x.var(", "x.detach().var(")],
        points=3,
        section="“What the gradient does” in chapter 4",
    ),
    Mistake(
        "detached_weights",
        "The values are right, but no gradient reaches gain and bias (`.data`, `detach`, "
        "`requires_grad=False`), so they would never be learned.",
        [
            (
                "normalised * self.weight + self.bias",
                "normalised * self.weight.data + self.bias.data",
            )
        ],
        equivalent=(
            [
                ("torch.ones(normalized_shape)", "torch.ones(normalized_shape), False"),
                ("torch.zeros(normalized_shape)", "torch.zeros(normalized_shape), False"),
            ],
        ),
        points=3,
        section=GAIN,
    ),
    Mistake(
        "in_place",
        "`x` itself is changed (`x -= …`), while a residual connection may still need it. "
        "Write `x = x - …`.",
        [
            (
                "centred = x - x.mean(axes, keepdim=True)",
                "x -= x.mean(axes, keepdim=True)\n        centred = x",
            )
        ],
        any_error=True,
    ),
)
