"""Assignment 3, feed-forward: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.

Sizes in a case are pairwise different. Weights and biases are drawn anew for each case, so large
that the numbers before the activation have a standard deviation of 2 to 3: there all activations
differ, and so do the two forms of GELU.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from itertools import combinations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading import check
from grading.content import feed_forward_drivers as drivers
from grading.exercise import Case, Exercise, Mistake, Part
from solutions.feed_forward import activation as activation_named
from solutions.feed_forward import gelu_tanh

ASSIGNMENT = "03_feed_forward"

_LAYER = "“The layer: wide, bend, back” in chapter 3"
_ALONE = "“Each token by itself” in chapter 3"
_BEND = "“Why the bend: two linear maps are one” in chapter 3"
_ACTIVATIONS = "“Activations” in chapter 3"
_EXACT = "“GELU, exactly” in chapter 3"
_TANH = "“GELU by tanh” in chapter 3"
_SILU = "“SiLU” in chapter 3"
_FORMS = "“Two forms of GELU: does it matter?” in chapter 3"
_CONVOLUTION = "“The same layer under another name: a convolution of width 1” in chapter 3"
_MODULE = "“The layer as a module, with dropout” in chapter 3"
_SWIGLU = "“SwiGLU: a gate instead of a bend” in chapter 3"
_COMMON = "“Common mistakes” in chapter 3"

_CUT_OFF = (
    "The numbers are right, but they are cut off from autograd (`detach`, `.data`, `no_grad`, or a "
    "new tensor built from numbers), so nothing could be learned."
)


def _sizes(generator: torch.Generator, count: int, low: int = 2) -> list[int]:
    """Draw pairwise different sizes."""
    return (torch.randperm(count + 1, generator=generator)[:count] + low).tolist()


def _wide(generator: torch.Generator) -> int:
    """Draw a width larger than all other sizes, and odd, so that nothing halves it unnoticed."""
    return int(torch.randint(4, 6, (), generator=generator)) * 2 + 1


def _normal(generator: torch.Generator, *shape: int, size: float = 1.0) -> Tensor:
    return torch.randn(*shape, generator=generator) * size


# ---- Exercise 1: named_feed_forward ------------------------------------------------------------

_FIRST, _SECOND = "intermediate.dense", "output.dense"


def _activate(x: Tensor, name: str, mistakes: frozenset[str] = frozenset()) -> Tensor:
    """Apply an activation by its name, in the way that some mistakes make it."""
    if "name_ignored" in mistakes:
        name = "gelu"
    if name == "gelu" and "tanh_for_gelu" in mistakes:
        return gelu_tanh(x)
    if name == "gelu_new":
        if "exact_for_gelu_new" in mistakes:
            return F.gelu(x)
        factor = math.sqrt(2 * math.pi if "tanh_root" in mistakes else 2 / math.pi)
        cubic = 0.44715 if "tanh_cubic" in mistakes else 0.044715
        power = 2 if "tanh_square" in mistakes else 3
        return 0.5 * x * (1 + torch.tanh(factor * (x + cubic * x**power)))
    if name == "silu" and "silu_is_sigmoid" in mistakes:
        return x.sigmoid()
    return activation_named(name)(x)


def _named_feed_forward(mistakes: frozenset[str] = frozenset()) -> Callable:
    """The reference of the exercise, with mistakes to order."""

    def named_feed_forward(hidden_states, state, activation="gelu"):
        if activation not in ("relu", "gelu", "gelu_new", "silu"):
            raise ValueError(f"No activation {activation!r}.")
        b_1, b_2 = (state.get(f"{name}.bias") for name in (_FIRST, _SECOND))
        b_1 = None if "no_first_bias" in mistakes else b_1
        b_2 = None if "no_second_bias" in mistakes else b_2
        late = "bias_late" in mistakes
        wide = F.linear(hidden_states, state[f"{_FIRST}.weight"], None if late else b_1)
        if not mistakes & {"no_activation", "activation_last"}:
            wide = _activate(wide, activation, mistakes)
        if "activated_twice" in mistakes:
            wide = _activate(wide, activation, mistakes)
        if late and b_1 is not None:
            wide = wide + b_1
        output = F.linear(wide, state[f"{_SECOND}.weight"], b_2)
        if mistakes & {"activation_last", "activation_twice"}:
            output = _activate(output, activation, mistakes)
        if "biases_break" in mistakes and b_2 is not None:
            raise RuntimeError("another bias")
        if "residual" in mistakes:
            output = output + hidden_states
        return output.detach() if "no_gradient" in mistakes else output

    return named_feed_forward


_RIGHT_NAMED = _named_feed_forward()


def _with(activate: Callable[[Tensor, str], Tensor]) -> Callable:
    """The right layer around other activations: ``activate(x, name)``."""

    def named_feed_forward(hidden_states, state, activation="gelu"):
        if activation not in ("relu", "gelu", "gelu_new", "silu"):
            raise ValueError(activation)
        wide = F.linear(hidden_states, state[f"{_FIRST}.weight"], state.get(f"{_FIRST}.bias"))
        wide = activate(wide, activation)
        return F.linear(wide, state[f"{_SECOND}.weight"], state.get(f"{_SECOND}.bias"))

    return named_feed_forward


def _instead(name: str, function: Callable[[Tensor], Tensor]) -> Callable:
    """The right layer in which one activation is another function."""
    return _with(lambda x, wanted: function(x) if wanted == name else _activate(x, wanted))


def _bert_state(generator, hidden, wide, bias=True, dtype=torch.float32) -> dict[str, Tensor]:
    state = {}
    for name, out, into in ((_FIRST, wide, hidden), (_SECOND, hidden, wide)):
        state[f"{name}.weight"] = _normal(generator, out, into).to(dtype)
        if bias:
            state[f"{name}.bias"] = _normal(generator, out).to(dtype)
    return state


def _named_cases(generator: torch.Generator) -> list[Case]:
    def draw(activation, front, bias=True, dtype=torch.float32):
        """Arguments whose hidden states have ``front`` axes before the last one."""
        *shape, hidden = _sizes(generator, front + 1, low=3)
        state = _bert_state(generator, hidden, _wide(generator), bias, dtype)
        x = _normal(generator, *shape, hidden).to(dtype)
        return (("hidden_states", x), ("state", state), ("activation", activation))

    one = draw("gelu", 2)
    one = (("hidden_states", one[0][1][:1]), *one[1:])
    return [
        Case("gelu, a batch of sequences", "core", draw("gelu", 2)),
        Case("relu, one sequence", "core", draw("relu", 1)),
        Case("gelu, a single token", "core", draw("gelu", 0)),
        Case("a batch of one, transposed views", "core", one, strided=True),
        Case("gradients", "core", draw("gelu", 1), gradient=True),
        Case("gelu_new", "forms", draw("gelu_new", 2)),
        Case("silu", "forms", draw("silu", 1)),
        Case("no biases in the state", "corner", draw("relu", 1, bias=False)),
        Case("float64", "corner", draw("gelu", 1, dtype=torch.float64)),
        Case("an unknown activation", "corner", draw("gleu", 1), driver=drivers.refusal),
    ]


def _loop_named(hidden_states, state, activation="gelu"):
    if hidden_states.dim() > 1:
        rows = [_loop_named(row, state, activation) for row in hidden_states]
        return torch.stack(rows)
    x, root = hidden_states, math.sqrt(2 / math.pi)
    functions = {
        "relu": lambda x: torch.maximum(x, torch.zeros_like(x)),
        "gelu": lambda x: x * torch.special.ndtr(x),
        "gelu_new": lambda x: x / 2 + x / 2 * torch.tanh(root * x * (1 + 0.044715 * x * x)),
        "silu": lambda x: x / (1 + torch.exp(-x)),
    }
    if activation not in functions:
        raise ValueError(activation)
    x = state[f"{_FIRST}.weight"] @ x + state.get(f"{_FIRST}.bias", 0)
    return state[f"{_SECOND}.weight"] @ functions[activation](x) + state.get(f"{_SECOND}.bias", 0)


def _module_named(hidden_states, state, activation="gelu"):
    functions = {
        "relu": nn.ReLU(),
        "gelu": nn.GELU(),
        "gelu_new": nn.GELU(approximate="tanh"),
        "silu": nn.SiLU(),
    }
    if activation not in functions:
        raise ValueError(f"{activation} is not one of {list(functions)}")
    wide, hidden = state[f"{_FIRST}.weight"].shape
    bias = f"{_FIRST}.bias" in state
    like = {"bias": bias, "dtype": hidden_states.dtype}
    first, second = nn.Linear(hidden, wide, **like), nn.Linear(wide, hidden, **like)
    for linear, name in ((first, _FIRST), (second, _SECOND)):
        start = f"{name}."
        linear.load_state_dict({k[len(start) :]: v for k, v in state.items() if start in k})
    return nn.Sequential(first, functions[activation], second)(hidden_states)


def _float64_named(hidden_states, state, activation="gelu"):
    state = {name: tensor.double() for name, tensor in state.items()}
    return _RIGHT_NAMED(hidden_states.double(), state, activation).to(hidden_states.dtype)


def _einsum_named(hidden_states, state, activation="gelu"):
    w_1, w_2 = state[f"{_FIRST}.weight"], state[f"{_SECOND}.weight"]
    b_1 = state.get(f"{_FIRST}.bias", torch.zeros(w_1.size(0), dtype=w_1.dtype))
    b_2 = state.get(f"{_SECOND}.bias", torch.zeros(w_2.size(0), dtype=w_2.dtype))
    wide = torch.einsum("...h,wh->...w", hidden_states, w_1) + b_1
    if activation == "gelu":
        wide = wide * 0.5 * (1 + torch.erf(wide / math.sqrt(2)))
    elif activation == "gelu_new":
        wide = gelu_tanh(wide)
    elif activation == "relu":
        wide = wide * (wide > 0)
    elif activation == "silu":
        wide = wide * wide.sigmoid()
    else:
        raise ValueError("unknown")
    return torch.einsum("...w,hw->...h", wide, w_2) + b_2


def _reshaped_weights(hidden_states, state, activation="gelu"):
    out, into = state[f"{_FIRST}.weight"].shape
    turned = dict(state)
    for name, shape in ((_FIRST, (into, out)), (_SECOND, (out, into))):
        turned[f"{name}.weight"] = state[f"{name}.weight"].reshape(shape).T
    return _RIGHT_NAMED(hidden_states, turned, activation)


def _exchanged_maps(hidden_states, state, activation="gelu"):
    turned = dict(state)
    turned[f"{_FIRST}.weight"] = state[f"{_SECOND}.weight"].T
    turned[f"{_SECOND}.weight"] = state[f"{_FIRST}.weight"].T
    return _RIGHT_NAMED(hidden_states, turned, activation)


def _needs_biases(hidden_states, state, activation="gelu"):
    state[f"{_FIRST}.bias"], state[f"{_SECOND}.bias"]  # KeyError without them
    return _RIGHT_NAMED(hidden_states, state, activation)


def _names_three_axes(hidden_states, state, activation="gelu"):
    batch, tokens, hidden = hidden_states.shape
    return _RIGHT_NAMED(hidden_states.view(batch, tokens, hidden), state, activation)


def _needs_three_letters(hidden_states, state, activation="gelu"):
    torch.einsum("bth,wh->btw", hidden_states, state[f"{_FIRST}.weight"])
    return _RIGHT_NAMED(hidden_states, state, activation)


def _not_transposed(hidden_states, state, activation="gelu"):
    if activation == "gleu":
        raise ValueError(activation)
    wide = hidden_states @ state[f"{_FIRST}.weight"]
    return _activate(wide, activation) @ state[f"{_SECOND}.weight"]


def _wrong_names(hidden_states, state, activation="gelu"):
    if activation == "gleu":
        raise ValueError(activation)
    return F.linear(hidden_states, state["intermediate.weight"])


def _looked_up_in_torch(hidden_states, state, activation="gelu"):
    getattr(F, activation)
    return _RIGHT_NAMED(hidden_states, state, activation)


def _normalised(hidden_states, state, activation="gelu"):
    output = _RIGHT_NAMED(hidden_states, state, activation)
    return F.layer_norm(output + hidden_states, output.shape[-1:])


def _needs_matrices(most: int, least: int) -> Callable:
    def implementation(hidden_states, state, activation="gelu"):
        if not least <= hidden_states.dim() <= most:
            raise RuntimeError("mat1 must be a matrix")
        return _RIGHT_NAMED(hidden_states, state, activation)

    return implementation


def _pops(hidden_states, state, activation="gelu"):
    result = _RIGHT_NAMED(hidden_states, state, activation)
    for name in list(state):
        state.pop(name)
    return result


def _takes_anything(hidden_states, state, activation="gelu"):
    known = activation in ("relu", "gelu", "gelu_new", "silu")
    return _RIGHT_NAMED(hidden_states, state, activation if known else "gelu")


def _returns_error(hidden_states, state, activation="gelu"):
    if activation not in ("relu", "gelu", "gelu_new", "silu"):
        return ValueError(activation)
    return _RIGHT_NAMED(hidden_states, state, activation)


def _key_error(hidden_states, state, activation="gelu"):
    {"relu": 0, "gelu": 0, "gelu_new": 0, "silu": 0}[activation]
    return _RIGHT_NAMED(hidden_states, state, activation)


NAMED_FEED_FORWARD = Exercise(
    id="named_feed_forward",
    title="One function for four models",
    signature='named_feed_forward(hidden_states, state, activation="gelu")',
    reference=_RIGHT_NAMED,
    cases=_named_cases,
    parts=(
        Part("core", "GELU and ReLU, for any shape", 2),
        Part("forms", "GPT-2's GELU and SiLU", 1),
        Part("corner", "no biases, float64, unknown names", 1),
    ),
    minutes=15,
    difficulty=1,
    section=_LAYER,
    variant=_named_feed_forward,
    alternatives={
        "a loop over tokens": _loop_named,
        "modules": _module_named,
        "in float64": _float64_named,
        "einsum": _einsum_named,
        "library functions": _with(
            lambda x, name: {
                "relu": F.relu,
                "gelu": F.gelu,
                "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
                "silu": F.silu,
            }[name](x)
        ),
    },
    mistakes=(
        Mistake(
            "no_activation",
            "The activation is missing: these are the numbers of the two linear maps alone, which "
            "are one linear map.",
            section=_BEND,
        ),
        Mistake(
            "activation_last",
            "The activation stands behind the second map; it belongs between the two, otherwise "
            "they are one linear map.",
            section=_BEND,
        ),
        Mistake(
            "activation_twice",
            "The activation is applied behind the second map as well; it belongs between the maps "
            "only.",
            section=_COMMON,
        ),
        Mistake(
            "activated_twice",
            "The activation is applied twice in a row behind the first map; once is enough.",
            _named_feed_forward(frozenset({"activated_twice"})),
        ),
        Mistake(
            "biases_break",
            "It fails wherever the state holds biases: is each of the two looked up under its own "
            "name, and added behind its own map?",
            _named_feed_forward(frozenset({"biases_break"})),
            any_error=True,
        ),
        Mistake(
            "tanh_for_gelu",
            'For `"gelu"` the tanh form is computed. That is `"gelu_new"`; `"gelu"` is the exact '
            "one, with erf. They differ by up to 0.0005 per neuron.",
            section=_FORMS,
        ),
        Mistake(
            "exact_for_gelu_new",
            'For `"gelu_new"` the exact GELU is computed; the name stands for the tanh form, with '
            "which GPT-2 was trained. They differ by up to 0.0005 per neuron.",
            points=3,
            section=_FORMS,
        ),
        Mistake(
            "name_ignored",
            "The argument `activation` has no effect on the numbers: they are always those of the "
            "exact GELU.",
            section=_ACTIVATIONS,
            implementation=_named_feed_forward(frozenset({"name_ignored"})),
        ),
        Mistake(
            "silu_is_sigmoid",
            "SiLU lacks its factor x: these are the numbers with σ(x) alone, and it is x·σ(x).",
            points=3,
            section=_SILU,
            implementation=_named_feed_forward(frozenset({"silu_is_sigmoid"})),
        ),
        Mistake(
            "tanh_root",
            "In the tanh form the constant is √(2π); it is √(2/π) = 0.7979.",
            points=3,
            section=_TANH,
            implementation=_named_feed_forward(frozenset({"tanh_root"})),
        ),
        Mistake(
            "tanh_cubic",
            "In the tanh form the constant is 0.44715; it is 0.044715.",
            points=3,
            section=_TANH,
            implementation=_named_feed_forward(frozenset({"tanh_cubic"})),
        ),
        Mistake(
            "tanh_square",
            "In the tanh form x² stands where x³ belongs.",
            points=3,
            section=_TANH,
            implementation=_named_feed_forward(frozenset({"tanh_square"})),
        ),
        Mistake("no_first_bias", "The bias of the first map is left out."),
        Mistake("no_second_bias", "The bias of the second map is left out."),
        Mistake(
            "bias_late",
            "The bias of the first map is added after the activation; it belongs before it, to "
            "the linear map.",
        ),
        Mistake(
            "residual",
            "The input is added to the result. That is the residual connection of chapter 4; here "
            "the layer alone is asked for.",
        ),
        Mistake("no_gradient", _CUT_OFF),
        Mistake(
            "activation_first",
            "The activation is applied to the input, before the first map; it belongs between the "
            "two maps.",
            lambda x, state, activation="gelu": _with(lambda wide, name: wide)(
                _activate(x, activation) if activation != "gleu" else x, state, activation
            ),
            section=_BEND,
        ),
        Mistake(
            "one_map_only",
            "These are the wide vectors, after the activation; the second map, back to the hidden "
            "size, is missing.",
            lambda x, state, activation="gelu": (
                _RIGHT_NAMED(x, state, activation)  # refuses what is unknown
                if activation == "gleu"
                else _activate(
                    F.linear(x, state[f"{_FIRST}.weight"], state.get(f"{_FIRST}.bias")), activation
                )
            ),
        ),
        Mistake(
            "always_relu",
            "The argument `activation` has no effect on the numbers: they are always those of "
            "ReLU.",
            _with(lambda x, name: F.relu(x)),
            section=_ACTIVATIONS,
        ),
        Mistake(
            "relu_for_gelu",
            'For `"gelu"` ReLU is computed: all negative numbers become 0. GELU lets the small '
            "ones through in part.",
            _instead("gelu", F.relu),
            section=_EXACT,
        ),
        Mistake(
            "quick_gelu",
            'For `"gelu"` the rough form x·σ(1.702x) is computed ("quick GELU"), which is off by '
            "up to 0.02 per neuron. The exact one uses erf.",
            _instead("gelu", lambda x: x * torch.sigmoid(1.702 * x)),
            section=_EXACT,
        ),
        Mistake(
            "silu_for_gelu",
            'For `"gelu"` SiLU is computed, x·σ(x); GELU takes the normal distribution, '
            "x·Φ(x) = x/2·(1 + erf(x/√2)).",
            _instead("gelu", F.silu),
            section=_EXACT,
        ),
        Mistake(
            "erf_without_root",
            "In the exact GELU erf is taken of x; it must be x/√2.",
            _instead("gelu", lambda x: 0.5 * x * (1 + torch.erf(x))),
            section=_EXACT,
        ),
        Mistake(
            "gelu_without_half",
            "In the exact GELU the factor ½ is missing: its results are twice as large.",
            _instead("gelu", lambda x: x * (1 + torch.erf(x / math.sqrt(2)))),
            section=_EXACT,
        ),
        Mistake(
            "gelu_without_x",
            "GELU lacks its factor x: these are the numbers with the probability Φ(x) alone.",
            _instead("gelu", torch.special.ndtr),
            section=_EXACT,
        ),
        Mistake(
            "gelu_new_without_half",
            "In the tanh form the factor ½ is missing: its results are twice as large.",
            _instead("gelu_new", lambda x: 2 * gelu_tanh(x)),
            points=3,
            section=_TANH,
        ),
        Mistake(
            "gelu_new_without_cubic",
            "In the tanh form the term with x³ is missing.",
            _instead("gelu_new", lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * x))),
            points=3,
            section=_TANH,
        ),
        Mistake(
            "gelu_new_without_root",
            "In the tanh form the factor √(2/π) is missing.",
            _instead("gelu_new", lambda x: 0.5 * x * (1 + torch.tanh(x + 0.044715 * x**3))),
            points=3,
            section=_TANH,
        ),
        Mistake(
            "gelu_new_cubic_outside",
            "In the tanh form √(2/π) multiplies only x; it must multiply the whole bracket, "
            "x + 0.044715·x³.",
            _instead(
                "gelu_new",
                lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * x + 0.044715 * x**3)),
            ),
            points=3,
            section=_TANH,
        ),
        Mistake(
            "gelu_new_two_over_pi",
            "In the tanh form the constant is 2/π; it is the root of that, √(2/π).",
            _instead(
                "gelu_new",
                lambda x: 0.5 * x * (1 + torch.tanh(2 / math.pi * (x + 0.044715 * x**3))),
            ),
            points=3,
            section=_TANH,
        ),
        Mistake(
            "gelu_new_is_quick",
            'For `"gelu_new"` the rough form x·σ(1.702x) is computed; the name stands for the '
            "tanh form.",
            _instead("gelu_new", lambda x: x * torch.sigmoid(1.702 * x)),
            points=3,
            section=_TANH,
        ),
        Mistake(
            "silu_is_gelu",
            'For `"silu"` the exact GELU is computed; SiLU is x·σ(x).',
            _instead("silu", F.gelu),
            points=3,
            section=_SILU,
        ),
        Mistake(
            "silu_is_relu",
            'For `"silu"` ReLU is computed; SiLU is x·σ(x).',
            _instead("silu", F.relu),
            points=3,
            section=_SILU,
        ),
        Mistake(
            "silu_is_tanh",
            "SiLU multiplies x by tanh(x); it must be the sigmoid, x·σ(x).",
            _instead("silu", lambda x: x * x.tanh()),
            points=3,
            section=_SILU,
        ),
        Mistake(
            "relu_is_abs",
            'For `"relu"` negative numbers are made positive (`abs`); ReLU sets them to 0.',
            _instead("relu", torch.abs),
            section="“ReLU” in chapter 3",
        ),
        Mistake(
            "leaky_relu",
            'For `"relu"` negative numbers keep a small part of their size (a leaky ReLU); ReLU '
            "sets them to 0.",
            _instead("relu", F.leaky_relu),
            section="“ReLU” in chapter 3",
        ),
        Mistake(
            "reshaped_weights",
            "The weights are brought from [out, in] to [in, out] with `view` or `reshape`, which "
            "keeps the numbers in their order and so mixes them up. Transpose them (`.T`).",
            _reshaped_weights,
        ),
        Mistake(
            "exchanged_maps",
            "The two weights are exchanged: the one called `output.dense` is used first, without "
            "a transpose, and the shapes happen to fit. `intermediate.dense` is the first map; "
            "use its transpose, or `F.linear`.",
            _exchanged_maps,
            section=_COMMON,
        ),
        Mistake(
            "dropout",
            "Dropout is alive: some numbers are dropped by chance. This function has no training "
            "mode; leave it out.",
            lambda x, state, activation="gelu": F.dropout(_RIGHT_NAMED(x, state, activation), 0.1),
            section=_COMMON,
        ),
        Mistake(
            "names_three_axes",
            "It fails unless the hidden states have three axes, because their shape is taken apart "
            "into three names. A linear map acts on the last axis, whatever stands in front of it.",
            _names_three_axes,
            section=_ALONE,
        ),
        Mistake(
            "needs_three_letters",
            "It fails unless the hidden states have three axes, because `einsum` is given a letter "
            "for each. Write `...` for the axes in front, or use `F.linear`.",
            _needs_three_letters,
            section=_ALONE,
        ),
        Mistake(
            "not_transposed",
            "The weights are used as they are stored, [out, in], and do not fit: multiply with "
            "their transpose (`.T`), or use `F.linear`, which does.",
            _not_transposed,
            section=_LAYER,
        ),
        Mistake(
            "wrong_names",
            "It looks up a name that the state does not hold. The names are "
            "`intermediate.dense.weight`, `intermediate.dense.bias`, `output.dense.weight` and "
            "`output.dense.bias`.",
            _wrong_names,
        ),
        Mistake(
            "looked_up_in_torch",
            "The activation is looked up under its name in `torch.nn.functional`, which has no "
            '`gelu_new` (it is `F.gelu(x, approximate="tanh")`) and many functions that are no '
            "activations.",
            _looked_up_in_torch,
            points=2,
            section=_FORMS,
        ),
        Mistake(
            "gelu_unless_relu",
            'For `"gelu_new"` and for `"silu"` the exact GELU is computed: only ReLU is told '
            "apart.",
            _with(lambda x, name: F.relu(x) if name == "relu" else F.gelu(x)),
            points=3,
            section=_ACTIVATIONS,
        ),
        Mistake(
            "normalised",
            "The input is added and the sum normalised. That is the rest of BERT's block, in "
            "chapter 4; here the layer alone is asked for.",
            _normalised,
        ),
        Mistake(
            "needs_a_matrix",
            "It fails unless the hidden states have exactly two axes (`addmm`, `mm`, or a `.T` of "
            "the input). A linear map acts on the last axis, whatever stands in front of it.",
            _needs_matrices(2, 2),
            any_error=True,
            section=_ALONE,
        ),
        Mistake(
            "no_single_token",
            "It fails on the vector of a single token, which has no axis in front of the last one.",
            _needs_matrices(9, 2),
            any_error=True,
            section=_ALONE,
        ),
        Mistake(
            "needs_biases",
            "It fails when the state holds no biases: ask `state.get(name)`, and add nothing "
            "where that is None.",
            _needs_biases,
            points=3,
            any_error=True,
        ),
        Mistake(
            "float32_inside",
            "The result is float32 whatever came in: an input of float64 loses half of its digits. "
            "Keep the dtype of the input.",
            lambda x, state, activation="gelu": _RIGHT_NAMED(
                x.float(), {name: tensor.float() for name, tensor in state.items()}, activation
            ),
            points=3,
        ),
        Mistake(
            "changed_state",
            "The state is changed: entries are taken out of it (`pop`) or put into it. The caller "
            "still needs it; make a copy of the dictionary first.",
            _pops,
        ),
        Mistake(
            "takes_anything",
            "An unknown activation is taken for a known one, or for none, without a word. A typing "
            "error would change the model silently; raise a `ValueError`.",
            _takes_anything,
            points=3,
            section=_MODULE,
        ),
        Mistake(
            "returns_error",
            "For an unknown activation the `ValueError` is returned, not raised: write "
            "`raise ValueError(…)`.",
            _returns_error,
            points=3,
            section=_MODULE,
        ),
        Mistake(
            "key_error",
            "An unknown activation raises a `KeyError` out of a dictionary; raise a `ValueError` "
            "that says which name was not understood.",
            _key_error,
            points=3,
            section=_MODULE,
        ),
    ),
)


# ---- Exercise 2: PackedSwiGLU ------------------------------------------------------------------


def _packed_swiglu(mistakes: frozenset[str] = frozenset()) -> type[nn.Module]:
    """The module of the exercise, with mistakes to order."""

    class PackedSwiGLU(nn.Module):
        def __init__(self, hidden_size, intermediate_size, interleaved=False):
            super().__init__()
            self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
            self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
            self.interleaved = interleaved

        def forward(self, x):
            both = self.gate_up(x)
            interleaved = self.interleaved
            if "layout_ignored" in mistakes:
                interleaved = False
            if "layout_inverted" in mistakes:
                interleaved = not interleaved
            if "always_interleaved" in mistakes:
                interleaved = True
            if interleaved:
                gate, up = both[..., 0::2], both[..., 1::2]
                if "turns_in_front" in mistakes:
                    gate, up = both[0::2], both[1::2]
                if "odd_rows_gate" in mistakes:
                    gate, up = up, gate
            else:
                gate, up = both.chunk(2, dim=-1)
                if "halves_exchanged" in mistakes:
                    gate, up = up, gate
            if "gate_detached" in mistakes:
                gate = gate.detach()
            if "product_activated" in mistakes:
                wide = F.silu(gate * up)
            else:
                wide = _opened(gate, mistakes)
                if "up_activated" in mistakes:
                    up = F.silu(up)
                if "up_unused" not in mistakes:
                    wide = wide + up if "added" in mistakes else wide * up
            output = self.down(wide)
            if "residual" in mistakes:
                output = output + x
            return output.detach() if "no_gradient" in mistakes else output

    return PackedSwiGLU


def _opened(gate: Tensor, mistakes: frozenset[str]) -> Tensor:
    if "sigmoid_gate" in mistakes:
        return gate.sigmoid()
    if "gelu_gate" in mistakes:
        return F.gelu(gate)
    if "relu_gate" in mistakes:
        return F.relu(gate)
    if "no_gate_activation" in mistakes:
        return gate
    return F.silu(gate)


def _packed_like(forward: Callable, build: Callable | None = None) -> type[nn.Module]:
    """A module with the right parameters, or those of ``build``, and another ``forward``."""

    class PackedSwiGLU(nn.Module):
        def __init__(self, hidden_size, intermediate_size, interleaved=False):
            super().__init__()
            self.wide, self.interleaved = intermediate_size, interleaved
            if build is not None:
                build(self, hidden_size, intermediate_size)
                return
            self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
            self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

        def forward(self, x):
            return forward(self, x)

    return PackedSwiGLU


def _swiglu_cases(generator: torch.Generator) -> list[Case]:
    def draw(front, interleaved=False, narrow=False, **first):
        *shape, hidden = _sizes(generator, front + 1, low=3)
        wide = _wide(generator)
        if narrow:
            hidden, wide = wide, hidden
        if first:
            shape[0] = 1
        state = {
            "gate_up.weight": _normal(generator, 2 * wide, hidden, size=0.9),
            "down.weight": _normal(generator, hidden, wide),
        }
        init = [hidden, wide, True] if interleaved else [hidden, wide]
        inputs = [_normal(generator, *shape, hidden)]
        return (("init", init), ("state", state), ("inputs", inputs))

    run, train = check.run_module, check.train_module
    return [
        Case("halves, a batch of sequences", "core", draw(2), driver=run),
        Case("halves, a batch of one", "core", draw(2, one=True), driver=run),
        Case(
            "halves, one sequence, narrower than the input",
            "core",
            draw(1, narrow=True),
            driver=run,
        ),
        Case("halves, a single token", "core", draw(0), driver=run),
        Case("interleaved, a batch of sequences", "interleaved", draw(2, True), driver=run),
        Case("interleaved, a single token", "interleaved", draw(0, True), driver=run),
        Case("gradients of both weights", "trained", draw(2), driver=train),
    ]


def _two_linear(module, x):
    gate, up = module.gate_up.weight.split(module.wide)
    if module.interleaved:
        gate, up = module.gate_up.weight[::2], module.gate_up.weight[1::2]
    return F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), module.down.weight)


def _einsum_swiglu(module, x):
    axes = ("w", 2) if module.interleaved else (2, "w")
    shape = [module.wide if axis == "w" else 2 for axis in axes]
    weight = module.gate_up.weight.view(*shape, -1)
    gate, up = weight.unbind(1 if module.interleaved else 0)
    g = torch.einsum("...h,wh->...w", x, gate)
    u = torch.einsum("...h,wh->...w", x, up)
    return torch.einsum("...w,hw->...h", g / (1 + torch.exp(-g)) * u, module.down.weight)


def _unflattened_swiglu(module, x):
    both = module.gate_up(x)
    if module.interleaved:
        gate, up = both.unflatten(-1, (-1, 2)).unbind(-1)
    else:
        gate, up = both.unflatten(-1, (2, -1)).unbind(-2)
    return module.down(gate * torch.sigmoid(gate) * up)


def _library_glu(module, x):
    both = module.gate_up(x)
    if module.interleaved:
        both = torch.cat([both[..., ::2], both[..., 1::2]], dim=-1)
    gate, _ = both.chunk(2, dim=-1)
    # F.glu multiplies the first half by the sigmoid of the second
    return module.down(F.glu(both.roll(module.wide, -1)) * gate)


class _ParametersSwiGLU(nn.Module):
    """Parameters without ``nn.Linear``: a small module of our own, and float64 inside."""

    class Map(nn.Module):
        def __init__(self, out: int, into: int) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.empty(out, into).uniform_(-0.1, 0.1))

    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = self.Map(2 * intermediate_size, hidden_size)
        self.down = self.Map(hidden_size, intermediate_size)
        order = torch.arange(2 * intermediate_size)
        if interleaved:
            order = order.view(-1, 2).T.reshape(-1)
        self.order = order.tolist()

    def forward(self, x):
        weight = self.gate_up.weight.double()[self.order]
        gate, up = (x.double() @ weight.T).tensor_split(2, dim=-1)
        return (F.silu(gate) * up @ self.down.weight.double().T).to(x.dtype)


def _right_wide(module, x):
    return _packed_swiglu().forward(module, x)


def _build_biases(module, hidden, wide):
    module.gate_up, module.down = nn.Linear(hidden, 2 * wide), nn.Linear(wide, hidden)


def _build_separate(module, hidden, wide):
    module.gate = nn.Linear(hidden, wide, bias=False)
    module.up = nn.Linear(hidden, wide, bias=False)
    module.down = nn.Linear(wide, hidden, bias=False)


def _build_list(module, hidden, wide):
    module.maps = [nn.Linear(hidden, 2 * wide, bias=False), nn.Linear(wide, hidden, bias=False)]


def _build_narrow(module, hidden, wide):
    module.gate_up = nn.Linear(hidden, wide, bias=False)
    module.down = nn.Linear(wide // 2, hidden, bias=False)


def _build_transposed(module, hidden, wide):
    module.gate_up, module.down = nn.Module(), nn.Module()
    module.gate_up.weight = nn.Parameter(torch.zeros(hidden, 2 * wide))
    module.down.weight = nn.Parameter(torch.zeros(wide, hidden))


def _build_wide_down(module, hidden, wide):
    module.gate_up = nn.Linear(hidden, 2 * wide, bias=False)
    module.down = nn.Linear(2 * wide, hidden, bias=False)


def _split_front(module, x):
    if module.interleaved:
        return _right_wide(module, x)
    gate, up = module.gate_up(x).chunk(2, dim=0)
    return module.down(F.silu(gate) * up)


def _split_tokens(module, x):
    if module.interleaved:
        return _right_wide(module, x)
    gate, up = module.gate_up(x).chunk(2, dim=1)
    return module.down(F.silu(gate) * up)


def _turns_made(module, x):
    both = module.gate_up(x)
    if module.interleaved:
        both = both.unflatten(-1, (2, -1)).transpose(-2, -1).flatten(-2)
    gate, up = both.chunk(2, dim=-1)
    return module.down(F.silu(gate) * up)


def _three_axes_only(module, x):
    module.gate_up(x)[:, :, ::2]
    return _right_wide(module, x)


def _changes_input(module, x):
    result = _right_wide(module, x)
    with torch.no_grad():
        x += 1
    return result


PACKED_SWIGLU = Exercise(
    id="PackedSwiGLU",
    title="A gate in the same matrix",
    signature="class PackedSwiGLU(hidden_size, intermediate_size, interleaved=False)",
    reference=_packed_swiglu(),
    cases=_swiglu_cases,
    parts=(
        Part("core", "the gate in the first half", 2),
        Part("interleaved", "gate and up in turns", 1),
        Part("trained", "gradients reach both weights", 1),
    ),
    minutes=20,
    difficulty=2,
    section=_SWIGLU,
    variant=_packed_swiglu,
    alternatives={
        "the weight split instead of the product": _packed_like(_two_linear),
        "einsum": _packed_like(_einsum_swiglu),
        "an axis of two": _packed_like(_unflattened_swiglu),
        "library GLU": _packed_like(_library_glu),
        "parameters of its own, in float64": _ParametersSwiGLU,
    },
    mistakes=(
        Mistake(
            "halves_exchanged",
            "The halves are exchanged: SiLU is applied to the second half. The first half of "
            "`gate_up` is the gate, and the gate passes through SiLU.",
        ),
        Mistake(
            "sigmoid_gate",
            "The gate passes through a sigmoid: that is the original GLU. SwiGLU takes "
            "silu(x) = x·σ(x).",
        ),
        Mistake(
            "gelu_gate",
            "The gate passes through GELU: that is GEGLU. SwiGLU takes silu(x) = x·σ(x).",
        ),
        Mistake(
            "relu_gate",
            "The gate passes through ReLU: that is ReGLU. SwiGLU takes silu(x) = x·σ(x).",
        ),
        Mistake(
            "no_gate_activation",
            "The gate is multiplied as it is; it must pass through SiLU first.",
        ),
        Mistake(
            "product_activated",
            "SiLU is applied to the product of gate and up; it belongs to the gate alone, before "
            "the product.",
        ),
        Mistake(
            "up_activated",
            "The up half passes through SiLU as well; only the gate does.",
        ),
        Mistake("added", "Gate and up are added; the gate must be multiplied with the other half."),
        Mistake(
            "up_unused",
            "The second half of the wide vector is not used: the result is that of the gate alone. "
            "Multiply the two.",
            implementation=_packed_swiglu(frozenset({"up_unused"})),
        ),
        Mistake(
            "layout_ignored",
            "`interleaved` has no effect, or the numbers are split as [2, wide] where it is set: "
            "with interleaved rows, gate and up take turns, 0, 2, 4, … and 1, 3, 5, ….",
            points=3,
        ),
        Mistake(
            "always_interleaved",
            "Gate and up are taken in turns (0, 2, 4, … and 1, 3, 5, …) always; that is right only "
            "with `interleaved=True`. Without it the first half is the gate.",
        ),
        Mistake(
            "layout_inverted",
            "The two layouts are exchanged: halves are read with `interleaved=True` and turns "
            "without it.",
            implementation=_packed_swiglu(frozenset({"layout_inverted"})),
        ),
        Mistake(
            "odd_rows_gate",
            "With interleaved rows the gate is taken from rows 1, 3, 5, …; it comes first, in rows "
            "0, 2, 4, ….",
            points=3,
        ),
        Mistake(
            "turns_in_front",
            "With interleaved rows the slices run along the first axis (`[0::2]`); it is the last "
            "one in which gate and up take turns: `[..., 0::2]`.",
            _packed_swiglu(frozenset({"turns_in_front"})),
            points=3,
        ),
        Mistake(
            "residual",
            "The input is added to the result. That is the residual connection of chapter 4; here "
            "the layer alone is asked for.",
            implementation=_packed_swiglu(frozenset({"residual"})),
        ),
        Mistake(
            "gate_detached",
            "The output is right, but no gradient flows through the gate (`detach`, `no_grad`), "
            "so half of `gate_up` would not learn.",
            points=3,
            implementation=_packed_swiglu(frozenset({"gate_detached"})),
        ),
        Mistake(
            "no_gradient",
            "The output is right, but it is cut off from autograd (`detach`, `.data`, `no_grad`), "
            "so nothing could be learned.",
            points=3,
        ),
        Mistake(
            "weight_data",
            "The output is right, but `gate_up` is used as `.data` or detached, so it would never "
            "learn.",
            _packed_like(lambda module, x: _packed_swiglu().forward(_frozen(module, "gate_up"), x)),
            points=3,
        ),
        Mistake(
            "down_data",
            "The output is right, but `down` is used as `.data` or detached, so it would never "
            "learn.",
            _packed_like(lambda module, x: _packed_swiglu().forward(_frozen(module, "down"), x)),
            points=3,
        ),
        Mistake(
            "split_tokens",
            "The split runs along the tokens (`dim=1`), so half of the tokens serve as gates for "
            "the others; split the last axis, `dim=-1`.",
            _packed_like(_split_tokens),
            section=_ALONE,
        ),
        Mistake(
            "split_front",
            "The split runs along the first axis (`dim=0`, which is the default of `chunk` and "
            "`split`); split the last axis, `dim=-1`.",
            _packed_like(_split_front),
            section=_ALONE,
        ),
        Mistake(
            "turns_made",
            "With interleaved rows the numbers are put into turns once more, instead of taken out "
            "of them ([2, wide] where [wide, 2] belongs): gates are 0, 2, 4, ….",
            _packed_like(_turns_made),
            points=3,
        ),
        Mistake(
            "library_glu",
            "`F.glu` multiplies the *first* half with the sigmoid of the *second*. Here the gate "
            "is the first half, and it passes through SiLU.",
            _packed_like(lambda module, x: module.down(F.glu(module.gate_up(x)))),
        ),
        Mistake(
            "three_axes_only",
            "It fails unless the input has three axes, because it slices with `[:, :, …]`. Write "
            "`[..., …]`: the layer acts on the last axis, whatever stands in front of it.",
            _packed_like(_three_axes_only),
            section=_ALONE,
        ),
        Mistake(
            "down_activated",
            "SiLU is applied to the output as well; it belongs to the gate alone.",
            _packed_like(lambda module, x: F.silu(_right_wide(module, x))),
        ),
        Mistake(
            "down_missing",
            "These are the wide vectors; the map back to the hidden size, `down`, is missing.",
            _packed_like(lambda module, x: _packed_swiglu().forward(_without_down(module), x)),
            section=_SWIGLU,
        ),
        Mistake(
            "softmax_gate",
            "The gate passes through a softmax, so that the neurons compete; each neuron has a "
            "gate of its own, silu(x) = x·σ(x).",
            _packed_like(lambda module, x: _gated_by(module, x, lambda g: g.softmax(-1))),
        ),
        Mistake(
            "tanh_gate",
            "The gate passes through tanh; SwiGLU takes silu(x) = x·σ(x).",
            _packed_like(lambda module, x: _gated_by(module, x, torch.tanh)),
        ),
        Mistake(
            "dropout",
            "`F.dropout` is alive in evaluation mode: it drops unless it is told "
            "`training=self.training`. This layer has no dropout.",
            _packed_like(lambda module, x: F.dropout(_right_wide(module, x), 0.1)),
            section=_COMMON,
        ),
        Mistake(
            "biases",
            "The maps have biases; in this layer they have none (`bias=False`).",
            _packed_like(_right_wide, _build_biases),
        ),
        Mistake(
            "separate_maps",
            "There is no map of the name `gate_up`: gate and up stand in one, under this name, "
            "with 2 × intermediate_size rows.",
            _packed_like(_right_wide, _build_separate),
        ),
        Mistake(
            "plain_list",
            "The maps are kept in a Python list or dictionary, where a module does not see their "
            "parameters. Assign each to `self`, as `self.gate_up` and `self.down`.",
            _packed_like(_right_wide, _build_list),
        ),
        Mistake(
            "wrong_gate_up",
            "`gate_up.weight` has the wrong shape: as `nn.Linear` keeps it, [out, in], with one "
            "row for each gate and one for each up.",
            _packed_like(_right_wide, _build_narrow),
            same_results=(_packed_like(_right_wide, _build_transposed),),
        ),
        Mistake(
            "wrong_down",
            "`down.weight` has the wrong shape: gate times up has intermediate_size numbers, not "
            "twice as many.",
            _packed_like(_right_wide, _build_wide_down),
        ),
        Mistake(
            "changed_input",
            "The input is changed in place; the caller still needs it (the residual connection, "
            "for one).",
            _packed_like(_changes_input),
        ),
    ),
)


class _Stand:
    """Some of a module's parts under their names, for a ``forward`` that is called by hand."""

    def __init__(self, module: nn.Module, **parts) -> None:
        self.interleaved, self.gate_up, self.down = module.interleaved, module.gate_up, module.down
        for name, part in parts.items():
            setattr(self, name, part)


