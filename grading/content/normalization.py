"""Assignment 4, normalisation and residual layers: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.

Gains are never near 1 and biases never near 0, so that a forgotten one shows. In the cases that are
not about eps the numbers are so large that no usual eps can be seen; in those that are, it is 0.1
against variances of the same size. Numbers in half precision are drawn so that no result lies near
the border between two neighbours, where two right ways to compute could round differently.
"""

from __future__ import annotations

import itertools
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading import check
from grading.content import normalization_drivers as drivers
from grading.exercise import Case, Exercise, Mistake, Part

ASSIGNMENT = "04_normalization"

_BY_HAND = "“Layer normalisation by hand” in chapter 4"
_WHICH_NUMBERS = "“Over which numbers?” in chapter 4"
_VARIANCE = "“Variance: divide by n, not by n − 1” in chapter 4"
_EPS = "“eps: inside the root” in chapter 4"
_EPS_OF_MODEL = "“eps is part of the model” in chapter 4"
_GAIN = "“Gain and bias” in chapter 4"
_RMS = "“RMSNorm: leave the mean alone” in chapter 4"
_RESIDUAL = "“Residual connections: add instead of replace” in chapter 4"
_PLACES = "“Two places: post-norm and pre-norm” in chapter 4"
_LAST = "“Before training: sizes and the last normalisation” in chapter 4"
_MISTAKES = "“Common mistakes” in chapter 4"
_LAYER_MISTAKES = "“Mistakes in the residual layer” in chapter 4"


def _sizes(generator: torch.Generator, count: int, low: int = 2) -> list[int]:
    """Draw pairwise different sizes."""
    return (torch.randperm(count + 1, generator=generator)[:count] + low).tolist()


def _normal(generator: torch.Generator, *shape: int, size: float = 1.3) -> Tensor:
    return torch.randn(*shape, generator=generator) * size


def _away_from_zero(generator: torch.Generator, *shape: int) -> Tensor:
    """Numbers of either sign and a size between 0.3 and 0.7 or 1.4 and 2: never near 0 or ±1."""
    low, high, sign = torch.rand(3, *shape, generator=generator)
    size = torch.where(high < 0.5, 0.3 + 0.4 * low, 1.4 + 0.6 * low)
    return torch.where(sign < 0.5, -size, size)


def _affine(generator: torch.Generator, *shape: int) -> dict[str, Tensor]:
    """Gain and bias of a normalisation."""
    return {
        "weight": _away_from_zero(generator, *shape),
        "bias": _away_from_zero(generator, *shape),
    }


def _linear(generator: torch.Generator, out: int, into: int, bias: bool = True) -> dict:
    state = {"weight": _normal(generator, out, into, size=1.3 / math.sqrt(into))}
    return {**state, "bias": _away_from_zero(generator, out)} if bias else state


def _vectors(generator: torch.Generator, *shape: int, axes: int = 1) -> Tensor:
    """Large numbers with a mean: each group that is normalised has a variance above 9."""
    while True:
        x = _normal(generator, *shape, size=6.0)
        x = x + _normal(generator, *shape[:-axes], *[1] * axes, size=4.0)
        if x.flatten(-axes).var(-1, correction=0).min() > 9:
            return x


# ---- Exercise 1: ShapedLayerNorm ---------------------------------------------------------------


def _axes(mistakes: frozenset[str], dims: int, count: int) -> tuple[int, ...]:
    if "last_axis_only" in mistakes:
        return (-1,)
    if "first_axis_only" in mistakes:
        return (-count,)
    if "all_axes" in mistakes:
        return tuple(range(dims))
    if "all_but_batch" in mistakes:
        return tuple(range(min(1, dims - 1), dims))
    if "leading_axes" in mistakes:
        return tuple(range(dims - count)) or tuple(range(dims))
    return tuple(range(-count, 0))


def _shaped_layer_norm(mistakes: frozenset[str] = frozenset()) -> type:
    class ShapedLayerNorm(nn.Module):
        def __init__(self, normalized_shape, eps):
            super().__init__()
            self.count = len(normalized_shape)
            self.eps = 1e-5 if "eps_ignored" in mistakes else eps
            self.weight = nn.Parameter(torch.ones(normalized_shape))
            self.bias = nn.Parameter(torch.zeros(normalized_shape))

        def forward(self, x):
            axes = _axes(mistakes, x.dim(), self.count)
            centred = x - x.mean(axes, keepdim=True)
            variance = x.var(axes, keepdim=True, correction=int("unbiased" in mistakes))
            if "mean_square" in mistakes:
                variance = x.square().mean(axes, keepdim=True)
            if "mean_kept" in mistakes:
                centred = x
            if "eps_outside" in mistakes:
                root = variance.sqrt() + self.eps
            elif "no_eps" in mistakes:
                root = variance.sqrt()
            else:
                root = (variance + self.eps).sqrt()
            normalised = centred / (root.square() if "no_root" in mistakes else root)
            if "multiplied" in mistakes:
                normalised = centred * root
            if "centred_only" in mistakes:
                normalised = centred
            gain = 1 if "no_gain" in mistakes else self.weight
            bias = 0 if "no_bias" in mistakes else self.bias
            if "bias_before_gain" in mistakes:
                return (normalised + bias) * gain
            return normalised * gain + bias

    return ShapedLayerNorm


_RightNorm = _shaped_layer_norm()


def _norm_with_forward(forward) -> type:
    """The right class with another ``forward(self, x, axes)``."""

    class ShapedLayerNorm(_RightNorm):
        def forward(self, x):
            return forward(self, x, tuple(range(-self.count, 0)))

    return ShapedLayerNorm


def _norm_with_init(change) -> type:
    """The right class with something done to it after it was made."""

    class ShapedLayerNorm(_RightNorm):
        def __init__(self, normalized_shape, eps):
            super().__init__(normalized_shape, eps)
            change(self)

    return ShapedLayerNorm


def _shaped_cases(generator: torch.Generator) -> list[Case]:
    def case(title, shape, x, part="core", eps=1e-12, driver=check.run_module, **options):
        arguments = [("init", [tuple(shape), eps]), ("state", _affine(generator, *shape))]
        alone = driver in (drivers.run_on, drivers.run_in_float64, drivers.gradients_reach)
        arguments.append(("x", x) if alone else ("inputs", [x]))
        return Case(title, part, tuple(arguments), driver=driver, **options)

    def sizes():
        return _sizes(generator, 4)

    def vectors(*shape, axes):
        return _vectors(generator, *shape, axes=axes)

    batch, tokens, rows, hidden = sizes()
    cases = [
        case("one axis", (hidden + 2,), vectors(batch, tokens, hidden + 2, axes=1)),
        case("two axes", (rows, hidden), vectors(batch, tokens, rows, hidden, axes=2)),
    ]
    batch, tokens, rows, hidden = sizes()
    cases += [
        case("three axes, batch of one", (rows, 3, 2), vectors(1, rows, 3, 2, axes=3)),
        case("nothing but the axes", (rows, hidden), vectors(rows, hidden, axes=2)),
        case("as many tokens as numbers", (7,), vectors(batch, 7, 7, axes=1)),
        case(
            "a transposed view",
            (hidden + 1,),
            vectors(tokens, hidden + 1, axes=1),
            driver=drivers.run_on,
            strided=True,
        ),
    ]
    batch, tokens, rows, hidden = sizes()
    small = _normal(generator, tokens, rows, hidden, size=0.3) + 0.5
    flat = small.clone()
    flat[0] = 2.0
    cases += [
        case("small numbers, eps = 0.1", (rows, hidden), small, "eps", eps=0.1),
        case("equal numbers, eps = 0.1", (rows, hidden), flat, "eps", eps=0.1),
    ]
    batch, tokens, rows, hidden = sizes()
    x = vectors(batch, rows, hidden, axes=2)
    cases += [
        case("the gradient for x", (rows, hidden), x, "module", driver=drivers.run_on,
             gradient=True),
        case("gradients for gain and bias", (rows, hidden), x, "module",
             driver=check.train_module),
        Case("a fresh module", "module", (("init", [(rows, hidden), 1e-5]),),
             driver=drivers.fresh_state),
        case("after .double()", (rows, hidden), x, "module", driver=drivers.run_in_float64),
    ]  # fmt: skip
    return cases


def _no_keepdim(self, x, axes):
    centred = x - x.mean(axes)
    return centred / (x.var(axes, correction=0) + self.eps).sqrt() * self.weight + self.bias


def _in_place_norm(self, x, axes):
    x -= x.mean(axes, keepdim=True)
    return x / (x.square().mean(axes, keepdim=True) + self.eps).sqrt() * self.weight + self.bias


def _detached_statistics(self, x, axes):
    variance, mean = torch.var_mean(x.detach(), axes, keepdim=True, correction=0)
    return (x - mean) / (variance + self.eps).sqrt() * self.weight + self.bias


def _detached_weights(self, x, axes):
    return F.layer_norm(x, self.weight.shape, self.weight.data, self.bias.data, self.eps)


def _axis_by_axis(self, x, axes):
    for axis in reversed(axes):
        centred = x - x.mean(axis, keepdim=True)
        x = centred / (x.var(axis, keepdim=True, correction=0) + self.eps).sqrt()
    return x * self.weight + self.bias


def _axes_from_one(self, x, axes):
    axes = tuple(range(1, self.count + 1))
    centred = x - x.mean(axes, keepdim=True)
    variance = x.var(axes, keepdim=True, correction=0)
    return centred / (variance + self.eps).sqrt() * self.weight + self.bias


def _wrong_count(self, x, axes):
    centred = x - x.sum(axes, keepdim=True) / x.size(-1)
    variance = centred.square().sum(axes, keepdim=True) / x.size(-1)
    return centred / (variance + self.eps).sqrt() * self.weight + self.bias


def _loop_norm(self, x, axes):
    flat = x.reshape(-1, self.weight.numel())
    results = []
    for row in flat:
        mean = row.sum() / row.numel()
        deviations = row - mean
        variance = (deviations @ deviations) / row.numel()
        results.append(deviations * (variance + self.eps) ** -0.5)
    return torch.stack(results).reshape(x.shape) * self.weight + self.bias


def _difference_of_squares(self, x, axes):
    mean = x.mean(axes, keepdim=True)
    variance = (x**2).mean(axes, keepdim=True) - mean**2
    return torch.addcmul(self.bias, (x - mean) * torch.rsqrt(variance + self.eps), self.weight)


class _NoSuperInit(nn.Module):
    def __init__(self, normalized_shape, eps):
        self.weight = nn.Parameter(torch.ones(normalized_shape))


def _plain_tensors(self):
    gain, bias = self.weight.data, self.bias.data
    del self.weight, self.bias
    self.weight, self.bias = gain, bias


def _buffers(self):
    gain, bias = self.weight.data, self.bias.data
    del self.weight, self.bias
    self.register_buffer("weight", gain)
    self.register_buffer("bias", bias)


def _one_number_each(self):
    self.weight = nn.Parameter(torch.ones(self.weight.size(-1)))
    self.bias = nn.Parameter(torch.zeros(self.bias.size(-1)))


class _LibraryNorm(nn.LayerNorm):
    def __init__(self, normalized_shape, eps):
        super().__init__(normalized_shape, eps=eps)


class _NormOfFlattened(nn.Module):
    def __init__(self, normalized_shape, eps):
        super().__init__()
        self.shape, self.eps = torch.Size(normalized_shape), eps
        for name, value in (("weight", 1.0), ("bias", 0.0)):
            self.register_parameter(name, nn.Parameter(torch.full(normalized_shape, value)))

    def forward(self, x):
        flat = x.flatten(-len(self.shape))
        flat = F.layer_norm(flat, flat.shape[-1:], eps=self.eps)
        return flat.unflatten(-1, self.shape).mul(self.weight).add(self.bias)


