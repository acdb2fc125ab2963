"""One function for four models."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading.content.drawing import draw_sizes, normal
from grading.content.feed_forward import harnesses
from grading.content.feed_forward.sections import (
    ACTIVATIONS,
    ALONE,
    BEND,
    COMMON,
    EXACT,
    FORMS,
    LAYER,
    MODULE,
    SILU,
    TANH,
)
from grading.content.feed_forward.shared import CUT_OFF, draw_width
from grading.exercise import Case, Exercise, Mistake, Part
from solutions.feed_forward import activation as activation_named
from solutions.feed_forward import gelu_tanh

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
        state[f"{name}.weight"] = normal(generator, out, into).to(dtype)
        if bias:
            state[f"{name}.bias"] = normal(generator, out).to(dtype)
    return state


def _named_cases(generator: torch.Generator) -> list[Case]:
    def draw(activation, front, bias=True, dtype=torch.float32):
        """Arguments whose hidden states have ``front`` axes before the last one."""
        *shape, hidden = draw_sizes(generator, front + 1, low=3)
        state = _bert_state(generator, hidden, draw_width(generator), bias, dtype)
        x = normal(generator, *shape, hidden).to(dtype)
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
        Case("an unknown activation", "corner", draw("gleu", 1), harness=harnesses.refusal),
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


EXERCISE = Exercise(
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
    section=LAYER,
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
            section=BEND,
        ),
        Mistake(
            "activation_last",
            "The activation stands behind the second map; it belongs between the two, otherwise "
            "they are one linear map.",
            section=BEND,
        ),
        Mistake(
            "activation_twice",
            "The activation is applied behind the second map as well; it belongs between the maps "
            "only.",
            section=COMMON,
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
            section=FORMS,
        ),
        Mistake(
            "exact_for_gelu_new",
            'For `"gelu_new"` the exact GELU is computed; the name stands for the tanh form, with '
            "which GPT-2 was trained. They differ by up to 0.0005 per neuron.",
            points=3,
            section=FORMS,
        ),
        Mistake(
            "name_ignored",
            "The argument `activation` has no effect on the numbers: they are always those of the "
            "exact GELU.",
            section=ACTIVATIONS,
            mutation=_named_feed_forward(frozenset({"name_ignored"})),
        ),
        Mistake(
            "silu_is_sigmoid",
            "SiLU lacks its factor x: these are the numbers with σ(x) alone, and it is x·σ(x).",
            points=3,
            section=SILU,
            mutation=_named_feed_forward(frozenset({"silu_is_sigmoid"})),
        ),
        Mistake(
            "tanh_root",
            "In the tanh form the constant is √(2π); it is √(2/π) = 0.7979.",
            points=3,
            section=TANH,
            mutation=_named_feed_forward(frozenset({"tanh_root"})),
        ),
        Mistake(
            "tanh_cubic",
            "In the tanh form the constant is 0.44715; it is 0.044715.",
            points=3,
            section=TANH,
            mutation=_named_feed_forward(frozenset({"tanh_cubic"})),
        ),
        Mistake(
            "tanh_square",
            "In the tanh form x² stands where x³ belongs.",
            points=3,
            section=TANH,
            mutation=_named_feed_forward(frozenset({"tanh_square"})),
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
        Mistake("no_gradient", CUT_OFF),
        Mistake(
            "activation_first",
            "The activation is applied to the input, before the first map; it belongs between the "
            "two maps.",
            lambda x, state, activation="gelu": _with(lambda wide, name: wide)(
                _activate(x, activation) if activation != "gleu" else x, state, activation
            ),
            section=BEND,
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
            section=ACTIVATIONS,
        ),
        Mistake(
            "relu_for_gelu",
            'For `"gelu"` ReLU is computed: all negative numbers become 0. GELU lets the small '
            "ones through in part.",
            _instead("gelu", F.relu),
            section=EXACT,
        ),
        Mistake(
            "quick_gelu",
            'For `"gelu"` the rough form x·σ(1.702x) is computed ("quick GELU"), which is off by '
            "up to 0.02 per neuron. The exact one uses erf.",
            _instead("gelu", lambda x: x * torch.sigmoid(1.702 * x)),
            section=EXACT,
        ),
        Mistake(
            "silu_for_gelu",
            'For `"gelu"` SiLU is computed, x·σ(x); GELU takes the normal distribution, '
            "x·Φ(x) = x/2·(1 + erf(x/√2)).",
            _instead("gelu", F.silu),
            section=EXACT,
        ),
        Mistake(
            "erf_without_root",
            "In the exact GELU erf is taken of x; it must be x/√2.",
            _instead("gelu", lambda x: 0.5 * x * (1 + torch.erf(x))),
            section=EXACT,
        ),
        Mistake(
            "gelu_without_half",
            "In the exact GELU the factor ½ is missing: its results are twice as large.",
            _instead("gelu", lambda x: x * (1 + torch.erf(x / math.sqrt(2)))),
            section=EXACT,
        ),
        Mistake(
            "gelu_without_x",
            "GELU lacks its factor x: these are the numbers with the probability Φ(x) alone.",
            _instead("gelu", torch.special.ndtr),
            section=EXACT,
        ),
        Mistake(
            "gelu_new_without_half",
            "In the tanh form the factor ½ is missing: its results are twice as large.",
            _instead("gelu_new", lambda x: 2 * gelu_tanh(x)),
            points=3,
            section=TANH,
        ),
        Mistake(
            "gelu_new_without_cubic",
            "In the tanh form the term with x³ is missing.",
            _instead("gelu_new", lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * x))),
            points=3,
            section=TANH,
        ),
        Mistake(
            "gelu_new_without_root",
            "In the tanh form the factor √(2/π) is missing.",
            _instead("gelu_new", lambda x: 0.5 * x * (1 + torch.tanh(x + 0.044715 * x**3))),
            points=3,
            section=TANH,
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
            section=TANH,
        ),
        Mistake(
            "gelu_new_two_over_pi",
            "In the tanh form the constant is 2/π; it is the root of that, √(2/π).",
            _instead(
                "gelu_new",
                lambda x: 0.5 * x * (1 + torch.tanh(2 / math.pi * (x + 0.044715 * x**3))),
            ),
            points=3,
            section=TANH,
        ),
        Mistake(
            "gelu_new_is_quick",
            'For `"gelu_new"` the rough form x·σ(1.702x) is computed; the name stands for the '
            "tanh form.",
            _instead("gelu_new", lambda x: x * torch.sigmoid(1.702 * x)),
            points=3,
            section=TANH,
        ),
        Mistake(
            "silu_is_gelu",
            'For `"silu"` the exact GELU is computed; SiLU is x·σ(x).',
            _instead("silu", F.gelu),
            points=3,
            section=SILU,
        ),
        Mistake(
            "silu_is_relu",
            'For `"silu"` ReLU is computed; SiLU is x·σ(x).',
            _instead("silu", F.relu),
            points=3,
            section=SILU,
        ),
        Mistake(
            "silu_is_tanh",
            "SiLU multiplies x by tanh(x); it must be the sigmoid, x·σ(x).",
            _instead("silu", lambda x: x * x.tanh()),
            points=3,
            section=SILU,
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
            section=COMMON,
        ),
        Mistake(
            "dropout",
            "Dropout is alive: some numbers are dropped by chance. This function has no training "
            "mode; leave it out.",
            lambda x, state, activation="gelu": F.dropout(_RIGHT_NAMED(x, state, activation), 0.1),
            section=COMMON,
        ),
        Mistake(
            "names_three_axes",
            "It fails unless the hidden states have three axes, because their shape is taken apart "
            "into three names. A linear map acts on the last axis, whatever stands in front of it.",
            _names_three_axes,
            section=ALONE,
        ),
        Mistake(
            "needs_three_letters",
            "It fails unless the hidden states have three axes, because `einsum` is given a letter "
            "for each. Write `...` for the axes in front, or use `F.linear`.",
            _needs_three_letters,
            section=ALONE,
        ),
        Mistake(
            "not_transposed",
            "The weights are used as they are stored, [out, in], and do not fit: multiply with "
            "their transpose (`.T`), or use `F.linear`, which does.",
            _not_transposed,
            section=LAYER,
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
            section=FORMS,
        ),
        Mistake(
            "gelu_unless_relu",
            'For `"gelu_new"` and for `"silu"` the exact GELU is computed: only ReLU is told '
            "apart.",
            _with(lambda x, name: F.relu(x) if name == "relu" else F.gelu(x)),
            points=3,
            section=ACTIVATIONS,
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
            section=ALONE,
        ),
        Mistake(
            "no_single_token",
            "It fails on the vector of a single token, which has no axis in front of the last one.",
            _needs_matrices(9, 2),
            any_error=True,
            section=ALONE,
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
            section=MODULE,
        ),
        Mistake(
            "returns_error",
            "For an unknown activation the `ValueError` is returned, not raised: write "
            "`raise ValueError(…)`.",
            _returns_error,
            points=3,
            section=MODULE,
        ),
        Mistake(
            "key_error",
            "An unknown activation raises a `KeyError` out of a dictionary; raise a `ValueError` "
            "that says which name was not understood.",
            _key_error,
            points=3,
            section=MODULE,
        ),
    ),
)