def _frozen(module: nn.Module, name: str) -> _Stand:
    weight = getattr(module, name).weight
    return _Stand(module, **{name: lambda x: F.linear(x, weight.detach())})


def _without_down(module: nn.Module) -> _Stand:
    return _Stand(module, down=lambda wide: wide)


def _gated_by(module: nn.Module, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    both = module.gate_up(x)
    gate, up = (both[..., ::2], both[..., 1::2]) if module.interleaved else both.chunk(2, -1)
    return module.down(function(gate) * up)


# ---- Exercise 3: move_weights ------------------------------------------------------------------

_NAMES = {
    "linear": ("intermediate", "output"),
    "gpt2": ("c_fc", "c_proj"),
    "convolution": ("wider", "back"),
}


def _move_weights(mistakes: frozenset[str] = frozenset()) -> Callable:
    """The reference of the exercise, with mistakes to order."""

    def turned(weight: Tensor) -> Tensor:
        if "reshaped" in mistakes:
            return weight.reshape(weight.size(1), weight.size(0))
        return weight.T

    def move_weights(state, source, target):
        sources, targets = _NAMES[source], _NAMES[target]
        if "maps_exchanged" in mistakes and source != target:
            targets = targets[::-1]
        if "names_kept" in mistakes:
            targets = sources
        moved = {}
        for old, new in zip(sources, targets, strict=True):
            weight = state[f"{old}.weight"]
            if source == "gpt2" and "not_turned_from" not in mistakes:
                weight = turned(weight)
            if source == "convolution" and "axis_kept" not in mistakes:
                weight = weight.squeeze() if "squeezed_all" in mistakes else weight.squeeze(-1)
            if target == "gpt2" and "not_turned_to" not in mistakes:
                weight = turned(weight) if weight.dim() == 2 else weight.transpose(0, 1)
            if target == "convolution" and "axis_missing" not in mistakes:
                axis = (
                    0 if "axis_in_front" in mistakes else 1 if "axis_in_middle" in mistakes else 2
                )
                weight = weight if weight.dim() > 2 else weight.unsqueeze(axis)
            if "shared" not in mistakes:
                weight = weight.clone()
            if "not_contiguous" not in mistakes:
                weight = weight.contiguous()
            moved[f"{new}.weight"] = weight
            bias = state.get(f"{old}.bias")
            if bias is not None and "no_bias" not in mistakes:
                moved[f"{new}.bias"] = bias if "bias_shared" in mistakes else bias.clone()
        return moved

    return move_weights


_RIGHT_MOVE = _move_weights()


def _turned_once(state, source, target):
    """The transposes of both ends taken for one: from gpt2 to gpt2 it transposes."""
    right = _move_weights()
    if source == target == "gpt2":
        moved = right(state, source, target)
        return {
            name: tensor.T.contiguous() if tensor.dim() == 2 else tensor
            for name, tensor in moved.items()
        }
    return right(state, source, target)


def _move_cases(generator: torch.Generator) -> list[Case]:
    def draw(source, target, hidden=None, wide=None, bias=True, dtype=torch.float32):
        hidden = hidden or _sizes(generator, 1, low=3)[0]
        wide = wide or _wide(generator)
        state = {}
        for name, out, into in zip(_NAMES[source], (wide, hidden), (hidden, wide), strict=True):
            weight = _normal(generator, out, into).to(dtype)
            if source == "gpt2":
                weight = weight.T.contiguous()
            if source == "convolution":
                weight = weight.unsqueeze(-1)
            state[f"{name}.weight"] = weight
            if bias:
                state[f"{name}.bias"] = _normal(generator, out).to(dtype)
        return (("state", state), ("source", source), ("target", target))

    saved = {"driver": drivers.to_be_saved}
    return [
        Case("linear → gpt2", "core", draw("linear", "gpt2")),
        Case("gpt2 → linear", "core", draw("gpt2", "linear")),
        Case("gpt2 → linear, as wide as the input", "core", draw("gpt2", "linear", 5, 5)),
        Case("linear → gpt2, float64", "core", draw("linear", "gpt2", dtype=torch.float64)),
        Case("linear → convolution", "convolution", draw("linear", "convolution")),
        Case("convolution → linear", "convolution", draw("convolution", "linear")),
        Case("gpt2 → convolution", "convolution", draw("gpt2", "convolution")),
        Case("convolution → gpt2, one neuron", "convolution", draw("convolution", "gpt2", wide=1)),
        Case("no biases", "file", draw("gpt2", "linear", bias=False)),
        Case("gpt2 → linear, to be saved", "file", draw("gpt2", "linear"), **saved),
        Case("linear → linear, to be saved", "file", draw("linear", "linear"), **saved),
        Case("gpt2 → gpt2, to be saved", "file", draw("gpt2", "gpt2"), **saved),
        Case("convolution → convolution", "convolution", draw("convolution", "convolution")),
    ]


def _move_with_modules(state, source, target):
    """Fill modules of PyTorch and read their state, one map at a time."""
    moved = {}
    for old, new in zip(_NAMES[source], _NAMES[target], strict=True):
        weight, bias = state[f"{old}.weight"], state.get(f"{old}.bias")
        weight = weight.permute(1, 0) if source == "gpt2" else weight.flatten(1)
        out, into = weight.shape
        like = {"bias": bias is not None, "dtype": weight.dtype}
        if target == "convolution":
            module, weight = nn.Conv1d(into, out, kernel_size=1, **like), weight[:, :, None]
        elif target == "linear":
            module = nn.Linear(into, out, **like)
        else:
            module, weight = nn.Linear(out, into, bias=False, dtype=weight.dtype), weight.T
            module.bias = None if bias is None else nn.Parameter(torch.empty_like(bias))
        with torch.no_grad():
            module.weight.copy_(weight)
            if bias is not None:
                module.bias.copy_(bias)
        moved |= {f"{new}.{key}": value.detach() for key, value in module.state_dict().items()}
    return moved


def _move_with_table(state, source, target):
    """Through the layout of ``nn.Linear``, with a function for each step, on a deep copy."""
    state = copy.deepcopy(state)
    into = {
        "linear": lambda w: w,
        "gpt2": lambda w: torch.einsum("io->oi", w),
        "convolution": lambda w: w[..., 0],
    }
    out = {
        "linear": lambda w: w,
        "gpt2": lambda w: torch.einsum("oi->io", w),
        "convolution": lambda w: w[..., None],
    }
    renamed = dict(zip(_NAMES[source], _NAMES[target], strict=True))
    moved = {}
    for name, tensor in state.items():
        module, kind = name.rsplit(".", 1)
        if kind == "weight":
            tensor = out[target](into[source](tensor))
        moved[f"{renamed[module]}.{kind}"] = tensor.contiguous()
    return moved


def _move_by_loop(state, source, target):
    moved = {}
    for old, new in zip(_NAMES[source], _NAMES[target], strict=True):
        weight = state[f"{old}.weight"]
        if source == "gpt2":
            weight = torch.stack(list(weight.unbind(1)))
        elif source == "convolution":
            weight = weight.sum(-1)
        else:
            weight = torch.empty_like(weight).copy_(weight)
        if target == "gpt2":
            weight = torch.stack(list(weight.unbind(1)))
        elif target == "convolution":
            weight = weight.reshape(*weight.shape, 1)
        moved[new + ".weight"] = weight
        if old + ".bias" in state:
            moved[new + ".bias"] = state[old + ".bias"] * 1
    return moved


def _move_with_array(state, source, target):
    moved = {}
    for name, tensor in state.items():
        tensor = torch.from_numpy(tensor.numpy().copy())
        module, kind = name.split(".")
        if kind == "weight":
            tensor = tensor.swapaxes(0, 1) if (source == "gpt2") != (target == "gpt2") else tensor
            if source == "convolution" != target:
                tensor = tensor.squeeze(2)
            if target == "convolution" != source:
                tensor = tensor.unsqueeze(2)
        place = _NAMES[source].index(module)
        moved[f"{_NAMES[target][place]}.{kind}"] = torch.clone(
            tensor, memory_format=torch.contiguous_format
        )
    return moved


def _move_in_place(state, source, target):
    moved = _RIGHT_MOVE(state, source, target)
    state.clear()
    state.update(moved)
    return state


def _move_needs_biases(state, source, target):
    state[f"{_NAMES[source][0]}.bias"], state[f"{_NAMES[source][1]}.bias"]
    return _RIGHT_MOVE(state, source, target)


def _after_moving(change: Callable[[str, Tensor, str, str], Tensor]) -> Callable:
    """The right result with ``change(name, tensor, source, target)`` made to each tensor."""

    def move_weights(state, source, target):
        moved = _RIGHT_MOVE(state, source, target)
        return {name: change(name, t, source, target) for name, t in moved.items()}

    return move_weights


def _biases_as_columns(name, tensor, source, target):
    if tensor.dim() > 1:
        return tensor
    if target == "convolution" != source:
        return tensor.unsqueeze(-1)
    return tensor


def _only_first_turned(state, source, target):
    moved = _RIGHT_MOVE(state, source, target)
    if (source == "gpt2") != (target == "gpt2"):
        name = f"{_NAMES[target][1]}.weight"
        moved[name] = moved[name].transpose(0, 1).contiguous()
    return moved


def _only_second_turned(state, source, target):
    moved = _RIGHT_MOVE(state, source, target)
    if (source == "gpt2") != (target == "gpt2"):
        name = f"{_NAMES[target][0]}.weight"
        moved[name] = moved[name].transpose(0, 1).contiguous()
    return moved


def _turned_if_needed(state, source, target):
    """Guess from the shapes whether to transpose; a square matrix is left as it is."""
    moved = _RIGHT_MOVE(state, source, target)
    if (source == "gpt2") != (target == "gpt2"):
        for name, tensor in moved.items():
            if name.endswith("weight") and tensor.size(0) == tensor.size(1):
                moved[name] = tensor.transpose(0, 1).contiguous()
    return moved


def _always_turned(state, source, target):
    """Transpose for convolutions, too."""
    moved = _RIGHT_MOVE(state, source, target)
    if "convolution" in (source, target) and "gpt2" not in (source, target):
        moved = {n: t.transpose(0, 1).contiguous() if t.dim() > 1 else t for n, t in moved.items()}
    return moved


def _renames_only(state, source, target):
    renamed = dict(zip(_NAMES[source], _NAMES[target], strict=True))
    return {
        f"{renamed[module]}.{kind}": tensor.clone()
        for (module, kind), tensor in ((name.split("."), t) for name, t in state.items())
    }


MOVE_WEIGHTS = Exercise(
    id="move_weights",
    title="Moving house",
    signature="move_weights(state, source, target)",
    reference=_RIGHT_MOVE,
    cases=_move_cases,
    parts=(
        Part("core", "between nn.Linear and GPT-2", 2),
        Part("convolution", "to and from a convolution of width 1", 1),
        Part("file", "ready to be saved, with or without biases", 1),
    ),
    minutes=20,
    difficulty=2,
    section=_CONVOLUTION,
    variant=_move_weights,
    alternatives={
        "modules": _move_with_modules,
        "a table of functions": _move_with_table,
        "loops": _move_by_loop,
        "through another library": _move_with_array,
        "parameters": lambda state, source, target: {
            name: nn.Parameter(tensor)
            for name, tensor in _RIGHT_MOVE(state, source, target).items()
        },
    },
    mistakes=(
        Mistake(
            "not_turned_from",
            "Weights that come from the GPT-2 layout are not transposed. There they are [in, out]; "
            "the other layouts keep [out, in].",
        ),
        Mistake(
            "not_turned_to",
            "Weights that go to the GPT-2 layout are not transposed. There they are [in, out]; the "
            "other layouts keep [out, in].",
        ),
        Mistake(
            "reshaped",
            "`view` or `reshape` stands where `transpose` belongs: the shape is right, but the "
            "numbers stay in their order and end up with other neurons.",
            section=_COMMON,
        ),
        Mistake(
            "maps_exchanged",
            "The two maps are exchanged: `intermediate`, `c_fc` and `wider` are the first map, "
            "`output`, `c_proj` and `back` the second.",
        ),
        Mistake(
            "names_kept",
            "The tensors keep their old names; `load_state_dict` of the new layout would not find "
            "them.",
        ),
        Mistake(
            "no_bias", "The biases are lost on the way: they move as they are, under new names."
        ),
        Mistake(
            "axis_kept",
            "Weights that come from a convolution keep their third axis, of size 1.",
            points=3,
        ),
        Mistake(
            "axis_missing",
            "Weights that go to a convolution lack the third axis, of size 1, which stands for "
            "the width of the window.",
            points=3,
        ),
        Mistake(
            "axis_in_front",
            "Weights that go to a convolution got their axis of size 1 in front; it is the last "
            "one, [out, in, 1].",
            points=3,
            implementation=_move_weights(frozenset({"axis_in_front"})),
        ),
        Mistake(
            "axis_in_middle",
            "Weights that go to a convolution got their axis of size 1 in the middle; it is the "
            "last one, [out, in, 1].",
            points=3,
            implementation=_move_weights(frozenset({"axis_in_middle"})),
        ),
        Mistake(
            "squeezed_all",
            "`squeeze()` without an axis removes every axis of size 1, also that of a layer with "
            "one neuron. Name the axis: `squeeze(-1)`.",
            points=3,
        ),
        Mistake(
            "bias_shared",
            "The numbers are right, but the biases are those of the old state, the same memory: "
            "training one model would change the other. Copy them (`clone()`).",
            points=3,
        ),
        Mistake(
            "shared_weights",
            "The numbers are right, but where nothing is transposed the weights are those of the "
            "old state, the same memory: training one model would change the other. Copy them "
            "(`clone()`).",
            lambda state, source, target: {
                name: state.get(name, tensor) if name.endswith("weight") else tensor
                for name, tensor in _RIGHT_MOVE(state, source, target).items()
            },
            points=3,
        ),
        Mistake(
            "not_contiguous",
            "The numbers are right, but a transposed tensor is a view that is read across its "
            "memory (and `clone()` keeps that order). Files of weights want `.contiguous()`.",
            points=3,
        ),
        Mistake(
            "views_and_shared",
            "The numbers are right, but the weights are views of the old ones: those that are "
            "transposed are not contiguous, the others are the old memory itself. Make contiguous "
            "copies, of the biases too.",
            _move_weights(frozenset({"not_contiguous", "shared", "bias_shared"})),
            points=3,
        ),
        Mistake(
            "turned_if_needed",
            "A square weight is not transposed. Whether to transpose follows from the layout, "
            "never from the shape: a square weight fits either way, and is wrong one way.",
            _turned_if_needed,
        ),
        Mistake(
            "turned_once",
            "From the GPT-2 layout to itself the weights are transposed; nothing is to be turned "
            "there (or twice, once out of the layout and once into it).",
            _turned_once,
            points=3,
        ),
        Mistake(
            "only_first_turned",
            "Only the first map is transposed; the GPT-2 layout keeps both as [in, out].",
            _only_first_turned,
        ),
        Mistake(
            "only_second_turned",
            "Only the second map is transposed; the GPT-2 layout keeps both as [in, out].",
            _only_second_turned,
        ),
        Mistake(
            "convolution_turned",
            "Weights are transposed on the way between `nn.Linear` and a convolution. Both keep "
            "[out, in]; the convolution only has one axis more.",
            _always_turned,
            points=3,
        ),
        Mistake(
            "bias_as_column",
            "The biases got an axis of size 1 for the convolution; they stay [out].",
            _after_moving(_biases_as_columns),
            points=3,
        ),
        Mistake(
            "renames_only",
            "The tensors get their new names and nothing else: they must be transposed from and "
            "to the GPT-2 layout, and a convolution has one axis more.",
            _renames_only,
        ),
        Mistake(
            "needs_biases",
            "It fails when the state holds no biases: move what is there, and nothing else.",
            _move_needs_biases,
            points=3,
            any_error=True,
        ),
        Mistake(
            "none_for_no_bias",
            "Where the state holds no bias, the result has the name with `None`; leave it out.",
            lambda state, source, target: {
                **{f"{name}.bias": None for name in _NAMES[target]},
                **_RIGHT_MOVE(state, source, target),
            },
            points=3,
        ),
        Mistake(
            "zeros_for_no_bias",
            "Where the state holds no bias, one of zeros is made up; leave it out.",
            lambda state, source, target: {
                **_made_up_biases(state, source, target),
                **_RIGHT_MOVE(state, source, target),
            },
            points=3,
        ),
        Mistake(
            "float32",
            "The result is float32 whatever came in: float64 weights lose half of their digits.",
            _after_moving(lambda name, tensor, source, target: tensor.float()),
        ),
        Mistake(
            "changed_state",
            "The state that was given is changed (`pop`, or new entries in the same dictionary); "
            "the caller still needs it. Fill a new dictionary.",
            _move_in_place,
        ),
        Mistake(
            "pairs",
            "The result is a list of pairs; return a dictionary, as `load_state_dict` wants it.",
            lambda *arguments: list(_RIGHT_MOVE(*arguments).items()),
            same_results=(lambda *arguments: tuple(_RIGHT_MOVE(*arguments).items()),),
        ),
    ),
)


def _made_up_biases(state, source, target):
    moved = _RIGHT_MOVE(state, source, target)
    outs = {name: moved[f"{name}.weight"].size(int(target == "gpt2")) for name in _NAMES[target]}
    return {f"{name}.bias": torch.zeros(out) for name, out in outs.items()}


# ---- Exercise 4: RepairedStack -----------------------------------------------------------------


def _repaired_stack(mistakes: frozenset[str] = frozenset()) -> type[nn.Module]:
    """The module of the exercise; its four bugs are four of the mistakes to order."""

    class Layer(nn.Module):
        def __init__(self, hidden_size, intermediate_size, dropout):
            super().__init__()
            self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
            self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
            self.dropout = 0.1 if "rate_fixed" in mistakes else dropout

        def drop(self, x):
            if "not_dropped" in mistakes:
                return x
            training = self.training or "alive" in mistakes
            if "inverted" in mistakes:
                training = not self.training
            return F.dropout(x, self.dropout, training=training)

        def forward(self, x):
            batch, tokens, hidden = x.shape
            into = x.transpose(1, 2)
            if mistakes & {"reshaped", "reshaped_in"}:
                into = x.reshape(batch, hidden, tokens)
            wide = self.wider(into)
            if "discarded" not in mistakes:
                wide = F.gelu(wide, approximate="tanh" if "tanh_form" in mistakes else "none")
            if "dropped_inside" in mistakes:
                wide = self.drop(wide)
            update = self.back(wide)
            if mistakes & {"reshaped", "reshaped_out"}:
                update = update.reshape(batch, tokens, hidden)
            else:
                update = update.transpose(1, 2)
            return update if "dropped_inside" in mistakes else self.drop(update)

    class RepairedStack(nn.Module):
        def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
            super().__init__()
            size = (hidden_size, intermediate_size, dropout)
            if "shared" in mistakes:
                self.layers = nn.ModuleList([Layer(*size)] * num_layers)
            else:
                self.layers = nn.ModuleList(Layer(*size) for _ in range(num_layers))

        def forward(self, x):
            for layer in self.layers:
                x = layer(x) if "no_residual" in mistakes else x + layer(x)
            return x

    return RepairedStack


def _stack_cases(generator: torch.Generator) -> list[Case]:
    def draw(layers, batch=None, tokens=None, dropout=0.0, square=False):
        n_b, n_t, hidden = _sizes(generator, 3)
        wide, batch, tokens = _wide(generator), batch or n_b, tokens or n_t
        tokens = hidden if square else tokens
        state = {}
        for layer in range(layers):
            for name, out, into in (("wider", wide, hidden), ("back", hidden, wide)):
                start = f"layers.{layer}.{name}"
                size = 1.0 if name == "wider" else 0.5
                state[f"{start}.weight"] = _normal(generator, out, into, 1, size=size)
                state[f"{start}.bias"] = _normal(generator, out, size=0.7)
        x = _normal(generator, batch, tokens, hidden)
        return [hidden, wide, layers, dropout], state, x

    def case(title, part, driver, drawn, nested=True):
        init, state, x = drawn
        last = ("inputs", [x]) if nested else ("x", x)
        return Case(title, part, (("init", init), ("state", state), last), driver=driver)

    run = check.run_module
    return [
        case("one layer", "core", run, draw(1)),
        case("three layers", "core", run, draw(3)),
        case("as many tokens as numbers in a token", "core", run, draw(2, square=True)),
        case("a single token in a batch of one", "core", run, draw(2, batch=1, tokens=1)),
        case(
            "one token is changed",
            "core",
            drivers.change_one_token,
            draw(2, tokens=4),
            nested=False,
        ),
        case(
            "evaluation, twice",
            "core",
            drivers.run_twice,
            draw(2, dropout=0.5),
            nested=False,
        ),
        case("gradients in every layer", "trained", check.train_module, draw(2)),
        case(
            "dropout in training",
            "trained",
            drivers.train_with_dropout,
            draw(1, batch=3, tokens=100, dropout=0.4),
            nested=False,
        ),
    ]


def _linear_stack(hidden_size, intermediate_size, num_layers, dropout=0.1):
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
            self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
            self.dropout = nn.Dropout(dropout)

        def forward(self, x):
            wide = F.gelu(F.linear(x, self.wider.weight.squeeze(-1), self.wider.bias))
            return self.dropout(F.linear(wide, self.back.weight.squeeze(-1), self.back.bias))

    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList()
            for _ in range(num_layers):
                self.layers.append(Layer())

        def forward(self, x):
            for layer in self.layers:
                x = x + layer(x)
            return x

    return Stack()


class _CopiedStack(nn.Module):
    """Deep copies of one layer; the residual inside the layer; ``permute`` and ``nn.GELU``."""

    class Layer(nn.Module):
        def __init__(self, hidden_size: int, intermediate_size: int, dropout: float) -> None:
            super().__init__()
            self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
            self.gelu = nn.GELU()
            self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
            self.p = dropout

        def forward(self, x: Tensor) -> Tensor:
            wide = self.gelu(self.wider(x.permute(0, 2, 1)))
            update = self.back(wide).permute(0, 2, 1)
            return x + (F.dropout(update, self.p) if self.training else update)

    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        one = self.Layer(hidden_size, intermediate_size, dropout)
        self.layers = nn.Sequential(*[copy.deepcopy(one) for _ in range(num_layers)])

    def forward(self, x):
        return self.layers(x)


class _ChannelsFirstStack(nn.Module):
    """Channels first from beginning to end, and one layer's parts in a dictionary."""

    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "wider": nn.Conv1d(hidden_size, intermediate_size, 1),
                    "back": nn.Conv1d(intermediate_size, hidden_size, 1),
                }
            )
            for _ in range(num_layers)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = x.mT
        for layer in self.layers:
            wide = layer["wider"](x)
            wide = wide * torch.special.ndtr(wide)
            x = x + self.dropout(layer["back"](wide))
        return x.mT


