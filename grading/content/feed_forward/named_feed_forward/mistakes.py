"""The known mistakes of `named_feed_forward`."""

from __future__ import annotations

from grading.content.common import cut_off, kept
from grading.content.feed_forward.sections import (
    ACTIVATIONS,
    ALONE,
    COMMON,
    EXACT,
    FORMS,
    LAYER,
    MODULE,
    NONLINEARITY,
    RELU,
    SILU,
    TANH,
)
from grading.exercise import Mistake

_ALIASES = [('"silu": silu}', '"silu": silu, "swish": silu, "gelu_pytorch_tanh": gelu_new}')]
_SPELLINGS = [
    ("    if activation not", "    activation = activation.lower().strip()\n    if activation not")
]
_ACTIVATE = "    wide = act(wide)\n"
_IN_FLOAT32 = [
    (
        "    w_1, b_1 =",
        "    dtype, hidden_states = hidden_states.dtype, hidden_states.float()\n"
        "    state = {name: tensor.float() for name, tensor in state.items()}\n"
        "    w_1, b_1 =",
    )
]
_LINEAR = "F.linear(hidden_states, w_1, b_1)"
_CHECK = """
    if activation not in activations:
        raise ValueError(f"No activation {activation!r}; there are {', '.join(activations)}.")"""


COMBINED = (
    "no_activation",
    "activation_last",
    "activation_twice",
    "tanh_for_gelu",
    "exact_for_gelu_new",
    "no_first_bias",
    "no_second_bias",
    "bias_late",
    "residual",
    "no_gradient",
    "silu_is_sigmoid",
    "gelu_new_overflows",
    "gelu_new_is_quick",
    "takes_anything",
    "key_error",
)