SHAPED_LAYER_NORM = Exercise(
    id="ShapedLayerNorm",
    title="Layer normalisation over several axes",
    signature="class ShapedLayerNorm(normalized_shape, eps)",
    reference=_RightNorm,
    variant=_shaped_layer_norm,
    cases=_shaped_cases,
    parts=(
        Part("core", "normalised over the trailing axes, with gain and bias", 2),
        Part("eps", "eps where it shows", 1),
        Part("module", "gradients, starting values, float64", 1),
    ),
    minutes=20,
    difficulty=2,
    section=_BY_HAND,
    alternatives={
        "library": _LibraryNorm,
        "flattened": _NormOfFlattened,
        "loop": _norm_with_forward(_loop_norm),
        "mean of squares minus square of mean": _norm_with_forward(_difference_of_squares),
        "in float64": _norm_with_forward(
            lambda self, x, axes: F.layer_norm(
                x.double(),
                self.weight.shape,
                self.weight.double(),
                self.bias.double(),
                self.eps,
            ).to(x.dtype)
        ),
        "var_mean": _norm_with_forward(
            lambda self, x, axes: (
                torch.var_mean(x, axes, correction=0, keepdim=True)[0].add(self.eps).rsqrt()
                * (x - torch.var_mean(x, axes, keepdim=True)[1])
                * self.weight
                + self.bias
            )
        ),
    },
    mistakes=(
        Mistake(
            "last_axis_only",
            "Mean and variance are taken over the last axis alone; they belong to all the trailing "
            "axes that `normalized_shape` names, together.",
            section=_WHICH_NUMBERS,
        ),
        Mistake(
            "first_axis_only",
            "Mean and variance are taken over one axis, the first of those that `normalized_shape` "
            "names; take them over all of these axes together.",
            section=_WHICH_NUMBERS,
            implementation=_shaped_layer_norm(frozenset({"first_axis_only"})),
        ),
        Mistake(
            "all_axes",
            "Mean and variance are taken over the whole tensor, the batch included. Each example "
            "is normalised by itself: only over the trailing axes in `normalized_shape`.",
            section=_WHICH_NUMBERS,
            implementation=_shaped_layer_norm(frozenset({"all_axes"})),
        ),
        Mistake(
            "all_but_batch",
            "Mean and variance are taken over everything but the first axis. How many axes are "
            "normalised is said by `normalized_shape`, not by the number of axes of `x`.",
            section=_WHICH_NUMBERS,
            implementation=_shaped_layer_norm(frozenset({"all_but_batch"})),
        ),
        Mistake(
            "leading_axes",
            "Mean and variance are taken over the axes in front (batch, tokens), so that examples "
            "influence each other, as in BatchNorm. Take the trailing axes.",
            section="“Each token by itself: LayerNorm and BatchNorm” in chapter 4",
            implementation=_shaped_layer_norm(frozenset({"leading_axes"})),
        ),
        Mistake(
            "unbiased",
            "The variance is divided by n − 1, PyTorch's default; layer normalisation divides by "
            "n (`correction=0`).",
            section=_VARIANCE,
        ),
        Mistake(
            "mean_kept",
            "The mean is not subtracted from the numbers, only the size is set.",
            section=_BY_HAND,
        ),
        Mistake(
            "mean_square",
            "The mean is subtracted, but the division is by the root mean square of the original "
            "numbers. The variance is that of the numbers without their mean.",
            section=_BY_HAND,
            implementation=_shaped_layer_norm(frozenset({"mean_square"})),
        ),
        Mistake(
            "centred_only",
            "The mean is subtracted and nothing is divided: the variance must become 1.",
            section=_BY_HAND,
            implementation=_shaped_layer_norm(frozenset({"centred_only"})),
        ),
        Mistake(
            "multiplied",
            "The numbers are multiplied by the root of the variance; divide by it.",
            section=_BY_HAND,
            implementation=_shaped_layer_norm(frozenset({"multiplied"})),
        ),
        Mistake(
            "no_root",
            "The numbers are divided by the variance; divide by its root.",
            section=_BY_HAND,
            implementation=_shaped_layer_norm(frozenset({"no_root"})),
        ),
        Mistake(
            "no_gain",
            "The gain (`weight`) is not applied, which cannot be seen as long as it is 1.",
            section=_GAIN,
        ),
        Mistake(
            "no_bias",
            "The bias is not added, which cannot be seen as long as it is 0.",
            section=_GAIN,
        ),
        Mistake(
            "bias_before_gain",
            "The bias is added before the gain is multiplied, so it is multiplied, too. Gain "
            "first, then bias.",
            section=_GAIN,
        ),
        Mistake(
            "eps_outside",
            "eps is added outside the root, to the standard deviation; it belongs inside: "
            "√(variance + eps).",
            points=3,
            section=_EPS,
        ),
        Mistake(
            "eps_ignored",
            "The `eps` that was given is not used: these are the numbers for 1e-5, PyTorch's "
            "default.",
            points=3,
            section=_EPS_OF_MODEL,
        ),
        Mistake(
            "no_eps",
            "There is no eps: equal numbers give 0/0, which is NaN, and small numbers are blown "
            "up. Add it to the variance.",
            points=3,
            section=_EPS,
        ),
        Mistake(
            "tiny_eps",
            "The `eps` that was given is not used: these are the numbers for a tiny one, such as "
            "the chapter's 1e-12.",
            _norm_with_init(lambda self: setattr(self, "eps", 1e-12)),
            points=3,
            section=_EPS_OF_MODEL,
        ),
        Mistake(
            "eps_squared",
            "The root is taken of variance + eps²; eps itself is added to the variance.",
            _norm_with_forward(
                lambda self, x, axes: F.layer_norm(
                    x, self.weight.shape, self.weight, self.bias, self.eps**2
                )
            ),
            points=3,
            section=_EPS,
        ),
        Mistake(
            "eps_on_both",
            "eps is added twice, to the variance and to its root. Once, inside the root.",
            _norm_with_forward(
                lambda self, x, axes: (
                    (x - x.mean(axes, keepdim=True))
                    / ((x.var(axes, keepdim=True, correction=0) + self.eps).sqrt() + self.eps)
                    * self.weight
                    + self.bias
                )
            ),
            points=3,
            section=_EPS,
        ),
        Mistake(
            "eps_as_floor",
            "The variance is not allowed below eps (`clamp`, `max`); eps is added to it.",
            _norm_with_forward(
                lambda self, x, axes: (
                    (x - x.mean(axes, keepdim=True))
                    / x.var(axes, keepdim=True, correction=0).clamp(min=self.eps).sqrt()
                    * self.weight
                    + self.bias
                )
            ),
            points=3,
            section=_EPS,
        ),
        Mistake(
            "two_axes_always",
            "Mean and variance are always taken over the last two axes; how many there are is "
            "said by `normalized_shape`.",
            _norm_with_forward(
                lambda self, x, axes: (
                    F.layer_norm(x, x.shape[-2:], eps=self.eps) * self.weight + self.bias
                )
            ),
            section=_WHICH_NUMBERS,
        ),
        Mistake(
            "two_axes_at_most",
            "One and two axes are right, but of three only the last two are normalised. Make the "
            "axes from the length of `normalized_shape`.",
            _norm_with_forward(
                lambda self, x, axes: (
                    F.layer_norm(x, x.shape[-min(2, self.count) :], eps=self.eps) * self.weight
                    + self.bias
                )
            ),
            section=_WHICH_NUMBERS,
        ),
        Mistake(
            "axes_from_the_left",
            "As many axes are normalised as `normalized_shape` has, but counted from the front; "
            "they are the last ones.",
            _norm_with_forward(
                lambda self, x, axes: (
                    (x - x.mean(tuple(range(self.count)), keepdim=True))
                    / (
                        x.var(tuple(range(self.count)), keepdim=True, correction=0) + self.eps
                    ).sqrt()
                    * self.weight
                    + self.bias
                )
            ),
            section=_WHICH_NUMBERS,
        ),
        Mistake(
            "axis_by_axis",
            "The axes are normalised one after the other. One mean and one variance belong to all "
            "of them together: `mean(dim=(-2, -1))`.",
            _norm_with_forward(_axis_by_axis),
            section=_WHICH_NUMBERS,
        ),
        Mistake(
            "axes_from_one",
            "As many axes are normalised as `normalized_shape` has, but counted from axis 1; they "
            "are the last ones.",
            _norm_with_forward(_axes_from_one),
            section=_WHICH_NUMBERS,
        ),
        Mistake(
            "often_copied",
            "These are the numbers of a class that is often copied: statistics over the last axis "
            "alone, a variance divided by n − 1, eps outside the root. All three are to be "
            "changed.",
            _shaped_layer_norm(frozenset({"last_axis_only", "unbiased", "eps_outside"})),
            section=_WHICH_NUMBERS,
        ),
        Mistake(
            "rms_norm",
            "This is RMSNorm with a bias: the mean is subtracted nowhere.",
            _shaped_layer_norm(frozenset({"mean_kept", "mean_square"})),
            section=_RMS,
        ),
        Mistake(
            "sum_of_squares",
            "The squares are summed and not averaged: divide by how many numbers there are.",
            _norm_with_forward(
                lambda self, x, axes: (
                    (x - x.mean(axes, keepdim=True))
                    / (
                        (x - x.mean(axes, keepdim=True)).square().sum(axes, keepdim=True) + self.eps
                    ).sqrt()
                    * self.weight
                    + self.bias
                )
            ),
            section=_BY_HAND,
        ),
        Mistake(
            "wrong_count",
            "The sums run over all the trailing axes but are divided by the size of the last one "
            "alone; divide by the product of the sizes.",
            _norm_with_forward(_wrong_count),
            section=_WHICH_NUMBERS,
        ),
        Mistake(
            "no_keepdim",
            "`keepdim=True` is missing: the mean of token j is subtracted from the j-th number of "
            "every token, if the shapes fit at all.",
            _norm_with_forward(_no_keepdim),
            section=_WHICH_NUMBERS,
        ),
        Mistake(
            "gain_on_input",
            "The gain is multiplied to the numbers before they are normalised, where its size is "
            "forgotten again. Normalise first.",
            _norm_with_forward(
                lambda self, x, axes: F.layer_norm(
                    x * self.weight, self.weight.shape, None, self.bias, self.eps
                )
            ),
            section=_GAIN,
        ),
        Mistake(
            "one_plus_gain",
            "The result is multiplied by 1 + gain. The gain starts at 1 and is multiplied as it "
            "is.",
            _norm_with_forward(
                lambda self, x, axes: F.layer_norm(
                    x, self.weight.shape, 1 + self.weight, self.bias, self.eps
                )
            ),
            section=_GAIN,
        ),
        Mistake(
            "roles_exchanged",
            "Gain and bias are exchanged: `weight` is multiplied, `bias` is added.",
            _norm_with_forward(
                lambda self, x, axes: F.layer_norm(
                    x, self.weight.shape, self.bias, self.weight, self.eps
                )
            ),
            section=_GAIN,
        ),
        Mistake(
            "mean_absolute_deviation",
            "The numbers are divided by their mean absolute deviation; the variance averages "
            "squares.",
            _norm_with_forward(
                lambda self, x, axes: (
                    (x - x.mean(axes, keepdim=True))
                    / ((x - x.mean(axes, keepdim=True)).abs().mean(axes, keepdim=True) + self.eps)
                    * self.weight
                    + self.bias
                )
            ),
            section=_BY_HAND,
        ),
        Mistake(
            "one_number_each",
            "Gain and bias have the wrong shape (the case says which): they need one number for "
            "each place of `normalized_shape`.",
            _norm_with_init(_one_number_each),
            section=_GAIN,
        ),
        Mistake(
            "no_super_init",
            "`super().__init__()` is missing at the beginning of `__init__`: before it, a module "
            "cannot hold parameters.",
            _NoSuperInit,
            section=_GAIN,
        ),
        Mistake(
            "plain_tensors",
            "Gain and bias are not among the module's weights under the names `weight` and `bias`. "
            "Assign an `nn.Parameter` to each: a plain tensor is seen by no optimiser and saved by "
            "nothing.",
            _norm_with_init(_plain_tensors),
            section=_MISTAKES,
        ),
        Mistake(
            "buffers",
            "Gain and bias are saved but not learned (`register_buffer`, or `requires_grad` is "
            "off). Make them `nn.Parameter`s.",
            _norm_with_init(_buffers),
            points=3,
            section=_GAIN,
        ),
        Mistake(
            "zero_gain",
            "In a fresh module the gain must be 1 everywhere; here it is 0, and a fresh module "
            "gives nothing but zeros.",
            _norm_with_init(lambda self: nn.init.zeros_(self.weight)),
            points=3,
            section=_GAIN,
        ),
        Mistake(
            "bias_of_one",
            "In a fresh module the bias must be 0 everywhere; here it is 1.",
            _norm_with_init(lambda self: nn.init.ones_(self.bias)),
            points=3,
            section=_GAIN,
        ),
        Mistake(
            "always_float32",
            "The result is float32 whatever `x` is: after `.double()` it must be float64.",
            _norm_with_forward(
                lambda self, x, axes: F.layer_norm(
                    x.float(), self.weight.shape, self.weight.float(), self.bias.float(), self.eps
                )
            ),
            points=3,
        ),
        Mistake(
            "detached_statistics",
            "The values are right, but mean and variance are cut off from autograd (`detach`, "
            "`no_grad`, `item`). They depend on `x`, and the gradient must know.",
            _norm_with_forward(_detached_statistics),
            points=3,
            section="“What the gradient does” in chapter 4",
        ),
        Mistake(
            "detached_weights",
            "The values are right, but gain and bias are cut off from autograd (`.data`, "
            "`detach`), so they would never be learned.",
            _norm_with_forward(_detached_weights),
            points=3,
            section=_GAIN,
        ),
        Mistake(
            "in_place",
            "`x` itself is changed (`x -= …`), while a residual connection may still need it. "
            "Write `x = x - …`.",
            _norm_with_forward(_in_place_norm),
            any_error=True,
        ),
    ),
)