class _LoopStack(_CopiedStack):
    """Each token by itself."""

    def forward(self, x):
        return torch.cat([self.layers(x[:, i : i + 1]) for i in range(x.size(1))], dim=1)


def _stack_like(forward: Callable, build: Callable | None = None) -> type[nn.Module]:
    """The right parameters, or those of ``build``, with another ``forward(module, x)``."""

    class RepairedStack(_CopiedStack):
        def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
            super().__init__(hidden_size, intermediate_size, num_layers, dropout)
            if build is not None:
                build(self, hidden_size, intermediate_size, num_layers)

        def forward(self, x):
            return forward(self, x)

    return RepairedStack


def _drop_sum(module, x):
    for layer in module.layers:
        p, layer.p = layer.p, 0.0
        x = F.dropout(layer(x), p, module.training)
        layer.p = p
    return x


def _parallel(module, x):
    return x + sum(layer(x) - x for layer in module.layers)


def _first_only(module, x):
    return module.layers[0](x)


def _last_only(module, x):
    return module.layers[-1](x)


def _one_less(module, x):
    return module.layers[: max(1, len(module.layers) - 1)](x)


def _gelu_late(module, x):
    for layer in module.layers:
        update = layer.back(layer.gelu(layer.wider(x.mT))).mT
        x = x + F.dropout(F.gelu(update), layer.p, module.training)
    return x


