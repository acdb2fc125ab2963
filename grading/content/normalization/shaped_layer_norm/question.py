"""Layer normalisation over several axes."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading import check
from grading.content.drawing import draw_sizes, redrawn
from grading.content.normalization import harnesses
from grading.content.normalization.sections import BY_HAND
from grading.content.normalization.shared import draw_affine, normal
from grading.exercise import Case, Part, Question


class ShapedLayerNorm(nn.Module):
    """Layer normalisation over the trailing axes that ``normalized_shape`` names."""

    def __init__(self, normalized_shape, eps):
        super().__init__()
        self.count = len(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        """Normalise numbers of the shape [..., *normalized_shape]."""
        axes = tuple(range(-self.count, 0))
        centred = x - x.mean(axes, keepdim=True)
        variance = x.var(axes, keepdim=True, correction=0)
        root = (variance + self.eps).sqrt()
        normalised = centred / root
        return normalised * self.weight + self.bias


def _draw_vectors(generator: torch.Generator, *shape: int, axes: int = 1) -> Tensor:
    """Draw large numbers with a mean: each group that is normalised has a variance above 9."""
    while True:
        x = normal(generator, *shape, size=6.0)
        x = x + normal(generator, *shape[:-axes], *[1] * axes, size=4.0)
        if x.flatten(-axes).var(-1, correction=0).min() > 9:
            return x


def _shaped_cases(generator: torch.Generator) -> list[Case]:
    def case(title, shape, x, part="core", eps=1e-12, harness=check.run_module, **options):
        state = options.pop("state", None) or draw_affine(generator, *shape)
        arguments = [("init", [tuple(shape), eps]), ("state", state)]
        alone = harness in (harnesses.run_on, harnesses.run_in_float64, harnesses.gradients_reach)
        arguments.append(("x", x) if alone else ("inputs", [x]))
        return Case(title, part, tuple(arguments), harness=harness, **options)

    def sizes():
        return draw_sizes(generator, 4)

    def vectors(*shape, axes):
        return _draw_vectors(generator, *shape, axes=axes)

    batch, tokens, rows, hidden = sizes()
    cases = [
        case("one axis", (hidden + 2,), vectors(batch, 1, tokens, hidden + 2, axes=1)),
        case("two axes", (rows, hidden), vectors(batch, tokens, rows, hidden, axes=2)),
    ]
    x = vectors(6, 8, 9, axes=2)
    affine = draw_affine(generator, 8, 9)
    repeated = (
        ("init", [(8, 9), 1e-12]),
        ("state", affine),
        ("inputs", [x]),
        ("others", [redrawn(generator, x)]),
        ("other_state", redrawn(generator, affine)),
    )
    batch, tokens, rows, hidden = sizes()
    cases += [
        Case(
            "called again, and another module beside it",
            "core",
            repeated,
            harness=check.run_modules,
            repeats=True,
        ),
        case("three axes, one of size 1", (rows, 1, 3), vectors(2, rows, 1, 3, axes=3)),
        case("nothing but the axes", (rows, hidden), vectors(rows, hidden, axes=2)),
        case("as many tokens and examples as numbers", (7,), vectors(7, 7, 7, axes=1)),
        case(
            "a batch of one, a transposed view",
            (rows, hidden + 1),
            vectors(1, rows, hidden + 1, axes=2),
            harness=harnesses.run_on,
            strided=True,
        ),
    ]
    batch, tokens, rows, hidden = sizes()
    hidden += 5  # with ten numbers, eps / 10 would pass for eps²
    small = normal(generator, tokens, rows, hidden, size=0.3) + 0.5
    flat = small.clone()
    flat[0] = 2.0
    cases += [
        case("tiny numbers, eps = 1e-12", (rows, hidden), small * 1e-6, "eps"),
        case("small numbers, some equal, eps = 0.1", (rows, hidden), flat, "eps", eps=0.1),
    ]
    batch, tokens, rows, hidden = sizes()
    x = vectors(batch, rows, hidden, axes=2)
    begins = {"weight": torch.ones(rows, hidden), "bias": torch.zeros(rows, hidden)}
    cases += [
        case("the gradient for x", (rows, hidden), x, "module", harness=harnesses.run_on,
             gradient=True),
        case("gradients for gain and bias, at the start", (rows, hidden), x, "module",
             harness=check.train_module, state=begins),
        Case("a fresh module", "module", (("init", [(rows, hidden), 1e-5]),),
             harness=harnesses.fresh_state),
        # where float32 has not enough digits left for a mean
        case("after .double(), numbers around 100,000", (rows, hidden), x + 1e5, "module",
             harness=harnesses.run_in_float64),
    ]  # fmt: skip
    return cases


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


def with_forward(forward: Callable) -> type:
    """PyTorch's class with another ``forward(self, x, axes)``."""

    class ShapedLayerNorm(_LibraryNorm):
        def forward(self, x):
            return forward(self, x, tuple(range(-len(self.normalized_shape), 0)))

    return ShapedLayerNorm


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


QUESTION = Question(
    id="ShapedLayerNorm",
    title="Layer normalisation over several axes",
    signature="class ShapedLayerNorm(normalized_shape, eps)",
    reference=ShapedLayerNorm,
    cases=_shaped_cases,
    parts=(
        Part("core", "normalised over the trailing axes, with gain and bias", 2),
        Part("eps", "eps where it shows", 1),
        Part("module", "gradients, starting values, float64", 1),
    ),
    minutes=20,
    difficulty=2,
    section=BY_HAND,
    alternatives={
        "library": _LibraryNorm,
        "flattened": _NormOfFlattened,
        "loop": with_forward(_loop_norm),
        "mean of squares minus square of mean": with_forward(_difference_of_squares),
        "in float64": with_forward(
            lambda self, x, axes: F.layer_norm(
                x.double(),
                self.weight.shape,
                self.weight.double(),
                self.bias.double(),
                self.eps,
            ).to(x.dtype)
        ),
        "var_mean": with_forward(
            lambda self, x, axes: (
                torch.var_mean(x, axes, correction=0, keepdim=True)[0].add(self.eps).rsqrt()
                * (x - torch.var_mean(x, axes, keepdim=True)[1])
                * self.weight
                + self.bias
            )
        ),
    },
)