# ---- Exercise 2: llama_rms_norm ----------------------------------------------------------------


def _llama_rms_norm(mistakes: frozenset[str] = frozenset()):
    def llama_rms_norm(x, weight, eps):
        eps = 1e-6 if "eps_ignored" in mistakes else eps
        wide = x if "half_statistics" in mistakes else x.float()
        if "mean_subtracted" in mistakes:
            wide = wide - wide.mean(-1, keepdim=True)
        axis = -2 if "over_tokens" in mistakes and x.dim() > 1 else -1
        square = wide.square().mean(axis, keepdim=True)
        if "sum" in mistakes:
            square = wide.square().sum(axis, keepdim=True)
        if "eps_outside" in mistakes:
            root = square.sqrt() + eps
        elif "no_eps" in mistakes:
            root = square.sqrt()
        else:
            root = (square + eps).sqrt()
        normalised = wide / (root.square() if "no_root" in mistakes else root)
        gain = weight + 1 if "one_plus_gain" in mistakes else weight
        if "gain_added" in mistakes:
            return normalised.to(x.dtype) + gain
        if "no_gain" in mistakes:
            gain = torch.ones_like(weight)
        if "float32_result" in mistakes:
            return normalised * gain.float()
        if "gain_before_rounding" in mistakes:
            return (normalised * gain.float()).to(x.dtype)
        return normalised.to(x.dtype) * gain

    return llama_rms_norm


_right_rms_norm = _llama_rms_norm()


def _rounds_safely(x: Tensor, weight: Tensor, eps: float) -> bool:
    """Tell whether every right way to compute rounds each number to the same neighbour."""
    if x.dtype == torch.float32:
        return True
    wide = x.double()
    exact = wide / (wide.square().mean(-1, keepdim=True) + eps).sqrt()
    below, above = ((exact * factor).to(x.dtype) for factor in (1 - 3e-6, 1 + 3e-6))
    return torch.equal(below, above)


def _shows(mistake: str, x: Tensor, weight: Tensor, eps: float) -> bool:
    """Tell whether several numbers differ if this mistake is made."""
    other = _llama_rms_norm(frozenset({mistake}))
    return int((_right_rms_norm(x, weight, eps) != other(x, weight, eps)).sum()) > 3


def _rms_cases(generator: torch.Generator) -> list[Case]:
    def case(
        title,
        part="core",
        shape=None,
        dtype=torch.float32,
        size=4.0,
        eps=1e-12,
        **options,
    ):
        batch, tokens, hidden = _sizes(generator, 3, low=3)
        shape = shape or (batch, tokens, hidden + 1)
        while True:
            x = _away_from_zero(generator, *shape) + 0.8
            x = (x.sign() * x.abs().clamp(min=0.3) * size).to(dtype)
            weight = _away_from_zero(generator, shape[-1])
            if part == "half":  # powers of two: it does not matter when such a gain is multiplied
                weight = weight.sign() * torch.exp2((weight.abs() < 1).float() * -2 + 1)
            weight = weight.to(dtype)
            safe = _rounds_safely(x, weight, eps)
            telling = {"half": "half_statistics", "order": "gain_before_rounding"}.get(part)
            if safe and (telling is None or _shows(telling, x, weight, eps)):
                break
        arguments = (("x", x), ("weight", weight), ("eps", eps))
        return Case(title, part, arguments, **options)

    return [
        case("float32"),
        case("a single vector", shape=(6,)),
        case("one token, one number less", shape=(1, 1, 5)),
        case("small numbers, eps = 0.1", size=0.2, eps=0.1),
        case("a transposed view", strided=True),
        case("gradients", gradient=True),
        case("float16, numbers around 400", "half", (2, 3, 5), torch.float16, 400.0, 1e-20),
        case("float16, numbers around 0.0001", "half", (3, 2, 4), torch.float16, 1e-4, 1e-20),
        case("bfloat16, gains ±½ and ±2", "half", (2, 3, 6), torch.bfloat16),
        case("bfloat16, any gains", "order", (3, 2, 7), torch.bfloat16),
        case("float16, any gains", "order", (2, 4, 6), torch.float16, size=0.7),
    ]


def _hugging_face(x, weight, eps):
    """The order of Hugging Face's ``LlamaRMSNorm``."""
    hidden = x.to(torch.float32)
    variance = hidden.pow(2).mean(-1, keepdim=True)
    hidden = hidden * torch.rsqrt(variance + eps)
    return weight * hidden.to(x.dtype)


def _loop_rms(x, weight, eps):
    rows = []
    for row in x.reshape(-1, x.size(-1)):
        numbers = row.float()
        root = (numbers.dot(numbers) / numbers.numel() + eps) ** 0.5
        rows.append((numbers / root).to(row.dtype) * weight)
    return torch.stack(rows).view(x.shape)


def _in_place_rms(x, weight, eps):
    wide = x.float()  # for float32 this is `x` itself
    wide /= (wide.square().mean(-1, keepdim=True) + eps).sqrt()
    return wide.to(x.dtype) * weight


def _no_keepdim_rms(x, weight, eps):
    wide = x.float()
    return (wide / (wide.square().mean(-1) + eps).sqrt()).to(x.dtype) * weight


LLAMA_RMS_NORM = Exercise(
    id="llama_rms_norm",
    title="RMSNorm in half precision",
    signature="llama_rms_norm(x, weight, eps)",
    reference=_right_rms_norm,
    variant=_llama_rms_norm,
    cases=_rms_cases,
    parts=(
        Part("core", "RMSNorm in float32", 2),
        Part("half", "float16 and bfloat16, with statistics in float32", 1),
        Part("order", "rounded before the gain", 1),
    ),
    minutes=15,
    difficulty=2,
    section=_RMS,
    alternatives={
        "as in Hugging Face": _hugging_face,
        "library, then the gain": lambda x, weight, eps: (
            F.rms_norm(x.float(), x.shape[-1:], eps=eps).to(x.dtype) * weight
        ),
        "in float64": lambda x, weight, eps: (
            (x.double() / x.double().square().mean(-1, keepdim=True).add(eps).sqrt()).to(x.dtype)
            * weight
        ),
        "loop": _loop_rms,
        "norm of the vector": lambda x, weight, eps: (
            (
                x.float()
                * math.sqrt(x.size(-1))
                / (
                    torch.linalg.vector_norm(x.float(), dim=-1, keepdim=True).square()
                    + eps * x.size(-1)
                ).sqrt()
            ).to(x.dtype)
            * weight
        ),
        "product in float32": lambda x, weight, eps: (
            F.rms_norm(x.float(), x.shape[-1:], eps=eps).to(x.dtype).float() * weight.float()
        ).to(x.dtype),
    },
    mistakes=(
        Mistake(
            "mean_subtracted",
            "The mean is subtracted, as in LayerNorm; RMSNorm leaves it where it is.",
        ),
        Mistake(
            "over_tokens",
            "The mean square is taken over the tokens (`dim=-2`); each vector has its own, over "
            "its own numbers, `dim=-1`.",
            section=_WHICH_NUMBERS,
            implementation=_llama_rms_norm(frozenset({"over_tokens"})),
        ),
        Mistake(
            "sum",
            "The squares are summed and not averaged: each vector is divided by its length. "
            "Divide by the root of the *mean* square.",
            implementation=_llama_rms_norm(frozenset({"sum"})),
        ),
        Mistake(
            "no_root",
            "The numbers are divided by the mean square; divide by its root.",
            implementation=_llama_rms_norm(frozenset({"no_root"})),
        ),
        Mistake(
            "eps_outside",
            "eps is added outside the root; it belongs inside: √(mean square + eps).",
            section=_EPS,
        ),
        Mistake(
            "eps_ignored",
            "The `eps` that was given is not used: these are the numbers for 1e-6.",
            section=_EPS_OF_MODEL,
        ),
        Mistake(
            "no_eps",
            "There is no eps, so small numbers are blown up to full size.",
            section=_EPS,
        ),
        Mistake("no_gain", "The gain (`weight`) is not applied.", section=_GAIN),
        Mistake(
            "one_plus_gain",
            "The result is multiplied by 1 + gain, as Gemma does it. In Llama it is the gain.",
            section=_GAIN,
            implementation=_llama_rms_norm(frozenset({"one_plus_gain"})),
        ),
        Mistake(
            "half_statistics",
            "The squares are computed in half precision: that of 400 is infinite in float16, that "
            "of 0.0001 is 0. Convert to float32 first.",
            points=2,
            section=_PLACES,
        ),
        Mistake(
            "float32_result",
            "The result of half precision comes back as float32; it must have the dtype of `x`.",
            points=2,
            section=_PLACES,
        ),
        Mistake(
            "gain_before_rounding",
            "The gain is multiplied in float32 and the product is rounded, as the chapter's "
            "finished class does it. Llama rounds the normalised numbers to the dtype of "
            "`x` first, and multiplies then.",
            points=3,
            section=_PLACES,
        ),
        Mistake(
            "half_statistics_rsqrt",
            "Squares, mean and `rsqrt` are computed in the dtype of `x`; in half precision the "
            "square of 400 is infinite and that of 0.0001 is 0. Convert to float32 first.",
            lambda x, weight, eps: (
                x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight
            ),
            points=2,
            section=_PLACES,
        ),
        Mistake(
            "mean_in_half",
            "Squares and mean are computed in half precision, and only the mean is converted to "
            "float32, which is too late. Convert `x` before squaring.",
            lambda x, weight, eps: (
                (x.float() / (x.square().mean(-1, keepdim=True).float() + eps).sqrt()).to(x.dtype)
                * weight
            ),
            points=2,
            section=_PLACES,
        ),
        Mistake(
            "only_float16_converted",
            "float16 is converted to float32, bfloat16 is not. It has the range of float32 but "
            "only 8 bits for the digits: its squares and roots are too coarse.",
            lambda x, weight, eps: (
                _right_rms_norm(x, weight, eps)
                if x.dtype != torch.bfloat16
                else _llama_rms_norm(frozenset({"half_statistics"}))(x, weight, eps)
            ),
            points=2,
            section=_PLACES,
        ),
        Mistake(
            "root_in_half",
            "The root mean square is rounded to the dtype of `x` before the division. Divide in "
            "float32, and round the normalised numbers.",
            lambda x, weight, eps: (
                x / (x.float().square().mean(-1, keepdim=True) + eps).sqrt().to(x.dtype) * weight
            ),
            points=2,
            section=_PLACES,
        ),
        Mistake(
            "eps_not_passed_on",
            "`F.rms_norm` (or `nn.RMSNorm`) was not told the eps and takes its own, about 1.2e-7.",
            lambda x, weight, eps: F.rms_norm(x.float(), x.shape[-1:]).to(x.dtype) * weight,
            section=_EPS_OF_MODEL,
        ),
        Mistake(
            "eps_squared",
            "The root is taken of mean square + eps²; eps itself is added.",
            lambda x, weight, eps: _right_rms_norm(x, weight, eps**2),
            section=_EPS,
        ),
        Mistake(
            "square_in_half",
            "The mean is taken in float32, but of squares that were computed in half precision, "
            "where that of 400 is infinite already. Convert `x` before squaring.",
            lambda x, weight, eps: (
                (x.float() / (x.square().float().mean(-1, keepdim=True) + eps).sqrt()).to(x.dtype)
                * weight
            ),
            points=2,
            section=_PLACES,
        ),
        Mistake(
            "always_float16",
            "The result is float16 whatever `x` is; it must have the dtype of `x`.",
            lambda x, weight, eps: _right_rms_norm(x, weight, eps).half(),
        ),
        Mistake(
            "variance",
            "The division is by the standard deviation, for which the mean is subtracted. RMSNorm "
            "divides by the root of the mean square of the numbers as they are.",
            lambda x, weight, eps: (
                (
                    (x.float() / (x.float().var(-1, keepdim=True, correction=0) + eps).sqrt()).to(
                        x.dtype
                    )
                )
                * weight
            ),
        ),
        Mistake(
            "first_axis",
            "The mean square runs over the first axis (`dim=0`); it must run over the last.",
            lambda x, weight, eps: (
                (x.float() / (x.float().square().mean(0, keepdim=True) + eps).sqrt()).to(x.dtype)
                * weight
            ),
            section=_WHICH_NUMBERS,
        ),
        Mistake(
            "whole_tensor",
            "One mean square is taken over the whole tensor; each vector has its own.",
            lambda x, weight, eps: (
                (x.float() / (x.float().square().mean() + eps).sqrt()).to(x.dtype) * weight
            ),
            section=_WHICH_NUMBERS,
        ),
        Mistake(
            "n_minus_one",
            "The sum of squares is divided by n − 1; the mean divides by n.",
            lambda x, weight, eps: (
                (
                    x.float()
                    / (x.float().square().sum(-1, keepdim=True) / (x.size(-1) - 1) + eps).sqrt()
                ).to(x.dtype)
                * weight
            ),
            section=_VARIANCE,
        ),
        Mistake(
            "mean_absolute",
            "The numbers are divided by their mean absolute value; RMSNorm squares, averages and "
            "takes the root.",
            lambda x, weight, eps: (
                (x.float() / (x.float().abs().mean(-1, keepdim=True) + eps)).to(x.dtype) * weight
            ),
        ),
        Mistake(
            "no_square",
            "The numbers are averaged without being squared.",
            lambda x, weight, eps: (
                (x.float() / (x.float().mean(-1, keepdim=True) + eps).sqrt()).to(x.dtype) * weight
            ),
        ),
        Mistake(
            "multiplied",
            "The numbers are multiplied by the root mean square; divide by it (`rsqrt` already is "
            "one divided by the root).",
            lambda x, weight, eps: (
                (x.float() * (x.float().square().mean(-1, keepdim=True) + eps).sqrt()).to(x.dtype)
                * weight
            ),
        ),
        Mistake(
            "gain_added",
            "The gain is added to the normalised numbers; multiply by it.",
            implementation=_llama_rms_norm(frozenset({"gain_added"})),
        ),
        Mistake(
            "gain_divided",
            "The result is divided by the gain; multiply by it.",
            lambda x, weight, eps: _right_rms_norm(x, torch.ones_like(weight), eps) / weight,
            section=_GAIN,
        ),
        Mistake(
            "gain_on_input",
            "The gain is multiplied to the numbers before they are normalised, where its size is "
            "forgotten again. Normalise first.",
            lambda x, weight, eps: _right_rms_norm(x * weight, torch.ones_like(weight), eps),
            section=_GAIN,
        ),
        Mistake(
            "gain_twice",
            "The gain is applied twice.",
            lambda x, weight, eps: _right_rms_norm(x, weight, eps) * weight,
            section=_GAIN,
        ),
        Mistake(
            "eps_on_the_result",
            "eps is added to the result of the division: a bracket is missing. It is added to the "
            "mean square, inside the root.",
            lambda x, weight, eps: (
                (x.float() / x.float().square().mean(-1, keepdim=True).sqrt() + eps).to(x.dtype)
                * weight
            ),
            section=_EPS,
        ),
        Mistake(
            "largest",
            "The numbers are divided by the largest of them; divide by the root mean square.",
            lambda x, weight, eps: (
                (x.float() / (x.float().abs().amax(-1, keepdim=True) + eps)).to(x.dtype) * weight
            ),
        ),
        Mistake(
            "no_keepdim",
            "`keepdim=True` is missing, so the root mean squares meet the numbers along the wrong "
            "axis.",
            _no_keepdim_rms,
            section=_WHICH_NUMBERS,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `no_grad`).",
            lambda x, weight, eps: _right_rms_norm(x, weight, eps).detach(),
        ),
        Mistake(
            "in_place",
            "`x` itself is changed: `x.float()` is no copy if `x` is float32 already. Do not write "
            "into it.",
            _in_place_rms,
            any_error=True,
        ),
    ),
)