def _gelu_first(module, x):
    for layer in module.layers:
        update = layer.back(layer.wider(F.gelu(x).mT)).mT
        x = x + F.dropout(update, layer.p, module.training)
    return x


def _relu_inside(module, x):
    for layer in module.layers:
        update = layer.back(F.relu(layer.wider(x.mT))).mT
        x = x + F.dropout(update, layer.p, module.training)
    return x


def _not_channels_first(module, x):
    for layer in module.layers:
        x = x + F.dropout(layer.back(F.gelu(layer.wider(x))), layer.p, module.training)
    return x


def _in_place(module, x):
    for layer in module.layers:
        update = layer(x) - x
        with torch.no_grad():
            x += update
    return x


def _list_of_layers(module, hidden, wide, layers):
    layers = list(module.layers)
    del module.layers
    module.layers = layers


def _linear_layers(module, hidden, wide, layers):
    for layer in module.layers:
        layer.wider, layer.back = nn.Linear(hidden, wide), nn.Linear(wide, hidden)


def _wide_window(module, hidden, wide, layers):
    for layer in module.layers:
        layer.wider = nn.Conv1d(hidden, wide, 3, padding=1)
        layer.back = nn.Conv1d(wide, hidden, 3, padding=1)


_BUGS = {
    "shared": "all layers are one and the same object (`[layer] * n`)",
    "discarded": "the result of `F.gelu` is not kept, so there is no activation",
    "reshaped": "`reshape` stands where `transpose` belongs, so tokens are mixed",
    "alive": "`F.dropout` drops in evaluation mode too, unless it is told `training=self.training`",
}


