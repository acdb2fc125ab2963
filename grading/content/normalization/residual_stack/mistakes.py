"""The known mistakes of `residual_stack`."""

from __future__ import annotations

from grading.content.common import cut_off, kept_name
from grading.content.normalization.sections import LAST, LAYER_MISTAKES, RESIDUAL
from grading.exercise import Mistake

COMBINED = (
    "exchanged",
    "no_residual",
    "norm_on_branch",
    "normalised_residual",
    "no_last_norm",
    "sandwich_as_pre",
    "sandwich_on_sum",
    "sandwich_residual",
    "pairs_exchanged",
)

MISTAKES = (
    Mistake(
        "exchanged",
        "Post-norm and pre-norm are exchanged: post-norm is norm(x + f(x)), pre-norm is "
        "x + f(norm(x)).",
        [
            ('placement == "post":', 'placement == "pre":'),
            ('placement == "pre":', 'placement == "post":'),
        ],
    ),
    Mistake(
        "exchanged_with_last",
        "Post-norm and pre-norm are exchanged, and the last norm with them: post-norm is "
        "norm(x + f(x)) and no more, pre-norm is x + f(norm(x)) and a norm at the end.",
        [
            ('placement == "post":', 'placement == "pre":'),
            ('placement == "pre":', 'placement == "post":'),
            ('placement == "post" else', 'placement == "pre" else'),
        ],
    ),
    Mistake(
        "exchanged_and_too_few",
        "Post-norm and pre-norm are exchanged, so that post-norm asks for one norm more than "
        "there is: post-norm is norm(x + f(x)), pre-norm is x + f(norm(x)).",
        [
            ('placement == "post":', 'placement == "pre":'),
            ('placement == "pre":', 'placement == "post":'),
            (
                'x if placement == "post" else norms[-1](x)',
                'x if placement == "pre" else norms[-1 if placement == "sandwich" '
                "else len(sublayers)](x)",
            ),
        ],
    ),
    Mistake(
        "no_residual",
        "The input of a sublayer is not added to its result: there is no residual connection.",
        [
            ("(x + sublayer", "(sublayer"),
            ("x = x + sublayer", "x = sublayer"),
            ("x + result", "result"),
        ],
        section=RESIDUAL,
    ),
    Mistake(
        "norm_on_branch",
        "This is x + norm(f(x)), with the norm on the sublayer's result. In post-norm it "
        "stands after the sum: norm(x + f(x)).",
        [("norms[i](x + sublayer(x))", "x + norms[i](sublayer(x))")],
        section=LAYER_MISTAKES,
    ),
    Mistake(
        "same_input",
        "Every layer gets the input of the stack; it must get the result of the layer below.",
        [
            (
                "    for i, sublayer in enumerate(sublayers):\n",
                "    start = x\n    for i, sublayer in enumerate(sublayers):\n        x = start\n",
            )
        ],
    ),
    Mistake(
        "norm_on_input",
        "Post-norm is written as norm(x) + f(x); the norm stands around the whole sum, "
        "norm(x + f(x)).",
        [("norms[i](x + sublayer(x))", "norms[i](x) + sublayer(x)")],
        section=LAYER_MISTAKES,
    ),
    kept_name("placement", "x", "    for i,", "(x.shape, placement, len(norms))"),
    Mistake(
        "normed_twice_in_pre",
        "In pre-norm the norm of a layer is applied twice. It stands in one place, before the "
        "sublayer: x + f(norm(x)).",
        [("sublayer(norms[i](x))", "norms[i](sublayer(norms[i](x)))")],
        other_forms=(
            [("x + sublayer(norms[i](x))", "norms[i](x + sublayer(norms[i](x)))")],
            [
                (
                    "            x = x + sublayer(norms[i](x))",
                    "            x = norms[i](x)\n            x = x + sublayer(norms[i](x))",
                )
            ],
            [("sublayer(norms[i](x))", "sublayer(norms[i](norms[i](x)))")],
        ),
        points=3,
    ),
    Mistake(
        "sublayers_from_the_end",
        "The sublayers are taken from the end of their list, the norms from the beginning; the "
        "first of both lists comes first.",
        [("enumerate(sublayers)", "enumerate(reversed(sublayers))")],
    ),
    Mistake(
        "empty_returned",
        "An empty stack gives back `x` as it is; in pre-norm and in the sandwich the last norm "
        "comes after the layers also if there are none.",
        [("    for i,", "    if not sublayers:\n        return x\n    for i,")],
        points=2,
        section=LAST,
    ),
    Mistake(
        "last_popped",
        "The last norm is taken out of the caller's list (`pop`), so a second call finds too "
        "few of them: `norms[-1]` leaves it where it is.",
        [("norms[-1]", "norms.pop()")],
        points=2,
        any_error=True,
        section=LAST,
    ),
    Mistake(
        "pre_on_branch",
        "In pre-norm the norm stands behind the sublayer, x + norm(f(x)); it stands before it: "
        "x + f(norm(x)).",
        [("sublayer(norms[i](x))", "norms[i](sublayer(x))")],
        points=3,
    ),
    Mistake(
        "sandwich_is_pre",
        "The sandwich is run as pre-norm, with the first norms of the list; it has two norms "
        "for each layer, one before and one behind the sublayer.",
        [
            (
                "    for i,",
                '    if placement == "sandwich":\n'
                '        placement, norms = "pre", norms[: len(sublayers) + 1]\n'
                "    for i,",
            )
        ],
        other_forms=([('elif placement == "pre":', "elif True:")],),
        points=3,
    ),
    Mistake(
        "sublayers_of_start",
        "The results are added up as they should be, but every sublayer reads the input of the "
        "stack; it must read what came out of the layer below.",
        [
            ("    for i,", "    start = x\n    for i,"),
            ("sublayer(x)", "sublayer(start)"),
            ("sublayer(norms[i](x))", "sublayer(norms[i](start))"),
            ("before(x)", "before(start)"),
        ],
    ),
    Mistake(
        "residual_from_the_start",
        "What is added is always the input of the whole stack; add the input of the layer.",
        [
            ("    for i,", "    start = x\n    for i,"),
            ("(x + sublayer", "(start + sublayer"),
            ("x = x + sublayer", "x = start + sublayer"),
            ("x + result", "start + result"),
        ],
        section=RESIDUAL,
    ),
    Mistake(
        "one_norm",
        "The first norm (or, in the sandwich, the first two) is used in every layer; each "
        "place has its own gain and bias.",
        [("    for i,", "    norms = norms[:1] * len(norms)\n    for i,")],
        other_forms=(
            [
                ("norms[i](x + sublayer", "norms[0](x + sublayer"),
                ("sublayer(norms[i](x))", "sublayer(norms[0](x))"),
                ("norms[2 * i], norms[2 * i + 1]", "norms[0], norms[1]"),
            ],
        ),
    ),
    Mistake(
        "last_layer_missing",
        "Sublayers at the end are left out: the loop ends too early.",
        [("enumerate(sublayers)", "enumerate(sublayers[:-1])")],
    ),
    Mistake(
        "normalised_residual",
        "In pre-norm the normalised vector is what is added: norm(x) + f(norm(x)). The "
        "residual path must stay free: x + f(norm(x)).",
        [("x = x + sublayer", "x = norms[i](x) + sublayer")],
        points=3,
    ),
    Mistake(
        "no_last_norm",
        "The last norm, after the last sublayer of pre-norm and of the sandwich, is missing.",
        [('return x if placement == "post" else norms[-1](x)', "return x")],
        points=2,
        section=LAST,
    ),
    Mistake(
        "last_layers_norm_again",
        "Pre-norm ends with the norm of the last layer once more (index n − 1); after the last "
        "layer comes a norm of its own, the last of the list.",
        [
            (
                "norms[-1](x)",
                'norms[len(sublayers) - 1](x) if placement == "pre" else norms[-1](x)',
            )
        ],
        points=3,
        section=LAST,
    ),
    Mistake(
        "no_pre_last",
        "Pre-norm lacks the last norm, after its last sublayer; the sandwich has it.",
        [('placement == "post" else', 'placement != "sandwich" else')],
        points=3,
        section=LAST,
    ),
    Mistake(
        "no_sandwich_last",
        "The sandwich lacks the last norm, after its last sublayer; pre-norm has it.",
        [
            (
                'x if placement == "post" else norms[-1](x)',
                'norms[-1](x) if placement == "pre" else x',
            )
        ],
        points=3,
        section=LAST,
    ),
    Mistake(
        "both_before",
        "In the sandwich both norms of a pair stand before the sublayer; the second belongs to "
        "its result.",
        [("before(x)", "behind(before(x))"), ("            result = behind(result)\n", "")],
        points=3,
    ),
    Mistake(
        "sandwich_as_pre",
        "The sandwich uses only the first norm of each pair: x + f(norm(x)) is pre-norm. The "
        "result of f is normalised, too.",
        [("            result = behind(result)\n", "")],
        points=3,
    ),
    Mistake(
        "sandwich_on_sum",
        "In the sandwich the second norm of a pair is applied to the sum; it belongs to the "
        "result of the sublayer, before the sum.",
        [
            ("            result = behind(result)\n", ""),
            ("x = x + result", "x = behind(x + result)"),
        ],
        points=3,
    ),
    Mistake(
        "sandwich_residual",
        "In the sandwich the normalised vector is what is added; add `x` as it is.",
        [
            (
                "            result = sublayer(before(x))",
                "            x = before(x)\n            result = sublayer(x)",
            )
        ],
        points=3,
    ),
    Mistake(
        "pairs_exchanged",
        "In the sandwich the two norms of each pair are exchanged: the first stands before "
        "the sublayer.",
        [("before, behind =", "behind, before =")],
        points=3,
    ),
    Mistake(
        "halves",
        "In the sandwich the first half of the norms is used before the sublayers and the "
        "second half after them. They come in pairs: layer i has norms 2i and 2i + 1.",
        [("norms[2 * i], norms[2 * i + 1]", "norms[i], norms[len(sublayers) + i]")],
        points=3,
    ),
    Mistake(
        "carried",
        "In post-norm the sum *before* normalisation is carried on to the next layer. The norm "
        "lies on the residual path: the next layer adds to what came out of it.",
        [
            ("    for i,", "    total = x\n    for i,"),
            (
                "x = norms[i](x + sublayer(x))",
                "total = total + sublayer(x)\n            x = norms[i](total)",
            ),
        ],
        section=LAYER_MISTAKES,
    ),
    Mistake(
        "last_norm_everywhere",
        "The last norm is applied once more at the end of post-norm, which needs none there.",
        [('return x if placement == "post" else norms[-1](x)', "return norms[-1](x)")],
        section=LAST,
    ),
    Mistake(
        "every_norm_first",
        "The norm stands both before the sublayer and after the sum. In post-norm it is "
        "applied once, after the sum.",
        [("x + sublayer(x)", "x + sublayer(norms[i](x))")],
    ),
    Mistake(
        "averaged",
        "The sum of input and result is halved; it is a sum, not an average.",
        [
            ("(x + sublayer(x))", "((x + sublayer(x)) / 2)"),
            ("x = x + sublayer(norms[i](x))", "x = (x + sublayer(norms[i](x))) / 2"),
            ("x + result", "(x + result) / 2"),
        ],
        section=RESIDUAL,
    ),
    cut_off([("def residual_stack", "@torch.no_grad()\ndef residual_stack")]),
    Mistake(
        "in_place",
        "`x` is changed where it lies (`x += …`), and with it the caller's tensor. Write "
        "`x = x + …`.",
        [
            ("x = norms[i](x + sublayer(x))", "x += sublayer(x)\n            x = norms[i](x)"),
            ("x = x + sublayer", "x += sublayer"),
            ("x = x + result", "x += result"),
        ],
        any_error=True,
    ),
    Mistake(
        "in_place_before",
        "In pre-norm and in the sandwich `x` is changed where it lies (`x += …`), and with it "
        "the caller's tensor. Write `x = x + …`.",
        [("x = x + sublayer", "x += sublayer"), ("x = x + result", "x += result")],
        points=2,
        any_error=True,
    ),
    Mistake(
        "in_place_pre",
        "In pre-norm `x` is changed where it lies (`x += …`), and with it the caller's tensor. "
        "Write `x = x + …`.",
        [("x = x + sublayer", "x += sublayer")],
        points=3,
        any_error=True,
    ),
    Mistake(
        "in_place_on_a_copy",
        "The values are right, but `x += …` overwrites numbers that autograd still needs for "
        "the norm's gradient. Write `x = x + …`.",
        [
            ("    for i,", "    x = x.clone()\n    for i,"),
            ("x = x + sublayer", "x += sublayer"),
            ("x = x + result", "x += result"),
        ],
        points=2,
    ),
    Mistake(
        "last_norm_in_every_layer",
        "The last norm is applied after every layer of pre-norm and sandwich; it stands once, "
        "after the loop.",
        [
            ("x = x + sublayer(norms[i](x))", "x = norms[-1](x + sublayer(norms[i](x)))"),
            ("x + result", "norms[-1](x + result)"),
            ('return x if placement == "post" else norms[-1](x)', "return x"),
        ],
        points=2,
        section=LAST,
    ),
    Mistake(
        "first_norm_last",
        "After the last layer the first norm of the list is used once more; it must be the "
        "last one, `norms[-1]`.",
        [("norms[-1]", "norms[0]")],
        points=2,
        section=LAST,
    ),
    Mistake(
        "norm_n_last",
        "After a sandwich of n layers norm number n is called, as in pre-norm. That is one "
        "from the middle of the list; its last is `norms[-1]`.",
        [("norms[-1]", "norms[len(sublayers)]")],
        points=3,
        section=LAST,
    ),
    Mistake(
        "overlapping_pairs",
        "In the sandwich layer i uses the norms i and i + 1, so that layers share norms. They "
        "come in pairs: layer i has norms 2i and 2i + 1.",
        [("norms[2 * i], norms[2 * i + 1]", "norms[i], norms[i + 1]")],
        points=3,
    ),
    Mistake(
        "same_norm_twice",
        "In the sandwich layer i uses norm i on both sides of the sublayer. There are two of "
        "its own: 2i before and 2i + 1 after it.",
        [("norms[2 * i], norms[2 * i + 1]", "norms[i], norms[i]")],
        points=3,
    ),
    Mistake(
        "no_empty_stack",
        "A stack without sublayers fails, because the loop's variable is used after a loop "
        "that never ran. The last norm is `norms[-1]`.",
        [("norms[-1]", 'norms[i + 1 if placement == "pre" else 2 * i + 2]')],
        points=2,
    ),
    Mistake(
        "sandwich_missing",
        "In the sandwich no sublayer is run: `x` reaches the last norm as it came.",
        [("        else:", '        elif placement == "both":')],
        points=3,
    ),
    Mistake(
        "no_residual_in_pre",
        "In pre-norm the input of a sublayer is not added to its result: it is x + f(norm(x)).",
        [("x = x + sublayer", "x = sublayer")],
        points=3,
        section=RESIDUAL,
    ),
    Mistake(
        "no_residual_in_sandwich",
        "In the sandwich the input of a layer is not added to what comes out of the second norm.",
        [("x + result", "result")],
        points=3,
        section=RESIDUAL,
    ),
    Mistake(
        "no_residual_in_post",
        "In post-norm the input of a sublayer is not added to its result: it is norm(x + f(x)).",
        [("(x + sublayer", "(sublayer")],
        section=RESIDUAL,
    ),
    Mistake(
        "last_norm_at_the_beginning",
        "The last norm is applied before the first layer; it stands after the last one.",
        [
            ("    for i,", '    if placement != "post":\n        x = norms[-1](x)\n    for i,'),
            ('return x if placement == "post" else norms[-1](x)', "return x"),
        ],
        points=2,
        section=LAST,
    ),
    Mistake(
        "norms_shifted",
        "The first norm of the list is kept for the end, and each layer takes its norms one "
        "place too late. The last norm is the last of the list.",
        [
            (
                "    for i,",
                '    if placement != "post":\n        norms = [*norms[1:], norms[0]]\n    for i,',
            )
        ],
        points=2,
    ),
    Mistake(
        "reversed_order",
        "The layers run in the reverse order; the first of the lists comes first.",
        [("enumerate(sublayers)", "reversed(list(enumerate(sublayers)))")],
    ),
    Mistake(
        "residual_detached",
        "The values are right, but the residual path is cut off from autograd (`detach`), so "
        "the gradient has only the way through the sublayers.",
        [
            ("(x + sublayer", "(x.detach() + sublayer"),
            ("x = x + sublayer", "x = x.detach() + sublayer"),
            ("x + result", "x.detach() + result"),
        ],
        section=RESIDUAL,
    ),
    Mistake(
        "subtracted",
        "The result of a sublayer is subtracted from its input; it must be added.",
        [
            ("(x + sublayer", "(x - sublayer"),
            ("x = x + sublayer", "x = x - sublayer"),
            ("x + result", "x - result"),
        ],
        section=RESIDUAL,
    ),
    Mistake(
        "residual_twice",
        "Post-norm adds `x` twice, inside and outside of the norm: it is norm(x + f(x)).",
        [("x = norms[i]", "x = x + norms[i]")],
        section=LAYER_MISTAKES,
    ),
    Mistake(
        "popped",
        "The norms are taken out of the list (`pop`), so a second call finds too few of them.",
        [
            ("norms[i](x + sublayer", "norms.pop(0)(x + sublayer"),
            ("sublayer(norms[i](x))", "sublayer(norms.pop(0)(x))"),
            ("norms[2 * i], norms[2 * i + 1]", "norms.pop(0), norms.pop(0)"),
            ("norms[-1]", "norms.pop()"),
        ],
        other_forms=(  # the sandwich reads them by their places
            [
                ("norms[i](x + sublayer", "norms.pop(0)(x + sublayer"),
                ("sublayer(norms[i](x))", "sublayer(norms.pop(0)(x))"),
                ("norms[-1](x)", '(norms.pop() if placement == "pre" else norms[-1])(x)'),
            ],
        ),
    ),
)