# ---- Exercise 3: residual_stack ----------------------------------------------------------------


def _residual_stack(mistakes: frozenset[str] = frozenset()):
    def layer(x, residual, sublayer, norms, placement):
        if "exchanged" in mistakes:
            placement = {"post": "pre", "pre": "post"}.get(placement, placement)
        if "no_residual" in mistakes:
            residual = 0.0
        if placement == "post":
            if "norm_on_branch" in mistakes:
                return residual + norms[0](sublayer(x))
            if "norm_on_input" in mistakes:
                return norms[0](residual) + sublayer(x)
            return norms[0](residual + sublayer(x))
        if placement == "pre":
            if "pre_on_branch" in mistakes:
                return residual + norms[0](sublayer(x))
            normalised = norms[0](x)
            residual = normalised if "normalised_residual" in mistakes else residual
            return residual + sublayer(normalised)
        first, second = reversed(norms) if "pairs_exchanged" in mistakes else norms
        normalised = first(x)
        if "sandwich_residual" in mistakes:
            residual = normalised
        if "both_before" in mistakes:
            return residual + sublayer(second(normalised))
        if "sandwich_as_pre" in mistakes:
            return residual + sublayer(normalised)
        if "sandwich_on_sum" in mistakes:
            return second(residual + sublayer(normalised))
        return residual + second(sublayer(normalised))

    def residual_stack(x, sublayers, norms, placement):
        start, count = x, len(sublayers)
        if "sandwich_is_pre" in mistakes and placement == "sandwich":
            placement, norms = "pre", norms[: count + 1]
        if "one_norm" in mistakes:
            norms = norms[:1] * len(norms)
        last = [] if placement == "post" else norms[-1:]
        for place, sublayer in enumerate(sublayers):
            if "last_layer_missing" in mistakes and place == count - 1:
                break
            if placement != "sandwich":
                own = norms[place : place + 1]
            elif "halves" in mistakes:
                own = [norms[place], norms[count + place]]
            else:
                own = norms[2 * place : 2 * place + 2]
            source = start if mistakes & {"same_input", "sublayers_of_start"} else x
            residual = start if "residual_from_the_start" in mistakes else source
            if "sublayers_of_start" in mistakes:
                residual = x
            x = layer(source, residual, sublayer, own, placement)
        if "no_last_norm" in mistakes or ("no_sandwich_last" in mistakes and placement != "pre"):
            last = []
        return last[0](x) if last else x

    return residual_stack


_right_stack = _residual_stack()


def _exchanged_wholly(refuse: bool):
    """Pre-norm for post-norm and the reverse, with their ends: the place of the last norm."""

    def residual_stack(x, sublayers, norms, placement):
        other = {"post": "pre", "pre": "post"}.get(placement, placement)
        if placement == "post":
            norms = [*norms, norms[len(norms)] if refuse else norms[-1]]
        return _right_stack(x, sublayers, norms, other)

    return residual_stack


def _stack_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, placement, count, shape=None, driver=drivers.run_stack, **options):
        batch, tokens, hidden = _sizes(generator, 3, low=2)
        shape = shape or (batch, tokens, hidden + 2)
        hidden = shape[-1]
        number = {"post": count, "pre": count + 1, "sandwich": 2 * count + 1}[placement]
        arguments = (
            ("x", _normal(generator, *shape) + 0.5),
            ("sublayers", [_linear(generator, hidden, hidden) for _ in range(count)]),
            ("norms", [_affine(generator, hidden) for _ in range(number)]),
            ("placement", placement),
        )
        return Case(title, part, arguments, driver=driver, **options)

    return [
        case("post-norm, three sublayers", "core", "post", 3),
        case("post-norm, one sublayer", "core", "post", 1, shape=(1, 5)),
        case("post-norm, gradients", "core", "post", 2, gradient=True),
        case("pre-norm, three sublayers", "pre", "pre", 3),
        case("pre-norm, gradients", "pre", "pre", 2, gradient=True),
        case("pre-norm, no sublayer at all", "pre", "pre", 0),
        case("pre-norm, the second call", "pre", "pre", 2, driver=drivers.run_stack_twice),
        case("sandwich, three sublayers", "sandwich", "sandwich", 3),
        case("sandwich, gradients", "sandwich", "sandwich", 2, gradient=True),
    ]


def _in_place_stack(x, sublayers, norms, placement):
    for place, sublayer in enumerate(sublayers):
        if placement == "post":
            x += sublayer(x)
            x = norms[place](x)
        elif placement == "pre":
            x += sublayer(norms[place](x))
        else:
            x += norms[2 * place + 1](sublayer(norms[2 * place](x)))
    return x if placement == "post" else norms[-1](x)


def _in_place_before(*placements):
    """`x += …` where the norm stands before the sublayer, in some of the placements."""

    def residual_stack(x, sublayers, norms, placement):
        if placement in placements:
            return _in_place_stack(x, sublayers, norms, placement)
        return _right_stack(x, sublayers, norms, placement)

    return residual_stack


def _in_place_on_a_copy(x, sublayers, norms, placement):
    if placement == "post":
        return _right_stack(x, sublayers, norms, placement)
    return _in_place_stack(x.clone(), sublayers, norms, placement)


def _last_norm_in_every_layer(x, sublayers, norms, placement):
    for place, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[place](x + sublayer(x))
        elif placement == "pre":
            x = norms[-1](x + sublayer(norms[place](x)))
        else:
            x = norms[-1](x + norms[2 * place + 1](sublayer(norms[2 * place](x))))
    return x


def _first_norm_last(x, sublayers, norms, placement):
    norms = norms if placement == "post" else [*norms[:-1], norms[0]]
    return _right_stack(x, sublayers, norms, placement)


def _sandwich_pairs(first, second):
    """A sandwich that takes other norms for its layer i."""

    def residual_stack(x, sublayers, norms, placement):
        if placement == "sandwich":
            pairs = [(norms[first(i)], norms[second(i)]) for i in range(len(sublayers))]
            norms = [*(norm for pair in pairs for norm in pair), norms[-1]]
        return _right_stack(x, sublayers, norms, placement)

    return residual_stack


def _no_empty_stack(x, sublayers, norms, placement):
    for place, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[place](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[place](x))
        else:
            x = x + norms[2 * place + 1](sublayer(norms[2 * place](x)))
    if placement == "pre":
        x = norms[place + 1](x)
    return norms[2 * place + 2](x) if placement == "sandwich" else x


def _only_in(where, mistake):
    """A mistake that is made in one of the placements."""

    def residual_stack(x, sublayers, norms, placement):
        mistakes = {mistake} if placement == where else ()
        return _residual_stack(frozenset(mistakes))(x, sublayers, norms, placement)

    return residual_stack


def _last_norm_at_the_beginning(x, sublayers, norms, placement):
    if placement == "post":
        return _right_stack(x, sublayers, norms, placement)
    without = _residual_stack(frozenset({"no_last_norm"}))
    return without(norms[-1](x), sublayers, norms, placement)


def _reversed_stack(x, sublayers, norms, placement):
    last = len(sublayers) - 1
    if placement == "sandwich":
        order = [2 * (last - i) + k for i in range(last + 1) for k in (0, 1)]
    else:
        order = [last - i for i in range(last + 1)]
    norms = [norms[place] for place in order] + norms[len(order) :]
    return _right_stack(x, sublayers[::-1], norms, placement)


def _detached_residual(x, sublayers, norms, placement):
    for place, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[place](x.detach() + sublayer(x))
        elif placement == "pre":
            x = x.detach() + sublayer(norms[place](x))
        else:
            x = x.detach() + norms[2 * place + 1](sublayer(norms[2 * place](x)))
    return x if placement == "post" else norms[-1](x)