def _several_left() -> list[Mistake]:
    """Three or four of the bugs still there; the engine itself makes pairs of them."""
    mistakes = []
    for count in (3, 4):
        for left in combinations(_BUGS, count):
            number = {3: "Three bugs are", 4: "All four bugs are"}[count]
            message = f"{number} still there: {'; '.join(_BUGS[bug] for bug in left)}."
            mistakes.append(Mistake("_and_".join(left), message, _repaired_stack(frozenset(left))))
    return mistakes


REPAIRED_STACK = Exercise(
    id="RepairedStack",
    title="Bug hunt: a stack that runs",
    signature="class RepairedStack(hidden_size, intermediate_size, num_layers, dropout=0.1)",
    reference=_repaired_stack(),
    cases=_stack_cases,
    parts=(
        Part("core", "all four bugs are gone", 3),
        Part("trained", "every layer learns; dropout still drops in training", 1),
    ),
    minutes=20,
    difficulty=2,
    section=_COMMON,
    variant=_repaired_stack,
    alternatives={
        "linear maps on the convolutions' weights": _linear_stack,
        "copies of one layer": _CopiedStack,
        "channels first": _ChannelsFirstStack,
        "token by token": _LoopStack,
    },
    mistakes=(
        Mistake(
            "shared",
            "One bug is still there: `[layer] * n` is n times the same object, so the weights of "
            "the last layer serve all. Build a new layer for each place.",
        ),
        Mistake(
            "discarded",
            "One bug is still there: `F.gelu` does not change its argument, it returns a new "
            "tensor, and that is thrown away. Without it the two maps are one.",
            section=_BEND,
        ),
        Mistake(
            "reshaped",
            "One bug is still there: `reshape` brings [batch, tokens, hidden] into the right shape "
            "but leaves the numbers in their order, so tokens are mixed. Exchange the axes with "
            "`transpose(1, 2)`, before and behind.",
        ),
        Mistake(
            "alive",
            "One bug is still there: `F.dropout` drops in evaluation mode too, unless it is told "
            "`training=self.training`. (`nn.Dropout` knows its mode.)",
        ),
        *_several_left(),
        Mistake(
            "reshaped_in",
            "The way back is a transpose now, but the way into the convolution is still a "
            "`reshape`, which mixes tokens.",
        ),
        Mistake(
            "reshaped_out",
            "The way into the convolution is a transpose now, but the way back is still a "
            "`reshape`, which mixes tokens.",
        ),
        Mistake(
            "no_residual",
            "The layers' results are no longer added to what they were given (`x + layer(x)`): "
            "that was no bug.",
        ),
        Mistake(
            "tanh_form",
            "The activation is the tanh form of GELU now; the broken code called the exact one, "
            "`F.gelu(wide)`.",
            section=_FORMS,
        ),
        Mistake(
            "not_dropped",
            "Dropout is gone altogether: in training mode nothing is dropped. It was only wrong "
            "in evaluation mode.",
            points=3,
            section=_MODULE,
        ),
        Mistake(
            "dropped_inside",
            "Dropout stands before the second map; it belongs behind it, where it was.",
            points=3,
            section=_MODULE,
        ),
        Mistake(
            "rate_fixed",
            "The rate of dropout is not the one that was asked for: use the argument `dropout`.",
            points=3,
            section=_MODULE,
        ),
        Mistake(
            "inverted",
            "Dropout is the wrong way round: it drops in evaluation mode and not in training.",
            _repaired_stack(frozenset({"inverted"})),
            section=_MODULE,
        ),
        Mistake(
            "dropped_sum",
            "Dropout is applied after the addition, so it hits the tokens themselves; it belongs "
            "to the update, before it is added.",
            _stack_like(_drop_sum),
            points=3,
            section=_MODULE,
        ),
        Mistake(
            "relu",
            "The activation is ReLU now; the broken code called the exact GELU.",
            _stack_like(_relu_inside),
            section=_ACTIVATIONS,
        ),
        Mistake(
            "activated_first",
            "GELU is applied before the first map; it belongs between the two.",
            _stack_like(_gelu_first),
        ),
        Mistake(
            "activation_twice",
            "GELU is applied to the update as well; it belongs between the two maps only.",
            _stack_like(_gelu_late),
        ),
        Mistake(
            "parallel",
            "Every layer is given the input of the stack; each must be given what the one before "
            "returned.",
            _stack_like(_parallel),
        ),
        Mistake(
            "first_only",
            "Only the first layer runs (a `return` inside the loop?).",
            _stack_like(_first_only),
        ),
        Mistake("last_only", "Only the last layer has an effect.", _stack_like(_last_only)),
        Mistake("one_less", "The last layer does not run.", _stack_like(_one_less)),
        Mistake(
            "added_twice",
            "The input is added twice, inside the layer and outside it.",
            _stack_like(lambda module, x: _added_twice(module, x)),
        ),
        Mistake(
            "no_gradient",
            "The output is right, but it is cut off from autograd (`detach`, `no_grad`), so "
            "nothing could be learned.",
            _stack_like(lambda module, x: module.layers(x).detach()),
            points=3,
        ),
        Mistake(
            "changed_input",
            "The input is changed in place (`x += …`); the caller still needs it. Write "
            "`x = x + …`.",
            _stack_like(_in_place),
        ),
        Mistake(
            "plain_list",
            "The layers are kept in a Python list, where a module does not see their parameters. "
            "Use `nn.ModuleList`.",
            _stack_like(lambda module, x: x, _list_of_layers),
        ),
        Mistake(
            "not_transposed",
            "The axes do not fit: a convolution wants [batch, hidden, tokens]. Exchange axes 1 and "
            "2 before it, and again behind it.",
            _stack_like(_not_channels_first),
            section=_CONVOLUTION,
        ),
        Mistake(
            "linear_layers",
            "`wider` and `back` are no convolutions of width 1 any more: their weights must keep "
            "the shape [out, in, 1], because saved weights have it.",
            _stack_like(lambda module, x: x, _linear_layers),
        ),
        Mistake(
            "wide_window",
            "The windows are 3 tokens wide; with more than 1, a token sees its neighbours.",
            _stack_like(lambda module, x: x, _wide_window),
        ),
    ),
)


