"""One stack of residual layers, whose norms stand in one of three placements."""

from __future__ import annotations

import torch
from torch import nn

from grading.content.drawing import draw_sizes, redrawn
from grading.content.normalization import harnesses
from grading.content.normalization.sections import PLACES
from grading.content.normalization.shared import draw_affine, draw_linear, normal
from grading.exercise import Case, Part, Question


def residual_stack(x, sublayers, norms, placement):
    """Run residual layers whose norms stand after, before, or around the sublayers."""
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](x))
        else:
            before, behind = norms[2 * i], norms[2 * i + 1]
            result = sublayer(before(x))
            result = behind(result)
            x = x + result
    return x if placement == "post" else norms[-1](x)


def _stack_cases(generator: torch.Generator) -> list[Case]:
    def case(
        title, part, placement, count, shape=None, again=False, harness=harnesses.run_stack,
        **options,
    ):  # fmt: skip
        batch, tokens, hidden = draw_sizes(generator, 3, low=2)
        shape = shape or (batch, tokens, hidden + 2)
        hidden = shape[-1]
        number = {"post": count, "pre": count + 1, "sandwich": 2 * count + 1}[placement]
        arguments = (
            ("x", normal(generator, *shape) + 0.5),
            ("sublayers", [draw_linear(generator, hidden, hidden) for _ in range(count)]),
            ("norms", [draw_affine(generator, hidden) for _ in range(number)]),
            ("placement", placement),
        )
        if again:
            others = tuple(redrawn(generator, value) for _, value in arguments)
            options["again"] = (others,)
        return Case(title, part, arguments, harness=harness, **options)

    return [
        case("post-norm, three sublayers", "core", "post", 3),
        case(
            "post-norm, one sublayer, the second call",
            "core",
            "post",
            1,
            shape=(1, 5),
            harness=harnesses.run_stack_twice,
        ),
        case("post-norm, gradients", "core", "post", 2, gradient=True),
        case("post-norm, no sublayer at all", "core", "post", 0),
        case(
            "post-norm, a single token, the second call",
            "core",
            "post",
            2,
            shape=(6,),
            harness=harnesses.run_stack_twice,
        ),
        case("post-norm, called again with other numbers", "core", "post", 2, again=True),
        case("pre-norm, three sublayers", "pre", "pre", 3),
        case("pre-norm, gradients", "pre", "pre", 2, gradient=True),
        case(
            "pre-norm, no sublayer at all, the second call",
            "pre",
            "pre",
            0,
            harness=harnesses.run_stack_twice,
        ),
        case(
            "pre-norm, a sequence of one token, the second call",
            "pre",
            "pre",
            1,
            shape=(1, 4),
            harness=harnesses.run_stack_twice,
        ),
        case("sandwich, three sublayers", "sandwich", "sandwich", 3),
        case("sandwich, gradients", "sandwich", "sandwich", 2, gradient=True),
        case("sandwich, no sublayer at all", "sandwich", "sandwich", 0),
        case(
            "sandwich, a batch of one token, the second call",
            "sandwich",
            "sandwich",
            1,
            shape=(1, 1, 5),
            harness=harnesses.run_stack_twice,
        ),
    ]


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


QUESTION = Question(
    id="residual_stack",
    title="One stack, three placements",
    signature="residual_stack(x, sublayers, norms, placement)",
    reference=residual_stack,
    cases=_stack_cases,
    parts=(
        Part("core", "post-norm", 2),
        Part("pre", "pre-norm, with its last normalisation", 1),
        Part("sandwich", "the sandwich", 1),
    ),
    minutes=15,
    difficulty=2,
    section=PLACES,
    alternatives={
        "an iterator of norms": _iterator_stack,
        "recursion": _recursive_stack,
        "modules": _modules_stack,
        "a sum of contributions": _contributions_stack,
    },
)