class _Negated(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return -self.module(x)


def _subtracted_sandwich(x, sublayers, norms):
    outer = [_Negated(n) if i % 2 and i < len(norms) - 1 else n for i, n in enumerate(norms)]
    return _right_stack(x, sublayers, outer, "sandwich")


def _residual_twice(x, sublayers, norms, placement):
    if placement != "post":
        return _right_stack(x, sublayers, norms, placement)
    for sublayer, norm in zip(sublayers, norms, strict=True):
        x = x + norm(x + sublayer(x))
    return x


def _popping_stack(x, sublayers, norms, placement):
    last = None if placement == "post" else norms.pop()
    for sublayer in sublayers:
        if placement == "post":
            x = norms.pop(0)(x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms.pop(0)(x))
        else:
            before, after = norms.pop(0), norms.pop(0)
            x = x + after(sublayer(before(x)))
    return x if last is None else last(x)


def _carried_stack(x, sublayers, norms, placement):
    """Post-norm whose residual path goes on with the sum before normalisation."""
    if placement != "post":
        return _right_stack(x, sublayers, norms, placement)
    total = x
    for sublayer, norm in zip(sublayers, norms, strict=True):
        total = total + sublayer(x)
        x = norm(total)
    return x


def _last_norm_in_post(x, sublayers, norms, placement):
    result = _right_stack(x, sublayers, norms, placement)
    return norms[-1](result) if placement == "post" else result


def _norm_twice_in_post(x, sublayers, norms, placement):
    if placement == "post":
        sublayers = [nn.Sequential(n, s) for s, n in zip(sublayers, norms, strict=True)]
    return _right_stack(x, sublayers, norms, placement)


def _averaged_stack(x, sublayers, norms, placement):
    for place, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[place]((x + sublayer(x)) / 2)
        elif placement == "pre":
            x = (x + sublayer(norms[place](x))) / 2
        else:
            x = (x + norms[2 * place + 1](sublayer(norms[2 * place](x)))) / 2
    return x if placement == "post" else norms[-1](x)


def _iterator_stack(x, sublayers, norms, placement):
    following = iter(norms)
    for sublayer in sublayers:
        if placement == "post":
            x = next(following)(torch.add(sublayer(x), x))
        else:
            branch = sublayer(next(following)(x))
            x = x + (next(following)(branch) if placement == "sandwich" else branch)
    return x if placement == "post" else next(following)(x)


def _recursive_stack(x, sublayers, norms, placement):
    if not sublayers:
        return norms[0](x) if norms else x
    first, *others = sublayers
    if placement == "post":
        return _recursive_stack(norms[0](x + first(x)), others, norms[1:], placement)
    if placement == "pre":
        return _recursive_stack(x + first(norms[0](x)), others, norms[1:], placement)
    return _recursive_stack(x + norms[1](first(norms[0](x))), others, norms[2:], placement)


class _SandwichLayer(nn.Module):
    """A residual layer with an optional normalisation at each of three places."""

    def __init__(self, sublayer, before=None, inside=None, after=None):
        super().__init__()
        self.sublayer = sublayer
        self.before, self.inside, self.after = (
            norm or nn.Identity() for norm in (before, inside, after)
        )

    def forward(self, x):
        return self.after(x + self.inside(self.sublayer(self.before(x))))


def _modules_stack(x, sublayers, norms, placement):
    if placement == "post":
        layers = [_SandwichLayer(s, after=n) for s, n in zip(sublayers, norms, strict=True)]
        return nn.Sequential(*layers)(x)
    if placement == "pre":
        layers = [_SandwichLayer(s, n) for s, n in zip(sublayers, norms, strict=False)]
    else:
        pairs = zip(sublayers, norms[::2], norms[1::2], strict=False)
        layers = [_SandwichLayer(*three) for three in pairs]
    return nn.Sequential(*layers, norms[-1])(x)


def _contributions_stack(x, sublayers, norms, placement):
    """Pre-norm and sandwich as the sum of all that was added to the input."""
    if placement == "post":
        return _iterator_stack(x, sublayers, norms, placement)
    step = 2 if placement == "sandwich" else 1
    added = [x]
    for place, sublayer in enumerate(sublayers):
        result = sublayer(norms[place * step](torch.stack(added).sum(0)))
        added.append(norms[place * 2 + 1](result) if placement == "sandwich" else result)
    return norms[len(norms) - 1](torch.stack(added).sum(0))


RESIDUAL_STACK = Exercise(
    id="residual_stack",
    title="One stack, three placements",
    signature="residual_stack(x, sublayers, norms, placement)",
    reference=_right_stack,
    variant=_residual_stack,
    cases=_stack_cases,
    parts=(
        Part("core", "post-norm", 2),
        Part("pre", "pre-norm, with its last normalisation", 1),
        Part("sandwich", "the sandwich", 1),
    ),
    minutes=15,
    difficulty=2,
    section=_PLACES,
    alternatives={
        "an iterator of norms": _iterator_stack,
        "recursion": _recursive_stack,
        "modules": _modules_stack,
        "a sum of contributions": _contributions_stack,
    },
    mistakes=(
        Mistake(
            "exchanged",
            "Post-norm and pre-norm are exchanged: post-norm is norm(x + f(x)), pre-norm is "
            "x + f(norm(x)).",
        ),
        Mistake(
            "exchanged_with_last",
            "Post-norm and pre-norm are exchanged, and the last norm with them: post-norm is "
            "norm(x + f(x)) and no more, pre-norm is x + f(norm(x)) and a norm at the end.",
            implementation=_exchanged_wholly(refuse=False),
        ),
        Mistake(
            "exchanged_and_too_few",
            "Post-norm and pre-norm are exchanged, so that post-norm asks for one norm more than "
            "there is: post-norm is norm(x + f(x)), pre-norm is x + f(norm(x)).",
            implementation=_exchanged_wholly(refuse=True),
        ),
        Mistake(
            "no_residual",
            "The input of a sublayer is not added to its result: there is no residual connection.",
            section=_RESIDUAL,
        ),
        Mistake(
            "norm_on_branch",
            "This is x + norm(f(x)), with the norm on the sublayer's result. In post-norm it "
            "stands after the sum: norm(x + f(x)).",
            section=_LAYER_MISTAKES,
        ),
        Mistake(
            "same_input",
            "Every layer gets the input of the stack; it must get the result of the layer below.",
            implementation=_residual_stack(frozenset({"same_input"})),
        ),
        Mistake(
            "norm_on_input",
            "Post-norm is written as norm(x) + f(x); the norm stands around the whole sum, "
            "norm(x + f(x)).",
            implementation=_residual_stack(frozenset({"norm_on_input"})),
            section=_LAYER_MISTAKES,
        ),
        Mistake(
            "pre_on_branch",
            "In pre-norm the norm stands behind the sublayer, x + norm(f(x)); it stands before it: "
            "x + f(norm(x)).",
            implementation=_residual_stack(frozenset({"pre_on_branch"})),
            points=3,
        ),
        Mistake(
            "sandwich_is_pre",
            "The sandwich is run as pre-norm, with the first norms of the list; it has two norms "
            "for each layer, one before and one behind the sublayer.",
            implementation=_residual_stack(frozenset({"sandwich_is_pre"})),
            points=3,
        ),
        Mistake(
            "sublayers_of_start",
            "The results are added up as they should be, but every sublayer reads the input of the "
            "stack; it must read what came out of the layer below.",
            implementation=_residual_stack(frozenset({"sublayers_of_start"})),
        ),
        Mistake(
            "residual_from_the_start",
            "What is added is always the input of the whole stack; add the input of the layer.",
            section=_RESIDUAL,
            implementation=_residual_stack(frozenset({"residual_from_the_start"})),
        ),
        Mistake(
            "one_norm",
            "The first norm is used in all places; each place has its own gain and bias.",
            implementation=_residual_stack(frozenset({"one_norm"})),
        ),
        Mistake(
            "last_layer_missing",
            "Sublayers at the end are left out: the loop ends too early.",
            implementation=_residual_stack(frozenset({"last_layer_missing"})),
        ),
        Mistake(
            "normalised_residual",
            "In pre-norm the normalised vector is what is added: norm(x) + f(norm(x)). The "
            "residual path must stay free: x + f(norm(x)).",
            points=3,
        ),
        Mistake(
            "no_last_norm",
            "The last norm, after the last sublayer of pre-norm and of the sandwich, is missing.",
            points=2,
            section=_LAST,
        ),
        Mistake(
            "no_sandwich_last",
            "The sandwich lacks the last norm, after its last sublayer; pre-norm has it.",
            points=3,
            section=_LAST,
            implementation=_residual_stack(frozenset({"no_sandwich_last"})),
        ),
        Mistake(
            "both_before",
            "In the sandwich both norms of a pair stand before the sublayer; the second belongs to "
            "its result.",
            points=3,
            implementation=_residual_stack(frozenset({"both_before"})),
        ),
        Mistake(
            "sandwich_as_pre",
            "The sandwich uses only the first norm of each pair: x + f(norm(x)) is pre-norm. The "
            "result of f is normalised, too.",
            points=3,
        ),
        Mistake(
            "sandwich_on_sum",
            "In the sandwich the second norm of a pair is applied to the sum; it belongs to the "
            "result of the sublayer, before the sum.",
            points=3,
        ),
        Mistake(
            "sandwich_residual",
            "In the sandwich the normalised vector is what is added; add `x` as it is.",
            points=3,
        ),
        Mistake(
            "pairs_exchanged",
            "In the sandwich the two norms of each pair are exchanged: the first stands before "
            "the sublayer.",
            points=3,
        ),
        Mistake(
            "halves",
            "In the sandwich the first half of the norms is used before the sublayers and the "
            "second half after them. They come in pairs: layer i has norms 2i and 2i + 1.",
            points=3,
            implementation=_residual_stack(frozenset({"halves"})),
        ),
        Mistake(
            "carried",
            "In post-norm the sum *before* normalisation is carried on to the next layer. The norm "
            "lies on the residual path: the next layer adds to what came out of it.",
            _carried_stack,
            section=_LAYER_MISTAKES,
        ),
        Mistake(
            "last_norm_everywhere",
            "The last norm is applied once more at the end of post-norm, which needs none there.",
            _last_norm_in_post,
            section=_LAST,
        ),
        Mistake(
            "every_norm_first",
            "The norm stands both before the sublayer and after the sum. In post-norm it is "
            "applied once, after the sum.",
            _norm_twice_in_post,
        ),
        Mistake(
            "averaged",
            "The sum of input and result is halved; it is a sum, not an average.",
            _averaged_stack,
            section=_RESIDUAL,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `no_grad`).",
            lambda *arguments: _right_stack(*arguments).detach(),
        ),
        Mistake(
            "in_place",
            "`x` is changed where it lies (`x += …`), and with it the caller's tensor. Write "
            "`x = x + …`.",
            _in_place_stack,
            any_error=True,
        ),
        Mistake(
            "in_place_before",
            "In pre-norm and in the sandwich `x` is changed where it lies (`x += …`), and with it "
            "the caller's tensor. Write `x = x + …`.",
            _in_place_before("pre", "sandwich"),
            points=2,
            any_error=True,
        ),
        Mistake(
            "in_place_pre",
            "In pre-norm `x` is changed where it lies (`x += …`), and with it the caller's tensor. "
            "Write `x = x + …`.",
            _in_place_before("pre"),
            points=3,
            any_error=True,
        ),
        Mistake(
            "in_place_on_a_copy",
            "The values are right, but `x += …` overwrites numbers that autograd still needs for "
            "the norm's gradient. Write `x = x + …`.",
            _in_place_on_a_copy,
            points=2,
        ),
        Mistake(
            "last_norm_in_every_layer",
            "The last norm is applied after every layer of pre-norm and sandwich; it stands once, "
            "after the loop.",
            _last_norm_in_every_layer,
            points=2,
            section=_LAST,
        ),
        Mistake(
            "first_norm_last",
            "After the last layer the first norm of the list is used once more; it must be the "
            "last one, `norms[-1]`.",
            _first_norm_last,
            points=2,
            section=_LAST,
        ),
        Mistake(
            "overlapping_pairs",
            "In the sandwich layer i uses the norms i and i + 1, so that layers share norms. They "
            "come in pairs: layer i has norms 2i and 2i + 1.",
            _sandwich_pairs(lambda i: i, lambda i: i + 1),
            points=3,
        ),
        Mistake(
            "same_norm_twice",
            "In the sandwich layer i uses norm i on both sides of the sublayer. There are two of "
            "its own: 2i before and 2i + 1 after it.",
            _sandwich_pairs(lambda i: i, lambda i: i),
            points=3,
        ),
        Mistake(
            "no_empty_stack",
            "A stack without sublayers fails, because the loop's variable is used after a loop "
            "that never ran. The last norm is `norms[-1]`.",
            _no_empty_stack,
            points=3,
        ),
        Mistake(
            "sandwich_missing",
            "In the sandwich no sublayer is run: `x` reaches the last norm as it came.",
            lambda x, sublayers, norms, placement: (
                norms[-1](x)
                if placement == "sandwich"
                else _right_stack(x, sublayers, norms, placement)
            ),
            points=3,
        ),
        Mistake(
            "no_residual_in_pre",
            "In pre-norm the input of a sublayer is not added to its result: it is x + f(norm(x)).",
            _only_in("pre", "no_residual"),
            points=3,
            section=_RESIDUAL,
        ),
        Mistake(
            "no_residual_in_sandwich",
            "In the sandwich the input of a layer is not added to what comes out of the second "
            "norm.",
            _only_in("sandwich", "no_residual"),
            points=3,
            section=_RESIDUAL,
        ),
        Mistake(
            "no_residual_in_post",
            "In post-norm the input of a sublayer is not added to its result: it is "
            "norm(x + f(x)).",
            _only_in("post", "no_residual"),
            section=_RESIDUAL,
        ),
        Mistake(
            "last_norm_at_the_beginning",
            "The last norm is applied before the first layer; it stands after the last one.",
            _last_norm_at_the_beginning,
            points=2,
            section=_LAST,
        ),
        Mistake(
            "norms_shifted",
            "The first norm of the list is kept for the end, and each layer takes its norms one "
            "place too late. The last norm is the last of the list.",
            lambda x, sublayers, norms, placement: _right_stack(
                x,
                sublayers,
                norms if placement == "post" else [*norms[1:], norms[0]],
                placement,
            ),
            points=2,
        ),
        Mistake(
            "reversed_order",
            "The layers run in the reverse order; the first of the lists comes first.",
            _reversed_stack,
        ),
        Mistake(
            "residual_detached",
            "The values are right, but the residual path is cut off from autograd (`detach`), so "
            "the gradient has only the way through the sublayers.",
            _detached_residual,
            section=_RESIDUAL,
        ),
        Mistake(
            "subtracted",
            "The result of a sublayer is subtracted from its input; it must be added.",
            lambda x, sublayers, norms, placement: (
                _right_stack(x, [_Negated(s) for s in sublayers], norms, placement)
                if placement != "sandwich"
                else _subtracted_sandwich(x, sublayers, norms)
            ),
            section=_RESIDUAL,
        ),
        Mistake(
            "residual_twice",
            "Post-norm adds `x` twice, inside and outside of the norm: it is norm(x + f(x)).",
            _residual_twice,
            section=_LAYER_MISTAKES,
        ),
        Mistake(
            "popped",
            "The norms are taken out of the list (`pop`), so a second call finds too few of them.",
            _popping_stack,
            points=3,
        ),
    ),
)