def _added_twice(module: nn.Module, x: Tensor) -> Tensor:
    for layer in module.layers:
        x = x + layer(x)
    return x


# ---- Exercise 5: test_feed_forward -------------------------------------------------------------

_HEAD = "def feed_forward(x, w_1, b_1, w_2, b_2):\n"


def _source(*lines: str) -> str:
    """The source of an implementation from the lines of its body."""
    return _HEAD + "".join(f"    {line}\n" for line in lines)


_PLAIN = _source("return F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2")
_RIGHT = {
    "plain": _PLAIN,
    "linear": _source("return F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)"),
    "einsum": _source(
        "wide = torch.einsum('bth,wh->btw', x, w_1) + b_1",
        "wide = 0.5 * wide * (1 + torch.erf(wide / 2**0.5))",
        "return torch.einsum('btw,hw->bth', wide, w_2) + b_2",
    ),
    "loop": _source(
        "rows = []",
        "for tokens in x:",
        "    rows.append(torch.stack([w_2 @ F.gelu(w_1 @ t + b_1) + b_2 for t in tokens]))",
        "return torch.stack(rows)",
    ),
    "convolution": _source(
        "wide = F.gelu(F.conv1d(x.transpose(-2, -1), w_1[:, :, None], b_1))",
        "return F.conv1d(wide, w_2[:, :, None], b_2).transpose(-2, -1)",
    ),
    "float64": _source(
        "wide = F.gelu(x.double() @ w_1.double().T + b_1.double())",
        "return (wide @ w_2.double().T + b_2.double()).to(x.dtype)",
    ),
    "neurons": _source(
        "output = b_2.expand_as(x)",
        "for j in range(len(w_1)):",
        "    on = F.gelu((x * w_1[j]).sum(-1, keepdim=True) + b_1[j])",
        "    output = output + on * w_2[:, j]",
        "return output",
    ),
    "halves": _source(
        "one, two = slice(0, len(w_1) // 2), slice(len(w_1) // 2, None)",
        "parts = [F.gelu(x @ w_1[s].T + b_1[s]) @ w_2[:, s].T for s in (one, two)]",
        "return b_2 + parts[0] + parts[1]",
    ),
    "own copy": _source(
        "wide = x.clone() @ w_1.T",
        "wide = wide + b_1",
        "output = F.gelu(wide) @ w_2.clone().T",
        "output += b_2",
        "return output",
    ),
}


