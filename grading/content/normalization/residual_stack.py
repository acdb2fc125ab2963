"""One stack, three placements."""

from __future__ import annotations

import torch
from torch import nn

from grading.content.drawing import draw_sizes
from grading.content.normalization import harnesses
from grading.content.normalization.sections import LAST, LAYER_MISTAKES, PLACES, RESIDUAL
from grading.content.normalization.shared import draw_affine, draw_linear, normal
from grading.exercise import Case, Exercise, Mistake, Part


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
    def case(title, part, placement, count, shape=None, harness=harnesses.run_stack, **options):
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
        return Case(title, part, arguments, harness=harness, **options)

    return [
        case("post-norm, three sublayers", "core", "post", 3),
        case("post-norm, one sublayer", "core", "post", 1, shape=(1, 5)),
        case("post-norm, gradients", "core", "post", 2, gradient=True),
        case("pre-norm, three sublayers", "pre", "pre", 3),
        case("pre-norm, gradients", "pre", "pre", 2, gradient=True),
        case("pre-norm, no sublayer at all", "pre", "pre", 0),
        case("pre-norm, the second call", "pre", "pre", 2, harness=harnesses.run_stack_twice),
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


EXERCISE = Exercise(
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
    section=PLACES,
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
            mutation=_exchanged_wholly(refuse=False),
        ),
        Mistake(
            "exchanged_and_too_few",
            "Post-norm and pre-norm are exchanged, so that post-norm asks for one norm more than "
            "there is: post-norm is norm(x + f(x)), pre-norm is x + f(norm(x)).",
            mutation=_exchanged_wholly(refuse=True),
        ),
        Mistake(
            "no_residual",
            "The input of a sublayer is not added to its result: there is no residual connection.",
            section=RESIDUAL,
        ),
        Mistake(
            "norm_on_branch",
            "This is x + norm(f(x)), with the norm on the sublayer's result. In post-norm it "
            "stands after the sum: norm(x + f(x)).",
            section=LAYER_MISTAKES,
        ),
        Mistake(
            "same_input",
            "Every layer gets the input of the stack; it must get the result of the layer below.",
            mutation=_residual_stack(frozenset({"same_input"})),
        ),
        Mistake(
            "norm_on_input",
            "Post-norm is written as norm(x) + f(x); the norm stands around the whole sum, "
            "norm(x + f(x)).",
            mutation=_residual_stack(frozenset({"norm_on_input"})),
            section=LAYER_MISTAKES,
        ),
        Mistake(
            "pre_on_branch",
            "In pre-norm the norm stands behind the sublayer, x + norm(f(x)); it stands before it: "
            "x + f(norm(x)).",
            mutation=_residual_stack(frozenset({"pre_on_branch"})),
            points=3,
        ),
        Mistake(
            "sandwich_is_pre",
            "The sandwich is run as pre-norm, with the first norms of the list; it has two norms "
            "for each layer, one before and one behind the sublayer.",
            mutation=_residual_stack(frozenset({"sandwich_is_pre"})),
            points=3,
        ),
        Mistake(
            "sublayers_of_start",
            "The results are added up as they should be, but every sublayer reads the input of the "
            "stack; it must read what came out of the layer below.",
            mutation=_residual_stack(frozenset({"sublayers_of_start"})),
        ),
        Mistake(
            "residual_from_the_start",
            "What is added is always the input of the whole stack; add the input of the layer.",
            section=RESIDUAL,
            mutation=_residual_stack(frozenset({"residual_from_the_start"})),
        ),
        Mistake(
            "one_norm",
            "The first norm is used in all places; each place has its own gain and bias.",
            mutation=_residual_stack(frozenset({"one_norm"})),
        ),
        Mistake(
            "last_layer_missing",
            "Sublayers at the end are left out: the loop ends too early.",
            mutation=_residual_stack(frozenset({"last_layer_missing"})),
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
            section=LAST,
        ),
        Mistake(
            "no_sandwich_last",
            "The sandwich lacks the last norm, after its last sublayer; pre-norm has it.",
            points=3,
            section=LAST,
            mutation=_residual_stack(frozenset({"no_sandwich_last"})),
        ),
        Mistake(
            "both_before",
            "In the sandwich both norms of a pair stand before the sublayer; the second belongs to "
            "its result.",
            points=3,
            mutation=_residual_stack(frozenset({"both_before"})),
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
            mutation=_residual_stack(frozenset({"halves"})),
        ),
        Mistake(
            "carried",
            "In post-norm the sum *before* normalisation is carried on to the next layer. The norm "
            "lies on the residual path: the next layer adds to what came out of it.",
            _carried_stack,
            section=LAYER_MISTAKES,
        ),
        Mistake(
            "last_norm_everywhere",
            "The last norm is applied once more at the end of post-norm, which needs none there.",
            _last_norm_in_post,
            section=LAST,
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
            section=RESIDUAL,
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
            section=LAST,
        ),
        Mistake(
            "first_norm_last",
            "After the last layer the first norm of the list is used once more; it must be the "
            "last one, `norms[-1]`.",
            _first_norm_last,
            points=2,
            section=LAST,
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
            section=RESIDUAL,
        ),
        Mistake(
            "no_residual_in_sandwich",
            "In the sandwich the input of a layer is not added to what comes out of the second "
            "norm.",
            _only_in("sandwich", "no_residual"),
            points=3,
            section=RESIDUAL,
        ),
        Mistake(
            "no_residual_in_post",
            "In post-norm the input of a sublayer is not added to its result: it is "
            "norm(x + f(x)).",
            _only_in("post", "no_residual"),
            section=RESIDUAL,
        ),
        Mistake(
            "last_norm_at_the_beginning",
            "The last norm is applied before the first layer; it stands after the last one.",
            _last_norm_at_the_beginning,
            points=2,
            section=LAST,
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
            section=RESIDUAL,
        ),
        Mistake(
            "subtracted",
            "The result of a sublayer is subtracted from its input; it must be added.",
            lambda x, sublayers, norms, placement: (
                _right_stack(x, [_Negated(s) for s in sublayers], norms, placement)
                if placement != "sandwich"
                else _subtracted_sandwich(x, sublayers, norms)
            ),
            section=RESIDUAL,
        ),
        Mistake(
            "residual_twice",
            "Post-norm adds `x` twice, inside and outside of the norm: it is norm(x + f(x)).",
            _residual_twice,
            section=LAYER_MISTAKES,
        ),
        Mistake(
            "popped",
            "The norms are taken out of the list (`pop`), so a second call finds too few of them.",
            _popping_stack,
            points=3,
        ),
    ),
)