# ---- Exercise 4: RepairedLayer -----------------------------------------------------------------


def _repaired_layer(mistakes: frozenset[str] = frozenset()) -> type:
    """The notebook's layer; the first four flags are its bugs."""

    class RepairedLayer(nn.Module):
        def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
            self.linear1 = nn.Linear(hidden_size, width)
            self.linear2 = nn.Linear(width, hidden_size)
            first = mistakes & {"eps_of_both", "eps_of_norm1"}
            self.norm1 = nn.LayerNorm(hidden_size, 1e-5 if first else eps)
            forgotten = "eps_of_norm2" in mistakes or "eps_of_both" in mistakes
            self.norm2 = nn.LayerNorm(hidden_size, 1e-5 if forgotten else eps)
            self.norm_first = norm_first
            if "always_post" in mistakes or "always_pre" in mistakes:
                self.norm_first = "always_pre" in mistakes
            if "inverted_flag" in mistakes:
                self.norm_first = not norm_first
            self.asked = dropout
            self.dropout = 0.0 if "no_dropout" in mistakes else dropout
            self.dropout = 0.1 if "rate_fixed" in mistakes else self.dropout

        def drop(self, x):
            return F.dropout(x, self.dropout, self.training or "dropout_alive" in mistakes)

        def attend(self, x):
            return self.drop(self.self_attn(x, x, x, need_weights=False)[0])

        def feed_forward(self, x):
            activation = F.gelu if "gelu" in mistakes else F.relu
            activation = nn.Identity() if "no_relu" in mistakes else activation
            return self.drop(self.linear2(activation(self.linear1(x))))

        def forward(self, x):
            norm1 = self.norm2 if "norms_exchanged" in mistakes else self.norm1
            norm2 = self.norm1 if "norms_exchanged" in mistakes else self.norm2
            if self.norm_first:
                if "parallel" in mistakes:
                    return x + self.attend(norm1(x)) + self.feed_forward(norm2(x))
                start, normalised = x, norm1(x)
                wrong = {"normalised_residual", "first_normalised"} & mistakes
                residual = normalised if wrong else x
                source = x if "attention_reads_x" in mistakes else normalised
                residual = 0.0 if "first_residual_missing_in_pre" in mistakes else residual
                x = residual + self.attend(source)
                if "second_residual" in mistakes:
                    return self.feed_forward(norm2(x))
                normalised = x if "second_norm_missing" in mistakes else norm2(x)
                residual = normalised if "normalised_residual" in mistakes else x
                residual = normalised if "second_normalised" in mistakes else residual
                residual = start if "sum_lost" in mistakes else residual
                x = residual + self.feed_forward(normalised)
                return norm2(x) if "last_norm_inside" in mistakes else x
            if "norms_exchanged_in_post" in mistakes:
                norm1, norm2 = norm2, norm1
            if "norm_on_branch" in mistakes:
                x = x + norm1(self.attend(x))
                return x + norm2(self.feed_forward(x))
            total = self.attend(x)
            total = total if "first_residual_missing" in mistakes else x + total
            normalised = total if "first_norm_missing" in mistakes else norm1(total)
            if "unnormalised_residual" in mistakes:
                return norm2(total + self.feed_forward(normalised))
            residual = x if "residual_from_the_start" in mistakes else normalised
            if "second_residual_missing_in_post" in mistakes:
                residual = 0.0
            source = total if "unnormalised_input" in mistakes else normalised
            if "last_norm_missing" in mistakes:
                return residual + self.feed_forward(source)
            return norm2(residual + self.feed_forward(source))

    return RepairedLayer


_BUGS = {
    "second_residual": "in pre-norm the result of the feed-forward network replaces `x` instead of "
    "being added to it",
    "unnormalised_residual": "in post-norm the second residual is the sum *before* `norm1`; it "
    "must be what came out of `norm1`",
    "eps_of_norm2": "`norm2` is built without the `eps` that was given",
    "dropout_alive": "`F.dropout` drops in evaluation, too, unless it is told `self.training`",
}


def _bugs_left() -> list[Mistake]:
    """One mistake for each set of bugs that may be left over."""
    mistakes = []
    for number in range(1, 5):
        for left in itertools.combinations(_BUGS, number):
            count = ("One bug is", "Two bugs are", "Three bugs are", "All four bugs are")
            reasons = "; ".join(_BUGS[name] for name in left)
            message = f"{count[number - 1]} still there: {reasons}."
            points = 0
            if "unnormalised_residual" not in left:
                settings = "eps_of_norm2" in left or "dropout_alive" in left
                points = 4 - ("second_residual" in left) - settings
            made = None if number == 1 else _repaired_layer(frozenset(left))
            section = _EPS_OF_MODEL if left == ("eps_of_norm2",) else _LAYER_MISTAKES
            name = "_and_".join(left)
            mistakes.append(Mistake(name, message, made, points, section))
    return mistakes


def _layer_cases(generator: torch.Generator) -> list[Case]:
    def draw(norm_first, size, shape):
        batch, tokens, width = _sizes(generator, 3)
        shape = shape or (batch, tokens + 2, 2 * _sizes(generator, 1)[0] + 2)
        hidden, width = shape[-1], width + 8
        sizes = {"self_attn.in_proj_": (3 * hidden, hidden, 1.0 if norm_first else 1 / size)}
        sizes["self_attn.out_proj."] = (hidden, hidden, 3.0)
        sizes |= {"linear1.": (width, hidden, 1.0), "linear2.": (hidden, width, 3.0)}
        state = {}
        for name, (out, into, factor) in sizes.items():
            own = _linear(generator, out, into)
            state |= {f"{name}weight": factor * own["weight"], f"{name}bias": own["bias"]}
        for name in ("norm1", "norm2"):
            own = _affine(generator, hidden)
            state |= {f"{name}.{kind}": tensor for kind, tensor in own.items()}
        return [hidden, 2 if hidden < 8 else 4, width], state, _normal(generator, *shape, size=size)

    def case(
        title, part, norm_first, eps=1e-5, dropout=0.0, size=4.0, shape=None,
        driver=drivers.evaluate_twice, **options,
    ):  # fmt: skip
        while True:
            sizes, state, x = draw(norm_first, size, shape)
            with torch.no_grad():  # at an eps of 1e-5 its exact value must not show
                one, other = (
                    check.run_module(_repaired_layer(), [*sizes, norm_first, e, 0.0], state, [x])
                    for e in (1e-5, 1e-12)
                )
            if eps != 1e-5 or check.difference(one, other, 4e-6) is None:
                break
        init = [*sizes, norm_first, eps, dropout]
        arguments = (("init", init), ("state", state), ("x", x))
        return Case(title, part, arguments, driver=driver, **options)

    return [
        case("post-norm, its gradient, too", "core", False, gradient=True),
        case("post-norm, a batch of one token", "core", False, shape=(1, 1, 6)),
        case("pre-norm, its gradient, too", "pre", True, gradient=True),
        case("pre-norm, every parameter", "pre", True, driver=drivers.gradients_reach),
        case("eps = 0.5", "settings", False, eps=0.5),
        case("eps = 0.1, small numbers", "settings", False, eps=0.1, size=0.4),
        case("dropout = 0.5, eval()", "settings", False, dropout=0.5),
        case("dropout = 0.5, train()", "settings", False, dropout=0.5, shape=(2, 4, 6),
             driver=drivers.train_twice),
    ]  # fmt: skip


class _LibraryLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(
            hidden_size,
            num_heads,
            width,
            dropout,
            layer_norm_eps=eps,
            batch_first=True,
            norm_first=norm_first,
        )


class _LayerWithDropoutModules(_repaired_layer()):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, norm_first, eps)
        self.drop1, self.drop2 = nn.Dropout(dropout), nn.Dropout(dropout)

    def forward(self, x):
        for part, norm, drop in (
            (lambda v: self.self_attn(v, v, v)[0], self.norm1, self.drop1),
            (lambda v: self.linear2(self.linear1(v).clamp(min=0)), self.norm2, self.drop2),
        ):
            x = x + drop(part(norm(x))) if self.norm_first else norm(x + drop(part(x)))
        return x


class _LayerByHand(_repaired_layer()):
    """The same parameters, used through functions."""

    def attend(self, x):
        batch, tokens, hidden = x.shape
        packed = F.linear(x, self.self_attn.in_proj_weight, self.self_attn.in_proj_bias)
        query, key, value = (
            part.view(batch, tokens, self.self_attn.num_heads, -1).transpose(1, 2)
            for part in packed.split(hidden, dim=-1)
        )
        mixed = F.scaled_dot_product_attention(query, key, value)
        mixed = mixed.transpose(1, 2).reshape(batch, tokens, hidden)
        return F.dropout(self.self_attn.out_proj(mixed), self.dropout, training=self.training)


class _LayerOfTokensFirst(_repaired_layer()):
    """Attention with the tokens first, feed-forward on flat vectors."""

    def attend(self, x):
        result = self.self_attn(x.clone(), x.clone(), x.clone())[0]
        return self.drop(result)

    def feed_forward(self, x):
        inner = torch.einsum("btd,wd->btw", x, self.linear1.weight) + self.linear1.bias
        result = torch.einsum("btw,dw->btd", inner.relu(), self.linear2.weight)
        return self.drop(result + self.linear2.bias)


class _LayerWithDropoutInside(_repaired_layer()):
    """Dropout inside attention and feed-forward as well, as PyTorch's layer has it."""

    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, norm_first, eps, dropout)
        self.self_attn.dropout = dropout

    def feed_forward(self, x):
        return self.drop(self.linear2(self.drop(self.linear1(x).relu())))