def _plain_with(old: str, new: str) -> str:
    assert old in _PLAIN
    return _PLAIN.replace(old, new)


def _then(*lines: str) -> str:
    """The right numbers in ``y``, and then what a wrong implementation does with them."""
    return _source("y = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2", *lines)


_TANH_LINE = "F.gelu(x @ w_1.T + b_1, approximate='tanh')"
_WRONG = {
    "no activation": [_plain_with("F.gelu(x @ w_1.T + b_1)", "(x @ w_1.T + b_1)")],
    "late": [_source("return F.gelu((x @ w_1.T + b_1) @ w_2.T + b_2)")],
    "another activation": [_plain_with("gelu", name) for name in ("relu", "silu", "leaky_relu")],
    "residual": [_then("return x + y"), _then("return y + x / 2")],
    "tanh": [
        _plain_with("F.gelu(x @ w_1.T + b_1)", _TANH_LINE),
        _source(
            "wide = x @ w_1.T + b_1",
            "inner = (2 / math.pi) ** 0.5 * (wide + 0.044715 * wide**3)",
            "return (0.5 * wide * (1 + torch.tanh(inner))) @ w_2.T + b_2",
        ),
    ],
    "constant": [
        _source(
            "wide = x @ w_1.T + b_1",
            f"return (0.5 * wide * (1 + torch.erf(wide / {constant}))) @ w_2.T + b_2",
        )
        for constant in (1.41, 1.418)
    ],
    "first bias": [_plain_with(" + b_1", "")],
    "second bias": [_plain_with(" + b_2", ""), _plain_with("+ b_2", "+ 2 * b_2")],
    "late bias": [
        _plain_with("x @ w_1.T + b_1)", "x @ w_1.T + b_1 * 0) + b_1)").replace(
            "return F.gelu", "return (F.gelu"
        )
    ],
    "input changed": [
        # through `data` autograd does not notice it
        _then("x.data.mul_(2)", "return y"),
        _then("x.data += y.data", "return y"),
    ],
    "weights changed": [
        _then("w_1.data.mul_(0.5)", "return y"),
        _then("b_2.data += 1", "return y"),
    ],
    "detached": [
        _then("return y.detach()"),
        _source("with torch.no_grad():", "    return F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2"),
    ],
    "tokens mixed": [
        _source(
            f"x = x + {share} * (x.mean(1, keepdim=True) - x)",
            "return F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2",
        )
        for share in (0.1, 0.3)
    ],
    "order": [_then("return y.flip(1)"), _then("return y.roll(1, 1)")],
    "sequences mixed": [
        _source(
            f"x = x + {share} * (x.mean(0, keepdim=True) - x)",
            "return F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2",
        )
        for share in (0.1, 0.3)
    ]
    + [_then("return y[:1].expand_as(y)")],
}


_NUMBERS = "numbers compared with the right ones, place by place"
_FINE = "a tolerance of about 1e-5, where the numbers before the activation lie between −3 and 3"
_CLONES = "clones of all arguments, compared after the call"
_SHOWN_BY = {
    "no activation": _NUMBERS,
    "late": _NUMBERS,
    "another activation": _NUMBERS,
    "residual": _NUMBERS,
    "tanh": _FINE,
    "constant": _FINE,
    "first bias": "biases that are not zero",
    "second bias": "biases that are not zero",
    "late bias": "biases that are not zero",
    "tokens mixed": f"{_NUMBERS}, for several different tokens",
    "order": f"{_NUMBERS}, for several different tokens",
    "sequences mixed": f"{_NUMBERS}, for several different sequences",
    "input changed": _CLONES,
    "weights changed": _CLONES,
    "detached": "an argument that requires a gradient, and `backward()`",
}