MISTAKES = (
    Mistake(
        "no_activation",
        "The activation is missing: these are the numbers of the two linear maps alone, which "
        "are one linear map.",
        [(_ACTIVATE, "")],
        section=NONLINEARITY,
    ),
    Mistake(
        "activation_last",
        "The activation stands behind the second map; it belongs between the two, otherwise "
        "they are one linear map.",
        [(_ACTIVATE, ""), ("F.linear(wide, w_2, b_2)", "act(F.linear(wide, w_2, b_2))")],
        section=NONLINEARITY,
    ),
    Mistake(
        "activation_twice",
        "The activation is applied behind the second map as well; it belongs between the maps "
        "only.",
        [("F.linear(wide, w_2, b_2)", "act(F.linear(wide, w_2, b_2))")],
        section=COMMON,
    ),
    Mistake(
        "activated_twice",
        "The activation is applied twice in a row behind the first map; once is enough.",
        [("act(wide)", "act(act(wide))")],
    ),
    Mistake(
        "biases_break",
        "It fails wherever the state holds biases: is each of the two looked up under its own "
        "name, and added behind its own map?",
        [('state.get("output.dense.bias")', 'state.get("intermediate.dense.bias")')],
        any_error=True,
    ),
    Mistake(
        "truth_of_a_tensor",
        "It fails wherever the state holds a bias: `or` and `if` ask a tensor whether it is "
        "true, and PyTorch cannot say that of several numbers. Compare with None.",
        [
            (f'state.get("{name}.dense.bias")', f'(state.get("{name}.dense.bias") or None)')
            for name in ("intermediate", "output")
        ],
        any_error=True,
    ),
    Mistake(
        "tanh_for_gelu",
        'For `"gelu"` the tanh form is computed. That is `"gelu_new"`; `"gelu"` is the exact '
        "one, with erf. They differ by up to 0.0005 per neuron.",
        [('"gelu": gelu', '"gelu": gelu_new')],
        section=FORMS,
    ),
    Mistake(
        "exact_for_gelu_new",
        'For `"gelu_new"` the exact GELU is computed; the name stands for the tanh form, with '
        "which GPT-2 was trained. They differ by up to 0.0005 per neuron.",
        [('"gelu_new": gelu_new', '"gelu_new": gelu')],
        points=3,
        section=FORMS,
    ),
    Mistake(
        "name_ignored",
        "The argument `activation` has no effect on the numbers: they are always those of the "
        "exact GELU.",
        [("activations[activation]", 'activations["gelu"]')],
        section=ACTIVATIONS,
    ),
    Mistake(
        "silu_is_sigmoid",
        "SiLU lacks its factor x: these are the numbers with σ(x) alone, and it is x·σ(x).",
        [("x * torch.sigmoid(x)", "torch.sigmoid(x)")],
        points=3,
        section=SILU,
    ),
    Mistake(
        "tanh_root",
        "In the tanh form the constant is √(2π); it is √(2/π) = 0.7979.",
        [("2 / math.pi", "2 * math.pi")],
        points=3,
        section=TANH,
    ),
    Mistake(
        "tanh_cubic",
        "In the tanh form the factor of x³ has a digit too few or too many (0.44715, "
        "0.04715); it is 0.044715.",
        [("0.044715", "0.44715")],
        other_forms=([("0.044715", "0.04715")], [("0.044715", "0.0044715")]),
        points=3,
        section=TANH,
    ),
    Mistake(
        "tanh_square",
        "In the tanh form x² stands where x³ belongs.",
        [("x**3", "x**2")],
        points=3,
        section=TANH,
    ),
    Mistake(
        "no_first_bias",
        "The bias of the first map is left out.",
        [('state.get("intermediate.dense.bias")', "None")],
    ),
    Mistake(
        "no_second_bias",
        "The bias of the second map is left out.",
        [('state.get("output.dense.bias")', "None")],
    ),
    Mistake(
        "bias_late",
        "The bias of the first map is added after the activation; it belongs before it, to "
        "the linear map.",
        [("w_1, b_1)", "w_1)"), ("act(wide)", "act(wide) + (0 if b_1 is None else b_1)")],
    ),
    Mistake(
        "residual",
        "The input is added to the result. That is the residual connection of chapter 4; here "
        "the layer alone is asked for.",
        [("return output", "return output + hidden_states")],
    ),
    cut_off([("def named_feed_forward", "@torch.no_grad()\ndef named_feed_forward")], points=3),
    kept(
        [
            ('activation="gelu"):', 'activation="gelu", kept={}):'),
            (_ACTIVATE, f"    wide = kept.setdefault(hidden_states.shape, wide)\n{_ACTIVATE}"),
        ]
    ),
    Mistake(
        "weights_detached",
        "The numbers are right, but no gradient reaches the weights in `state`: they are used "
        "as `.data` or detached, or copied into a module (`load_state_dict`), so this layer "
        "would not learn.",
        [
            (
                "    w_1, b_1 =",
                "    state = {name: tensor.detach() for name, tensor in state.items()}\n"
                "    w_1, b_1 =",
            )
        ],
        points=3,
        section=MODULE,
    ),
    Mistake(
        "both_biases_or_none",
        "The biases are taken only if both are there, or one follows the other; each of the "
        "two may be missing by itself.",
        [
            (
                _ACTIVATE,
                "    if b_1 is None or b_2 is None:\n"
                "        wide, b_2 = F.linear(hidden_states, w_1), None\n" + _ACTIVATE,
            )
        ],
        other_forms=(
            [
                (
                    'state.get("output.dense.bias")',
                    'state["output.dense.bias"] if b_1 is not None else None',
                )
            ],
            [
                (
                    'state.get("intermediate.dense.bias")',
                    'state["intermediate.dense.bias"] if state.get("output.dense.bias") '
                    "is not None else None",
                )
            ],
            [
                (
                    _ACTIVATE,
                    "    if b_1 is None:\n        b_2 = None\n" + _ACTIVATE,
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "float32_zeros",
        "The zeros that stand for a missing bias are float32 whatever the dtype of the weights "
        "is: give `torch.zeros` the weight's `dtype`, or pass None.",
        [
            (
                'state.get("intermediate.dense.bias")',
                'state.get("intermediate.dense.bias", torch.zeros(len(w_1)))',
            ),
            (
                'w_1, b_1 = state["intermediate.dense.weight"], ',
                'w_1 = state["intermediate.dense.weight"]\n    b_1 = ',
            ),
            (
                'w_2, b_2 = state["output.dense.weight"], ',
                'w_2 = state["output.dense.weight"]\n    b_2 = ',
            ),
            (
                'state.get("output.dense.bias")',
                'state.get("output.dense.bias", torch.zeros(len(w_2)))',
            ),
        ],
        points=3,
        any_error=True,
    ),
    Mistake(
        "any_function_of_torch",
        "A name is taken if PyTorch has a function that is called so, as `tanh` and `elu`. "
        "Four names are asked for; any other must raise a `ValueError`.",
        [
            ("not in activations:", "not in activations and not hasattr(F, activation):"),
            (
                "activations[activation]",
                "activations.get(activation) or getattr(F, activation)",
            ),
        ],
        points=3,
        section=MODULE,
    ),
    Mistake(
        "activation_first",
        "The activation is applied to the input, before the first map; it belongs between the "
        "two maps.",
        [("F.linear(hidden_states", "F.linear(act(hidden_states)"), (_ACTIVATE, "")],
        section=NONLINEARITY,
    ),
    Mistake(
        "one_map_only",
        "These are the wide vectors, after the activation; the second map, back to the hidden "
        "size, is missing.",
        [("return output", "return wide")],
    ),
    Mistake(
        "always_relu",
        "The argument `activation` has no effect on the numbers: they are always those of ReLU.",
        [("activations[activation]", 'activations["relu"]')],
        section=ACTIVATIONS,
    ),
    Mistake(
        "relu_for_gelu",
        'For `"gelu"` ReLU is computed: all negative numbers become 0. GELU lets the small '
        "ones through in part.",
        [('"gelu": gelu', '"gelu": relu')],
        section=EXACT,
    ),
    Mistake(
        "quick_gelu",
        'For `"gelu"` the rough form x·σ(1.702x) is computed ("quick GELU"), which is off by '
        "up to 0.02 per neuron. The exact one uses erf.",
        [("0.5 * x * (1 + torch.erf(x / math.sqrt(2)))", "x * torch.sigmoid(1.702 * x)")],
        section=EXACT,
    ),
    Mistake(
        "silu_for_gelu",
        'For `"gelu"` SiLU is computed, x·σ(x); GELU takes the normal distribution, '
        "x·Φ(x) = x/2·(1 + erf(x/√2)).",
        [('"gelu": gelu', '"gelu": silu')],
        section=EXACT,
    ),
    Mistake(
        "erf_without_root",
        "In the exact GELU erf is taken of x; it must be x/√2.",
        [("x / math.sqrt(2)", "x")],
        section=EXACT,
    ),
    Mistake(
        "gelu_without_half",
        "In the exact GELU the factor ½ is missing: its results are twice as large.",
        [("0.5 * x * (1 + torch.erf", "x * (1 + torch.erf")],
        section=EXACT,
    ),
    Mistake(
        "gelu_without_x",
        "GELU lacks its factor x: these are the numbers with the probability Φ(x) alone.",
        [("0.5 * x * (1 + torch.erf", "0.5 * (1 + torch.erf")],
        section=EXACT,
    ),
    Mistake(
        "gelu_new_without_half",
        "In the tanh form the factor ½ is missing: its results are twice as large.",
        [("0.5 * x * (1 + torch.tanh", "x * (1 + torch.tanh")],
        points=3,
        section=TANH,
    ),
    Mistake(
        "gelu_new_without_cubic",
        "In the tanh form the term with x³ is missing.",
        [("(x + 0.044715 * x**3)", "x")],
        points=3,
        section=TANH,
    ),
    Mistake(
        "gelu_new_without_root",
        "In the tanh form the factor √(2/π) is missing.",
        [("math.sqrt(2 / math.pi) * (x", "(x")],
        points=3,
        section=TANH,
    ),
    Mistake(
        "gelu_new_cubic_outside",
        "In the tanh form √(2/π) multiplies only x; it must multiply the whole bracket, "
        "x + 0.044715·x³.",
        [("(x + 0.044715 * x**3)", "x + 0.044715 * x**3")],
        points=3,
        section=TANH,
    ),
    Mistake(
        "gelu_new_two_over_pi",
        "In the tanh form the constant is 2/π; it is the root of that, √(2/π).",
        [("math.sqrt(2 / math.pi)", "2 / math.pi")],
        points=3,
        section=TANH,
    ),
    Mistake(
        "gelu_new_overflows",
        "The tanh of `gelu_new` is made of exponentials that overflow for large neurons: ∞ / ∞ "
        "is NaN. `torch.tanh` does not overflow.",
        [
            (
                "torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))",
                "(lambda e: (e - 1) / (e + 1))(\n"
                "        torch.exp(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))\n"
                "    )",
            )
        ],
        points=3,
        section=FORMS,
    ),
    Mistake(
        "silu_overflows",
        "The sigmoid of SiLU is e^x / (1 + e^x), in which both overflow for large neurons: ∞ / "
        "∞ is NaN. `torch.sigmoid` does not overflow.",
        [("x * torch.sigmoid(x)", "x * torch.exp(x) / (1 + torch.exp(x))")],
        points=3,
        section=SILU,
    ),
    Mistake(
        "gelu_new_is_quick",
        'For `"gelu_new"` the rough form x·σ(1.702x) is computed; the name stands for the '
        "tanh form.",
        [('"gelu_new": gelu_new', '"gelu_new": lambda x: x * torch.sigmoid(1.702 * x)')],
        points=3,
        section=TANH,
    ),
    Mistake(
        "silu_is_quick",
        'For `"silu"` x·σ(1.702x) is computed, the rough form of GELU; SiLU is x·σ(x).',
        [("x * torch.sigmoid(x)", "x * torch.sigmoid(1.702 * x)")],
        points=3,
        section=SILU,
    ),
    Mistake(
        "silu_is_gelu",
        'For `"silu"` the exact GELU is computed; SiLU is x·σ(x).',
        [('"silu": silu', '"silu": gelu')],
        points=3,
        section=SILU,
    ),
    Mistake(
        "silu_is_selu",
        'For `"silu"` SELU is computed, another function whose name differs in one letter; '
        "SiLU is x·σ(x).",
        [('"silu": silu', '"silu": F.selu')],
        points=3,
        section=SILU,
    ),
    Mistake(
        "silu_is_relu",
        'For `"silu"` ReLU is computed; SiLU is x·σ(x).',
        [('"silu": silu', '"silu": relu')],
        points=3,
        section=SILU,
    ),
    Mistake(
        "silu_is_tanh",
        "SiLU multiplies x by tanh(x); it must be the sigmoid, x·σ(x).",
        [("torch.sigmoid(x)", "torch.tanh(x)")],
        points=3,
        section=SILU,
    ),
    Mistake(
        "relu_is_abs",
        'For `"relu"` negative numbers are made positive (`abs`); ReLU sets them to 0.',
        [("x.clamp(min=0)", "x.abs()")],
        section=RELU,
    ),
    Mistake(
        "leaky_relu",
        'For `"relu"` negative numbers keep a small part of their size (a leaky ReLU); ReLU '
        "sets them to 0.",
        [("x.clamp(min=0)", "F.leaky_relu(x)")],
        section=RELU,
    ),
    Mistake(
        "reshaped_weights",
        "The weights are brought from [out, in] to [in, out] with `view` or `reshape`, which "
        "keeps the numbers in their order and so mixes them up. Transpose them (`.T`).",
        [
            ("hidden_states, w_1", "hidden_states, w_1.reshape(w_1.size(1), -1).T"),
            ("wide, w_2", "wide, w_2.reshape(w_2.size(1), -1).T"),
        ],
    ),
    Mistake(
        "exchanged_maps",
        "The two weights are exchanged: the one called `output.dense` is used first, without "
        "a transpose, and the shapes happen to fit. `intermediate.dense` is the first map; "
        "use its transpose, or `F.linear`.",
        [("hidden_states, w_1", "hidden_states, w_2.T"), ("wide, w_2", "wide, w_1.T")],
        section=COMMON,
    ),
    Mistake(
        "dropout",
        "Dropout is alive: some numbers are dropped by chance. This function has no training "
        "mode; leave it out.",
        [("return output", "return F.dropout(output, 0.1)")],
        other_forms=(
            [("return output", "return F.dropout(output, 0.5)")],
            [("act(wide)", "F.dropout(act(wide), 0.1)")],
            [("act(wide)", "F.dropout(act(wide), 0.5)")],
        ),
        section=COMMON,
    ),
    Mistake(
        "names_three_axes",
        "It fails unless the hidden states have three axes, because their shape is taken apart "
        "into three names. A linear map acts on the last axis, whatever stands in front of it.",
        [("    wide = F", "    batch, tokens, hidden = hidden_states.shape\n    wide = F")],
        section=ALONE,
    ),
    Mistake(
        "needs_three_letters",
        "It fails unless the hidden states have three axes, because `einsum` is given a letter "
        "for each. Write `...` for the axes in front, or use `F.linear`.",
        [
            (
                _LINEAR,
                'torch.einsum("bth,wh->btw", hidden_states, w_1) + (0 if b_1 is None else b_1)',
            )
        ],
        section=ALONE,
    ),
    Mistake(
        "not_transposed",
        "The weights are used as they are stored, [out, in], and do not fit: multiply with "
        "their transpose (`.T`), or use `F.linear`, which does.",
        [(_LINEAR, "hidden_states @ w_1"), ("F.linear(wide, w_2, b_2)", "wide @ w_2")],
        section=LAYER,
    ),
    Mistake(
        "wrong_names",
        "It looks up a name that the state does not hold. The names are "
        "`intermediate.dense.weight`, `intermediate.dense.bias`, `output.dense.weight` and "
        "`output.dense.bias`.",
        [('"intermediate.dense.weight"', '"intermediate.weight"')],
    ),
    Mistake(
        "looked_up_in_torch",
        "The activation is looked up under its name in `torch.nn.functional`, which has no "
        '`gelu_new` (it is `F.gelu(x, approximate="tanh")`) and many functions that are no '
        "activations.",
        [(_CHECK, ""), ("activations[activation]", "getattr(F, activation)")],
        points=2,
        section=FORMS,
    ),
    Mistake(
        "gelu_unless_relu",
        'For `"gelu_new"` and for `"silu"` the exact GELU is computed: only ReLU is told apart.',
        [('"gelu_new": gelu_new', '"gelu_new": gelu'), ('"silu": silu', '"silu": gelu')],
        points=3,
        section=ACTIVATIONS,
    ),
    Mistake(
        "normalised",
        "The input is added and the sum normalised. That is the rest of BERT's block, in "
        "chapter 4; here the layer alone is asked for.",
        [("return output", "return F.layer_norm(output + hidden_states, output.shape[-1:])")],
    ),
    Mistake(
        "needs_a_matrix",
        "It fails unless the hidden states have exactly two axes (`addmm`, `mm`, or a `.T` of "
        "the input). A linear map acts on the last axis, whatever stands in front of it.",
        [(_LINEAR, "hidden_states.mm(w_1.T) + (0 if b_1 is None else b_1)")],
        section=ALONE,
        any_error=True,
    ),
    Mistake(
        "no_single_token",
        "It fails on the vector of a single token, which has no axis in front of the last one.",
        [("    wide = F", "    *batch, tokens, hidden = hidden_states.shape\n    wide = F")],
        section=ALONE,
        any_error=True,
    ),
    Mistake(
        "needs_biases",
        "It fails when the state holds no biases: ask `state.get(name)`, and add nothing "
        "where that is None.",
        [
            ('state.get("intermediate.dense.bias")', 'state["intermediate.dense.bias"]'),
            ('state.get("output.dense.bias")', 'state["output.dense.bias"]'),
        ],
        points=3,
        any_error=True,
    ),
    Mistake(
        "float32_inside",
        "The result is float32 whatever came in: an input of float64 loses half of its digits. "
        "Keep the dtype of the input.",
        _IN_FLOAT32,
        points=3,
    ),
    Mistake(
        "float32_and_back",
        "It is computed in float32 and converted back: float64 comes out, but half of the "
        "digits are lost. Leave out the conversions.",
        [*_IN_FLOAT32, ("return output", "return output.to(dtype)")],
        other_forms=([("act(wide)", "act(wide.float()).to(wide.dtype)")],),
        points=3,
    ),
    Mistake(
        "changed_state",
        "The state is changed: entries are taken out of it (`pop`) or put into it. The caller "
        "still needs it; make a copy of the dictionary first.",
        [
            ('state["intermediate.dense.weight"]', 'state.pop("intermediate.dense.weight")'),
            ('state["output.dense.weight"]', 'state.pop("output.dense.weight")'),
        ],
    ),
    Mistake(
        "takes_anything",
        "An unknown activation is taken for a known one, or for none, without a word. A typing "
        "error would change the model silently; raise a `ValueError`.",
        [(_CHECK, ""), ("activations[activation]", "activations.get(activation, gelu)")],
        points=3,
        section=MODULE,
    ),
    Mistake(
        "other_spellings",
        "Other names are taken for the four: capital letters, spaces, or what other libraries "
        "call them. Four names are asked for; any other must raise a `ValueError`.",
        _ALIASES,
        other_forms=(_SPELLINGS, [*_ALIASES, *_SPELLINGS]),
        points=3,
        section=MODULE,
    ),
    Mistake(
        "returns_error",
        "For an unknown activation the `ValueError` is returned, not raised: write "
        "`raise ValueError(…)`.",
        [("raise ValueError", "return ValueError")],
        points=3,
        section=MODULE,
    ),
    Mistake(
        "key_error",
        "An unknown activation raises a `KeyError` out of a dictionary; raise a `ValueError` "
        "that says which name was not understood.",
        [(_CHECK, "")],
        points=3,
        section=MODULE,
    ),
)