def _with_norm2_only(self, x):
    if self.norm_first:
        x = x + self.attend(self.norm2(x))
        return x + self.feed_forward(self.norm2(x))
    x = self.norm2(x + self.attend(x))
    return self.norm2(x + self.feed_forward(x))


def _with_one_norm(self, x):
    if self.norm_first:
        x = x + self.attend(self.norm1(x))
        return x + self.feed_forward(self.norm1(x))
    x = self.norm1(x + self.attend(x))
    return self.norm1(x + self.feed_forward(x))


REPAIRED_LAYER = Exercise(
    id="RepairedLayer",
    title="Bug hunt: an encoder layer",
    signature="class RepairedLayer(hidden_size, num_heads, width, norm_first, eps, dropout)",
    reference=_repaired_layer(),
    variant=_repaired_layer,
    cases=_layer_cases,
    parts=(
        Part("core", "post-norm equals PyTorch's layer", 2),
        Part("pre", "so does pre-norm", 1),
        Part("settings", "eps and dropout are respected", 1),
    ),
    minutes=20,
    difficulty=3,
    section=_LAYER_MISTAKES,
    alternatives={
        "library": _LibraryLayer,
        "dropout modules and a loop": _LayerWithDropoutModules,
        "attention by hand": _LayerByHand,
        "einsum": _LayerOfTokensFirst,
        "more dropout in training": _LayerWithDropoutInside,
    },
    mistakes=(
        *_bugs_left(),
        Mistake(
            "always_post",
            "`norm_first` has no effect: the layer is always post-norm.",
            points=3,
            section=_PLACES,
            implementation=_repaired_layer(frozenset({"always_post"})),
        ),
        Mistake(
            "always_pre",
            "`norm_first` has no effect: the layer is always pre-norm.",
            section=_PLACES,
            implementation=_repaired_layer(frozenset({"always_pre"})),
        ),
        Mistake(
            "norm_on_branch",
            "Post-norm is written as x + norm(f(x)); the norm stands after the sum: "
            "norm(x + f(x)).",
        ),
        Mistake(
            "unnormalised_input",
            "In post-norm the feed-forward network reads the sum before `norm1`; it must read "
            "what came out of `norm1`.",
        ),
        Mistake(
            "residual_from_the_start",
            "In post-norm the second residual is the input of the layer, so what attention found "
            "is lost there. It must be what came out of `norm1`.",
        ),
        Mistake(
            "sum_lost",
            "In pre-norm the second residual is the input of the layer, so what attention found "
            "is lost there. It must be the sum after attention.",
            points=3,
            implementation=_repaired_layer(frozenset({"sum_lost"})),
        ),
        Mistake(
            "first_norm_missing",
            "In post-norm `norm1` is not applied: the norm stands after each of the two sums.",
            section=_PLACES,
            implementation=_repaired_layer(frozenset({"first_norm_missing"})),
        ),
        Mistake(
            "second_normalised",
            "In pre-norm what is added to the feed-forward network's result is the normalised "
            "vector, norm2(x). It must be `x`, as it was before.",
            points=3,
            section=_PLACES,
            implementation=_repaired_layer(frozenset({"second_normalised"})),
        ),
        Mistake(
            "normalised_residual",
            "In pre-norm the normalised vector is what is added; the residual path must stay "
            "free: x + f(norm(x)).",
            points=3,
            section=_PLACES,
        ),
        Mistake(
            "parallel",
            "In pre-norm both parts read the same input; the feed-forward network must read the "
            "sum after attention.",
            points=3,
            section=_PLACES,
            implementation=_repaired_layer(frozenset({"parallel"})),
        ),
        Mistake(
            "norms_exchanged",
            "`norm1` and `norm2` are exchanged: `norm1` belongs to attention.",
            implementation=_repaired_layer(frozenset({"norms_exchanged"})),
        ),
        Mistake(
            "gelu",
            "The activation was changed to GELU; `nn.TransformerEncoderLayer` has ReLU unless it "
            "is told otherwise.",
            implementation=_repaired_layer(frozenset({"gelu"})),
        ),
        Mistake(
            "eps_of_both",
            "Neither norm is built with the `eps` that was given.",
            points=3,
            section=_EPS_OF_MODEL,
            implementation=_repaired_layer(frozenset({"eps_of_both"})),
        ),
        Mistake(
            "last_norm_missing",
            "In post-norm the norm after the second sum, `norm2`, is missing.",
            implementation=_repaired_layer(frozenset({"last_norm_missing"})),
        ),
        Mistake(
            "eps_of_norm1",
            "`norm1` is built without the `eps` that was given; it had it in the broken code.",
            points=3,
            section=_EPS_OF_MODEL,
            implementation=_repaired_layer(frozenset({"eps_of_norm1"})),
        ),
        Mistake(
            "rate_fixed",
            "The rate of dropout is not the one that was asked for: use the argument `dropout`.",
            points=3,
            implementation=_repaired_layer(frozenset({"rate_fixed"})),
        ),
        Mistake(
            "no_dropout",
            "Dropout is gone, at least from one of the two parts (the case says from which). In "
            "training it must fall on the result of each.",
            points=3,
            section=_PLACES,
        ),
        Mistake(
            "dropout_on_sum",
            "Dropout falls on the residual sum; it belongs on what a part returns, before that is "
            "added.",
            type(
                "RepairedLayer",
                (_repaired_layer(frozenset({"no_dropout"})),),
                {
                    "forward": lambda self, x: F.dropout(
                        _repaired_layer().forward(self, x), self.asked, self.training
                    )
                },
            ),
            points=3,
            section=_PLACES,
        ),
        Mistake(
            "own_norm_lost",
            "Only one norm is used, `norm1` in both places.",
            type(
                "RepairedLayer",
                (_repaired_layer(),),
                {"forward": _with_one_norm},
            ),
        ),
        Mistake(
            "swapped_parts",
            "The feed-forward network comes first; attention is the first part of the layer.",
            type(
                "RepairedLayer",
                (_repaired_layer(),),
                {
                    "attend": lambda self, x: _repaired_layer().feed_forward(self, x),
                    "feed_forward": lambda self, x: _repaired_layer().attend(self, x),
                },
            ),
            section=_PLACES,
        ),
        Mistake(
            "tokens_first",
            "`batch_first=True` is gone, so attention mixes the sentences of the batch.",
            type(
                "RepairedLayer",
                (_repaired_layer(),),
                {
                    "attend": lambda self, x: (
                        _repaired_layer().attend(self, x.transpose(0, 1)).transpose(0, 1)
                    )
                },
            ),
            section=_LAYER_MISTAKES,
        ),
        Mistake(
            "attention_reads_x",
            "In pre-norm attention reads `x` as it is; it must read norm1(x).",
            _repaired_layer(frozenset({"attention_reads_x"})),
            points=3,
            section=_PLACES,
        ),
        Mistake(
            "first_normalised",
            "In pre-norm what is added to the result of attention is the normalised vector, "
            "norm1(x). It must be `x`, as it came in.",
            _repaired_layer(frozenset({"first_normalised"})),
            points=3,
            section=_PLACES,
        ),
        Mistake(
            "first_residual_missing",
            "In post-norm the input is not added to the result of attention.",
            _repaired_layer(frozenset({"first_residual_missing"})),
            section=_RESIDUAL,
        ),
        Mistake(
            "first_residual_missing_in_pre",
            "In pre-norm the result of attention replaces `x` instead of being added to it.",
            _repaired_layer(frozenset({"first_residual_missing_in_pre"})),
            points=3,
            section=_LAYER_MISTAKES,
        ),
        Mistake(
            "second_residual_missing_in_post",
            "In post-norm the feed-forward network's result replaces what went into it; add the "
            "two.",
            _repaired_layer(frozenset({"second_residual_missing_in_post"})),
            section=_RESIDUAL,
        ),
        Mistake(
            "inverted_flag",
            "`norm_first` is read the wrong way round: true means pre-norm.",
            _repaired_layer(frozenset({"inverted_flag"})),
            section=_PLACES,
        ),
        Mistake(
            "norms_exchanged_in_post",
            "In post-norm `norm1` and `norm2` are exchanged: `norm1` belongs to attention.",
            _repaired_layer(frozenset({"norms_exchanged_in_post"})),
        ),
        Mistake(
            "shared_norm",
            "Only one norm is used, `norm2` in both places (or the two are one and the same "
            "module). Each place has its own gain and bias.",
            type("RepairedLayer", (_repaired_layer(),), {"forward": _with_norm2_only}),
        ),
        Mistake(
            "no_relu",
            "The activation between the two linear layers is missing.",
            _repaired_layer(frozenset({"no_relu"})),
            section=_PLACES,
        ),
        Mistake(
            "last_norm_inside",
            "In pre-norm the layer ends with a norm. The one at the end of the stack belongs to "
            "the stack, not to each layer.",
            _repaired_layer(frozenset({"last_norm_inside"})),
            points=3,
            section=_LAST,
        ),
        Mistake(
            "second_norm_missing",
            "In pre-norm the feed-forward network reads `x` as it is; it must read norm2(x).",
            _repaired_layer(frozenset({"second_norm_missing"})),
            points=3,
            section=_PLACES,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `no_grad`).",
            type(
                "RepairedLayer",
                (_repaired_layer(),),
                {"forward": lambda self, x: _repaired_layer().forward(self, x).detach()},
            ),
        ),
    ),
)


# ---- Exercise 5: fold_norm ---------------------------------------------------------------------


def _fold_norm(mistakes: frozenset[str] = frozenset()):
    def fold_norm(before, norm, after):
        gain, shift = norm["weight"], norm["bias"]
        if "roles_exchanged" in mistakes:
            gain, shift = shift, gain
        weight, bias = after["weight"], after.get("bias")
        folded = weight / gain if "gain_divided" in mistakes else weight * gain
        if "no_gain" in mistakes:
            folded = weight
        constant = (folded if "shift_through_folded" in mistakes else weight) @ shift
        if "no_shift" in mistakes:
            constant = torch.zeros_like(constant)
        if bias is not None and "bias_lost" not in mistakes:
            constant = bias - constant if "shift_subtracted" in mistakes else bias + constant
        new_before, new_after = {}, {"weight": folded, "bias": constant}
        for name, tensor in before.items():
            if "rows_centred" in mistakes and name == "weight":
                mean = tensor.mean(1, keepdim=True)
            elif "one_mean" in mistakes:
                mean = tensor.mean()
            elif "sums_subtracted" in mistakes:
                mean = tensor.sum(0)
            elif "bias_by_weights" in mistakes:
                mean = before["weight"].mean() if name == "bias" else tensor.mean(0)
            else:
                mean = tensor.mean(0)
            if "not_centred" in mistakes or ("before_bias" in mistakes and name == "bias"):
                mean = 0.0
            if "bias_dropped" in mistakes and name == "bias":
                tensor = torch.zeros_like(tensor)
                mean = 0.0
            centred = tensor - mean
            if "gain_before" in mistakes:
                centred = centred * (gain.unsqueeze(1) if tensor.dim() == 2 else gain)
            new_before[name] = centred
        return new_before, new_after

    return fold_norm


_right_fold = _fold_norm()


def _fold_cases(generator: torch.Generator) -> list[Case]:
    # Most matrices are square: a gain on the wrong axis then gives numbers instead of an error.
    def states(square=True, biases=(True, True)):
        into, hidden, out = _sizes(generator, 3, low=3)
        out = hidden if square else out
        return (
            ("before", _linear(generator, hidden, into, biases[0])),
            ("norm", _affine(generator, hidden)),
            ("after", _linear(generator, out, hidden, biases[1])),
        )

    def alone(title, part, driver, **options):
        return Case(title, part, states(**options), driver=driver)

    given = states()
    x = _normal(generator, 2, 5, given[0][1]["weight"].size(1))
    whole = (*given, ("x", x), ("eps", 0.1))
    return [
        alone("new weights after the norm", "core", drivers.second_state),
        alone("after: not square", "core", drivers.second_state, square=False),
        alone("new weights before the norm", "before", drivers.first_state),
        Case("the folded model at work", "before", whole, driver=drivers.folded_output),
        alone("after has no bias", "no_bias", drivers.second_state, biases=(True, False)),
        alone("before has no bias", "no_bias", drivers.first_state, biases=(False, True)),
    ]