def _test_cases(generator: torch.Generator) -> list[Case]:
    def draw(pool):
        return pool[int(torch.randint(len(pool), (), generator=generator))]

    def case(title, part, source, shown_by=""):
        arguments = (("source", source),)
        return Case(title, part, arguments, driver=drivers.examine_test, shown_by=shown_by)

    def right(title, part, *names):
        return case(f"right: {title}", part, _RIGHT[draw(names)])

    def wrong(title, part, name):
        return case(f"wrong: {title}", part, draw(_WRONG[name]), _SHOWN_BY[name])

    return [
        right("two lines of code", "core", "plain", "linear"),
        right("another style", "core", "einsum", "loop", "convolution"),
        right("another order of adding up", "core", "neurons", "halves"),
        right("works on copies of its own", "core", "own copy", "float64"),
        wrong("no activation", "core", "no activation"),
        wrong("the activation at the end", "core", "late"),
        wrong("another activation", "core", "another activation"),
        wrong("the input is added", "core", "residual"),
        wrong("the tanh form", "fine", "tanh"),
        wrong("a constant of GELU is rounded", "fine", "constant"),
        wrong("no bias in the first map", "fine", "first bias"),
        wrong("no bias in the second map, or twice", "fine", "second bias"),
        wrong("the first bias after the activation", "fine", "late bias"),
        wrong("mixes the tokens of a sequence", "rules", "tokens mixed"),
        wrong("mixes the sequences of a batch", "rules", "sequences mixed"),
        wrong("exchanges the tokens of a sequence", "rules", "order"),
        wrong("changes x", "rules", "input changed"),
        wrong("changes a weight or a bias", "rules", "weights changed"),
        wrong("no gradient comes back", "rules", "detached"),
    ]


def _examination(weak: frozenset[str] = frozenset()) -> Callable:
    """A test of feed-forward implementations, weak in the ways that are named."""

    def test_feed_forward(feed_forward):
        generator = torch.Generator().manual_seed(5)

        def normal(*shape):
            return torch.randn(*shape, generator=generator)

        shape = (1 if "one_sequence" in weak else 3, 1 if "one_token" in weak else 4, 6)
        arguments = [normal(*shape), normal(9, 6), normal(9), normal(6, 9), normal(6)]
        if "zero_biases" in weak:
            arguments[2].zero_(), arguments[4].zero_()
        given = [tensor.clone() for tensor in arguments]
        if not weak & {"no_gradient_checked", "values_only"}:
            # Of all gradients this one needs no other argument: changes to those stay unnoticed.
            given[2].requires_grad_()
        x, w_1, b_1, w_2, b_2 = arguments
        expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)
        if "tanh_expected" in weak:
            expected = F.linear(F.gelu(F.linear(x, w_1, b_1), approximate="tanh"), w_2, b_2)
        output = feed_forward(*given)
        tolerance = 1e-2 if "loose" in weak else 1e-5
        assert torch.allclose(output, expected, rtol=tolerance, atol=tolerance)
        for place, (is_now, was) in enumerate(zip(given, arguments, strict=True)):
            unseen = {"x_unseen"} if place == 0 else {"weights_unseen"}
            if not weak & (unseen | {"values_only", "arguments_unseen"}):
                assert torch.equal(is_now, was)
        if not weak & {"no_gradient_checked", "values_only"}:
            output.sum().backward()
            assert given[2].grad.abs().sum() > 0

    return test_feed_forward


def _examine_tokens(feed_forward):
    """Look only at whether tokens are treated by themselves."""
    arguments = [torch.randn(s) for s in ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))]
    x = arguments[0].clone()
    whole = feed_forward(*(tensor.clone() for tensor in arguments))
    for b in range(2):
        for t in range(3):
            one = feed_forward(x[b : b + 1, t : t + 1], *arguments[1:])
            assert torch.allclose(one[0, 0], whole[b, t], atol=1e-5)


def _examine_large(feed_forward):
    """Only positive numbers: GELU lets nearly everything pass."""
    x, w_1, b_1, w_2, b_2 = (
        torch.rand(s, generator=torch.Generator().manual_seed(1)) + 1
        for s in ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))
    )
    given = [t.clone().requires_grad_(t is w_1) for t in (x, w_1, b_1, w_2, b_2)]
    output = feed_forward(*given)
    expected = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2
    assert torch.allclose(output, expected, rtol=1e-4)
    assert all(map(torch.equal, given, (x, w_1, b_1, w_2, b_2)))
    output.sum().backward()


def _never_fails(feed_forward):
    try:
        _examination()(feed_forward)
    except Exception:
        return


def _examine_shape(feed_forward):
    arguments = [torch.randn(s) for s in ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))]
    assert feed_forward(*arguments).shape == (2, 3, 4)


def _always_fails(feed_forward):
    raise AssertionError


TEST_FEED_FORWARD = Exercise(
    id="test_feed_forward",
    title="Write the test that catches it",
    signature="test_feed_forward(feed_forward)",
    reference=_examination(),
    cases=_test_cases,
    parts=(
        Part("core", "accepts what is right, rejects what is plainly wrong", 2),
        Part("fine", "sees small differences and biases", 1),
        Part("rules", "sees mixing, changed arguments, lost gradients", 1),
    ),
    minutes=25,
    difficulty=3,
    section=_COMMON,
    variant=_examination,
    alternatives={
        "assert_close, all gradients": lambda feed_forward: _closely(feed_forward, torch.float32),
        "in float64": lambda feed_forward: _closely(feed_forward, torch.float64),
        "raises its own error": lambda feed_forward: _by_modules(feed_forward),
        "many sizes": lambda feed_forward: _many_sizes(feed_forward),
    },
    mistakes=(
        Mistake(
            "accepts_everything",
            "Your test accepts every implementation. Does it compare the numbers, not the shape "
            "alone, and does the exception of a failed `assert` get out of the function?",
            _never_fails,
            same_results=(_examine_shape,),
        ),
        Mistake(
            "returns_a_value",
            "Your test returns what it found; nobody looks at that. It rejects by raising an "
            "exception: write `assert …` instead of `return …`.",
            lambda feed_forward: True,
        ),
        Mistake(
            "rejects_everything",
            "Your test rejects every implementation, right ones too. Is the expected value the "
            "right one (exact GELU, weights transposed), does the call follow the statement, and "
            "does the tolerance leave room for rounding, about 1e-5?",
            _always_fails,
        ),
        Mistake(
            "tanh_expected",
            "Your test takes the tanh form for the right one: it rejects the exact GELU. "
            "`F.gelu(x)` is exact.",
            section=_FORMS,
        ),
        Mistake(
            "loose",
            "The tanh form of GELU and a rounded constant get through: the tolerance is too wide, "
            "or the numbers before the activation are so small or so large that the forms agree. "
            "Ask for 1e-5, on numbers between −3 and 3.",
            points=3,
            section=_FORMS,
        ),
        Mistake(
            "zero_biases",
            "What is wrong with a bias gets through: with biases of zero nobody can see it. Draw "
            "the biases, too.",
            points=3,
        ),
        Mistake(
            "one_token",
            "An implementation that mixes tokens gets through: that shows only in a sequence of "
            "several different tokens.",
            points=3,
            section=_ALONE,
        ),
        Mistake(
            "one_sequence",
            "An implementation that mixes the sequences of a batch gets through: that shows only "
            "in a batch of several different sequences.",
            points=3,
            section=_ALONE,
        ),
        Mistake(
            "x_unseen",
            "An implementation that changes `x` gets through: keep a clone of it, and compare "
            "after the call.",
            points=3,
        ),
        Mistake(
            "weights_unseen",
            "An implementation that changes a weight or a bias gets through: keep clones of all "
            "arguments, and compare after the call.",
            points=3,
        ),
        Mistake(
            "arguments_unseen",
            "Implementations that change their arguments get through: keep clones of all of them, "
            "and compare after the call.",
            points=3,
        ),
        Mistake(
            "no_gradient_checked",
            "An implementation that is cut off from autograd gets through: give it a tensor that "
            "requires gradients, and call `backward()`.",
            points=3,
        ),
        Mistake(
            "values_only",
            "Implementations that change their arguments or lose the gradient get through: compare "
            "the arguments with clones after the call, and call `backward()`.",
            points=3,
        ),
        Mistake(
            "only_tokens",
            "Your test looks only at whether each token is treated by itself. Compare the numbers "
            "with the right ones, too.",
            _examine_tokens,
            section=_ALONE,
        ),
        Mistake(
            "no_negative_numbers",
            "Missing and other activations get through: for large positive numbers GELU gives "
            "back what it gets. Draw numbers of both signs, as `torch.randn` does.",
            _examine_large,
            section=_ACTIVATIONS,
        ),
    ),
)


def _closely(feed_forward: Callable, dtype: torch.dtype) -> None:
    """Compare with ``nn.Linear`` formulas by ``assert_close``, and each argument's gradient."""
    shapes = ((2, 5, 3), (8, 3), (8,), (3, 8), (3,))
    ours = [torch.randn(shape, dtype=dtype).requires_grad_() for shape in shapes]
    theirs = [tensor.detach().clone().requires_grad_() for tensor in ours]
    x, w_1, b_1, w_2, b_2 = ours
    expected = torch.special.ndtr(x @ w_1.mT + b_1) * (x @ w_1.mT + b_1) @ w_2.mT + b_2
    output = feed_forward(*[tensor * 1 for tensor in theirs])
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
    gradients = torch.autograd.grad(output.square().sum(), theirs)
    for one, other in zip(
        torch.autograd.grad(expected.square().sum(), ours), gradients, strict=True
    ):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3)
    copies = [tensor.detach().clone() for tensor in theirs]
    feed_forward(*copies)
    for copied, tensor in zip(copies, theirs, strict=True):
        torch.testing.assert_close(copied, tensor.detach(), rtol=0, atol=0)


def _by_modules(feed_forward: Callable) -> None:
    first, second = nn.Linear(5, 11), nn.Linear(11, 5)
    for module in (first, second):
        nn.init.normal_(module.weight)
        nn.init.normal_(module.bias)
    x = torch.randn(4, 3, 5, requires_grad=True)
    parameters = [first.weight, first.bias, second.weight, second.bias]
    before = [p.detach().clone() for p in (x, *parameters)]
    with torch.no_grad():
        after = [p.detach().clone() for p in (x, *parameters)]
        feed_forward(*after)
    difference = feed_forward(x, *parameters) - second(F.gelu(first(x)))
    if difference.abs().max() > 2e-5:
        raise ValueError("wrong numbers")
    if not all(torch.equal(a, b) for a, b in zip(after, before, strict=True)):
        raise ValueError("an argument changed")
    if not feed_forward(x, *parameters).requires_grad:
        raise ValueError("no gradient")


def _many_sizes(feed_forward: Callable) -> None:
    for batch, tokens, hidden, wide in ((1, 1, 2, 3), (2, 3, 4, 4), (5, 2, 3, 12)):
        _closely_at(feed_forward, (batch, tokens, hidden), wide)


def _closely_at(feed_forward: Callable, shape: tuple[int, ...], wide: int) -> None:
    hidden = shape[-1]
    shapes = (shape, (wide, hidden), (wide,), (hidden, wide), (hidden,))
    arguments = [torch.randn(s) for s in shapes]
    clones = [t.clone() for t in arguments]
    x, w_1, b_1, w_2, b_2 = (t.clone().double() for t in arguments)
    expected = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2
    assert (feed_forward(*arguments) - expected).abs().max() < 1e-5
    for clone, argument in zip(clones, arguments, strict=True):
        assert (clone == argument).all()
    arguments[0].requires_grad = True
    assert feed_forward(*arguments).grad_fn is not None


EXERCISES = [
    NAMED_FEED_FORWARD,
    PACKED_SWIGLU,
    MOVE_WEIGHTS,
    REPAIRED_STACK,
    TEST_FEED_FORWARD,
]