def _gain_on_rows(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    new_after["weight"] = after["weight"] * norm["weight"].unsqueeze(1)
    return new_before, new_after


def _shift_through_transposed(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    constant = norm["bias"] @ after["weight"]
    return new_before, {**new_after, "bias": after.get("bias", 0.0) + constant}


def _shift_added(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    return new_before, {**new_after, "bias": after.get("bias", 0.0) + norm["bias"]}


def _gain_on_bias(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    bias = after.get("bias", 0.0) * norm["weight"]
    return new_before, {**new_after, "bias": bias + after["weight"] @ norm["bias"]}


def _gain_twice(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    return new_before, {**new_after, "weight": new_after["weight"] * norm["weight"]}


def _after_centred(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    weight = new_after["weight"]
    return new_before, {**new_after, "weight": weight - weight.mean(1, keepdim=True)}


def _transposed_after(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    return new_before, {**new_after, "weight": after["weight"].T * norm["weight"]}


def _sum_of_shift(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    constant = (after["weight"] @ norm["bias"]).sum()
    return new_before, {**new_after, "bias": after.get("bias", 0.0) + constant}


def _standardised(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    return {name: t / before[name].std(0) for name, t in new_before.items()}, new_after


def _crash_without_after_bias(before, norm, after):
    return _right_fold(before, norm, {**after, "bias": after["bias"]})


def _crash_without_before_bias(before, norm, after):
    return _right_fold({**before, "bias": before["bias"]}, norm, after)


def _after_in_place(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    after["weight"] *= norm["weight"]
    after["bias"] = new_after["bias"]
    return new_before, after


def _crash_without_bias(before, norm, after):
    return _right_fold(before, norm, {**after, "bias": after["bias"] + 0 * before["bias"].sum()})


def _bias_only_if_there(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    if "bias" not in after:
        del new_after["bias"]
    return new_before, new_after


def _bias_made_up(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    new_before.setdefault("bias", torch.zeros(before["weight"].size(0)))
    return new_before, new_after


def _fold_in_place(before, norm, after):
    constant = after["weight"] @ norm["bias"]
    after["weight"] *= norm["weight"]
    after["bias"] = after["bias"] + constant if "bias" in after else constant
    for tensor in before.values():
        tensor -= tensor.mean(0)
    return before, after


def _three_returned(before, norm, after):
    new_before, new_after = _right_fold(before, norm, after)
    return new_before, norm, new_after


def _fold_by_probing(before, norm, after):
    """Ask the layers what they do with unit vectors."""
    into = before["weight"].size(1)
    old = F.linear(torch.eye(into), before["weight"])  # [into, hidden]
    new_before = {"weight": (old - old.mean(1, keepdim=True)).T}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    constant = F.linear(norm["bias"], after["weight"], after.get("bias"))
    columns = F.linear(torch.diag(norm["weight"]), after["weight"])  # [hidden, out]
    return new_before, {"weight": columns.T, "bias": constant}


def _fold_by_matrices(before, norm, after):
    hidden = norm["weight"].numel()
    centring = torch.eye(hidden) - torch.full((hidden, hidden), 1 / hidden)
    return (
        {name: centring @ tensor for name, tensor in before.items()},
        {
            "bias": after.get("bias", torch.zeros(())) + torch.mv(after["weight"], norm["bias"]),
            "weight": after["weight"] @ norm["weight"].diag(),
        },
    )


def _fold_by_loops(before, norm, after):
    hidden, into = before["weight"].shape
    weight = before["weight"].clone()
    for column in range(into):
        weight[:, column] -= sum(before["weight"][row, column] for row in range(hidden)) / hidden
    new_before = {"weight": weight}
    if "bias" in before:
        new_before["bias"] = before["bias"] - sum(before["bias"]) / hidden
    rows, biases = [], []
    for place, row in enumerate(after["weight"]):
        rows.append(torch.stack([w * g for w, g in zip(row, norm["weight"], strict=True)]))
        own = after["bias"][place] if "bias" in after else 0.0
        biases.append(own + torch.dot(row, norm["bias"]))
    return [new_before, {"weight": torch.stack(rows), "bias": torch.stack(biases)}]


def _fold_modules(before, norm, after):
    """Real modules, whose state dictionaries are returned."""
    first = nn.Linear(*reversed(before["weight"].shape), bias="bias" in before)
    second = nn.Linear(*reversed(after["weight"].shape))
    with torch.no_grad():
        first.weight.copy_(before["weight"] - before["weight"].mean(dim=0, keepdim=True))
        if first.bias is not None:
            first.bias.copy_(before["bias"] - before["bias"].mean())
        second.weight.copy_(torch.einsum("oh,h->oh", after["weight"], norm["weight"]))
        second.bias.copy_(after["weight"] @ norm["bias"])
        if "bias" in after:
            second.bias.add_(after["bias"])
    return first.state_dict(), second.state_dict()


FOLD_NORM = Exercise(
    id="fold_norm",
    title="Move these weights: a LayerNorm that disappears",
    signature="fold_norm(before, norm, after)",
    reference=_right_fold,
    variant=_fold_norm,
    cases=_fold_cases,
    parts=(
        Part("core", "gain and bias move into the layer after the norm", 2),
        Part("before", "the mean moves into the layer before it", 1),
        Part("no_bias", "layers without a bias", 1),
    ),
    minutes=25,
    difficulty=3,
    section=_GAIN,
    alternatives={
        "probing": _fold_by_probing,
        "matrices": _fold_by_matrices,
        "loops": _fold_by_loops,
        "modules": _fold_modules,
        "in float64": lambda before, norm, after: tuple(
            {name: tensor.float() for name, tensor in state.items()}
            for state in _right_fold(
                *(
                    {name: tensor.double() for name, tensor in state.items()}
                    for state in (before, norm, after)
                )
            )
        ),
    },
    mistakes=(
        Mistake(
            "no_gain",
            "The weights after the norm are not multiplied by the gain.",
        ),
        Mistake(
            "gain_divided",
            "The weights after the norm are divided by the gain; multiply: W (γ · x) = (W · γ) x.",
            implementation=_fold_norm(frozenset({"gain_divided"})),
        ),
        Mistake(
            "gain_twice",
            "The gain is multiplied into the weights after the norm twice.",
            _gain_twice,
        ),
        Mistake(
            "no_shift",
            "The bias of the norm is lost: it passes through the matrix after it and becomes "
            "W β, a constant.",
        ),
        Mistake(
            "shift_through_folded",
            "The bias of the norm went through the matrix that already contains the gain. It is "
            "added after the gain, so it meets the original weights: W β.",
        ),
        Mistake(
            "shift_subtracted",
            "W β is subtracted from the bias; it must be added.",
        ),
        Mistake(
            "bias_lost",
            "The bias of the layer after the norm itself is lost: its new bias is b + W β.",
        ),
        Mistake(
            "roles_exchanged",
            "Gain and bias of the norm are exchanged: `weight` is multiplied, `bias` is added.",
            implementation=_fold_norm(frozenset({"roles_exchanged"})),
        ),
        Mistake(
            "not_centred",
            "The layer before the norm is unchanged, so nothing subtracts the mean any more: "
            "RMSNorm does not.",
            points=2,
            section=_RMS,
        ),
        Mistake(
            "rows_centred",
            "The mean of each *row* of the first matrix is subtracted. The mean that LayerNorm "
            "subtracts runs over the outputs of the layer: over the rows, `mean(dim=0)`.",
            points=2,
            section=_RMS,
        ),
        Mistake(
            "sums_subtracted",
            "The sum of each column is subtracted; it must be its mean.",
            points=2,
            section=_RMS,
            implementation=_fold_norm(frozenset({"sums_subtracted"})),
        ),
        Mistake(
            "one_mean",
            "One mean of the whole first matrix is subtracted; each of its columns has its own.",
            points=2,
            section=_RMS,
            implementation=_fold_norm(frozenset({"one_mean"})),
        ),
        Mistake(
            "before_bias",
            "The weights of the first layer are centred, but its bias is not; it adds to the mean "
            "of the outputs as well.",
            points=3,
            section=_RMS,
        ),
        Mistake(
            "bias_by_weights",
            "From the bias of the first layer the mean of the weights is subtracted; it is its own "
            "mean that must go.",
            implementation=_fold_norm(frozenset({"bias_by_weights"})),
            points=3,
        ),
        Mistake(
            "bias_dropped",
            "The bias of the first layer is zero now, or gone. Only its mean is to be taken away.",
            points=3,
            section=_RMS,
            implementation=_fold_norm(frozenset({"bias_dropped"})),
        ),
        Mistake(
            "gain_before",
            "The gain is multiplied into the layer *before* the norm, too (or there instead), "
            "where the norm divides by the size again.",
            points=2,
            implementation=_fold_norm(frozenset({"gain_before"})),
        ),
        Mistake(
            "gain_on_rows",
            "The gain multiplies the rows of the matrix after the norm, its outputs; it belongs "
            "to the columns, the numbers that come out of the norm.",
            _gain_on_rows,
            any_error=True,
        ),
        Mistake(
            "shift_through_transposed",
            "The bias of the norm is multiplied with the transposed matrix (β W); each output "
            "is a row of W times β, so it is W β.",
            _shift_through_transposed,
            any_error=True,
        ),
        Mistake(
            "shift_added",
            "The bias of the norm is added to the bias as it is. It passes through the matrix "
            "first: W β.",
            _shift_added,
            any_error=True,
        ),
        Mistake(
            "gain_on_bias",
            "The bias of the layer after the norm is multiplied by the gain; it is added after "
            "the matrix, where the gain has no say.",
            _gain_on_bias,
            any_error=True,
        ),
        Mistake(
            "after_centred",
            "The rows of the matrix after the norm are centred, too. Only what comes before the "
            "norm is: the subtraction of the mean belongs there.",
            _after_centred,
        ),
        Mistake(
            "transposed",
            "The matrix after the norm is transposed; it keeps the shape `[out, hidden]`.",
            _transposed_after,
            any_error=True,
        ),
        Mistake(
            "sum_of_shift",
            "W β is summed to a single number, the same for all outputs; sum each row by itself.",
            _sum_of_shift,
        ),
        Mistake(
            "standardised",
            "The columns of the first matrix are also divided by their standard deviation. Only "
            "the mean is taken away: the norm's division stays where it is, in RMSNorm.",
            _standardised,
            points=2,
            section=_RMS,
        ),
        Mistake(
            "crash_without_bias",
            'A layer without a bias has no `"bias"` in its dictionary: ask with `in` or `get`.',
            _crash_without_bias,
            points=3,
        ),
        Mistake(
            "crash_without_after_bias",
            'If the layer after the norm has no bias, there is no `"bias"` in its dictionary; '
            "the new bias is then W β alone.",
            _crash_without_after_bias,
            points=3,
        ),
        Mistake(
            "crash_without_before_bias",
            'If the layer before the norm has no bias, there is no `"bias"` in its dictionary, '
            "and nothing to be centred.",
            _crash_without_before_bias,
            points=3,
        ),
        Mistake(
            "bias_only_if_there",
            "A layer without a bias stays without one, so W β is lost. After the norm there must "
            "be a bias now.",
            _bias_only_if_there,
            points=3,
        ),
        Mistake(
            "bias_made_up",
            "The first layer had no bias and needs none now; a mean of nothing is taken away.",
            _bias_made_up,
            points=3,
        ),
        Mistake(
            "not_two",
            "Return a pair of dictionaries, for the layers before and after the norm: neither one "
            "alone nor one for the norm, which has no weights any more.",
            lambda before, norm, after: _right_fold(before, norm, after)[1],
            same_results=(_three_returned,),
        ),
        Mistake(
            "order_of_result",
            "The two dictionaries come in the wrong order: first the layer before the norm, then "
            "the one after it.",
            lambda before, norm, after: _right_fold(before, norm, after)[::-1],
        ),
        Mistake(
            "after_in_place",
            "The numbers are right, but the given dictionary `after` is changed (`*=`, `mul_`, or "
            "a key assigned). Make a new one.",
            _after_in_place,
        ),
        Mistake(
            "in_place",
            "The numbers are right, but the given dictionaries are changed (`*=`, `-=`, or a key "
            "assigned). Make new ones.",
            _fold_in_place,
        ),
    ),
)


EXERCISES = [
    SHAPED_LAYER_NORM,
    LLAMA_RMS_NORM,
    RESIDUAL_STACK,
    REPAIRED_LAYER,
    FOLD_NORM,
]
