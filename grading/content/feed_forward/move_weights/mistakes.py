"""The known mistakes of `move_weights`."""

from __future__ import annotations

import functools

import torch

from grading.content.common import kept
from grading.content.feed_forward.sections import COMMON
from grading.exercise import Mistake

from .question import _NAMES


def _by_shape(state, source, target, of_bias=False, square=None):
    """Take the longer axis for `wide`, or that which is not as long as the second bias.

    A square is turned, or left, whatever the layouts are.
    """
    moved = {}
    second = _NAMES[source][1]
    known = state.get(f"{second}.bias") if of_bias else None
    for place, (old, new) in enumerate(zip(_NAMES[source], _NAMES[target], strict=True)):
        weight = state[f"{old}.weight"]
        weight = weight.squeeze(-1) if source == "convolution" else weight
        rows, columns = weight.shape
        is_wide = rows > columns if known is None else rows != len(known)
        if square is not None and rows == columns:
            is_wide = place == square
        if is_wide != ((place == 0) != (target == "gpt2")):
            weight = weight.T
        weight = weight.unsqueeze(-1) if target == "convolution" else weight
        moved[f"{new}.weight"] = weight.clone(memory_format=torch.contiguous_format)
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    return moved


_CLONE = "weight.clone(memory_format=torch.contiguous_format)"
_IF_BIAS = 'if f"{old}.bias" in state:'
_BIAS = 'state[f"{old}.bias"].clone()'


COMBINED = (
    "not_turned_from",
    "not_turned_to",
    "reshaped",
    "reshaped_for_convolution",
    "maps_exchanged",
    "names_kept",
    "no_bias",
    "axis_kept",
    "axis_missing",
    "fourth_axis",
    "squeezed_all",
    "zeros_for_no_bias",
    "bias_shared",
    "not_contiguous",
)

MISTAKES = (
    kept(
        [
            ("source, target):", "source, target, kept={}):"),
            (
                "    moved = {}",
                "    sizes = (source, target, *(tensor.shape for tensor in state.values()))\n"
                "    state = kept.setdefault(sizes, state)\n"
                "    moved = {}",
            ),
        ]
    ),
    Mistake(
        "not_turned_from",
        "Weights that come from the GPT-2 layout are not transposed. There they are [in, out]; "
        "the other layouts keep [out, in].",
        [('source == "gpt2"', "False")],
    ),
    Mistake(
        "not_turned_to",
        "Weights that go to the GPT-2 layout are not transposed. There they are [in, out]; the "
        "other layouts keep [out, in].",
        [('target == "gpt2"', "False")],
    ),
    Mistake(
        "reshaped",
        "`view` or `reshape` stands where `transpose` belongs: the shape is right, but the "
        "numbers stay in their order and end up with other neurons.",
        [
            (
                "weight.transpose(0, 1)  # [out, in]",
                "weight.reshape(weight.size(1), weight.size(0))",
            ),
            (
                "weight.transpose(0, 1)  # [in, out]",
                "weight.reshape(weight.size(1), weight.size(0))",
            ),
        ],
        section=COMMON,
    ),
    Mistake(
        "maps_exchanged",
        "The two maps are exchanged: `intermediate`, `c_fc` and `wider` are the first map, "
        "`output`, `c_proj` and `back` the second.",
        [("names[target]", "names[target] if source == target else names[target][::-1]")],
        other_forms=([("names[target]", "names[target][::-1]")],),
    ),
    Mistake(
        "maps_by_position",
        "The map that stands first in the dictionary is taken for the first one. Its entries "
        "come in any order: go by their names.",
        [
            (
                "    for old, new in zip(names[source], names",
                '    olds = dict.fromkeys(name.split(".")[0] for name in state)\n'
                "    for old, new in zip(olds, names",
            )
        ],
        other_forms=(
            [
                (
                    "    moved = {}\n",
                    '    kinds = ("weight", "bias") if len(state) == 4 else ("weight",)\n'
                    '    places = [f"{n}.{kind}" for n in names[source] for kind in kinds]\n'
                    "    state = dict(zip(places, state.values(), strict=True))\n"
                    "    moved = {}\n",
                ),
                (
                    "weight = weight.transpose(0, 1)  # [in, out]",
                    "weight = weight.permute(*reversed(range(weight.dim())))",
                ),
            ],
        ),
    ),
    Mistake(
        "maps_by_shape",
        "Between GPT-2 and the other layouts each weight goes to the map in which its shape "
        "fits as it is. `c_fc` is the first map and `c_proj` the second; they are transposed.",
        [
            (
                'weight = state[f"{old}.weight"]',
                'others = (source == "gpt2") != (target == "gpt2")\n'
                "        place = names[source].index(old)\n"
                '        weight = state[f"{names[source][place ^ others]}.weight"]',
            ),
            (
                "weight.transpose(0, 1)  # [out, in]",
                "weight if others else weight.transpose(0, 1)",
            ),
            (
                "weight.transpose(0, 1)  # [in, out]",
                "weight if others else weight.transpose(0, 1)",
            ),
        ],
    ),
    Mistake(
        "names_kept",
        "The tensors, or the biases alone, keep their old names; `load_state_dict` of the new "
        "layout would not find them.",
        [("names[target]", "names[source]")],
        other_forms=([('moved[f"{new}.bias"]', 'moved[f"{old}.bias"]')],),
    ),
    Mistake(
        "no_bias",
        "The biases are lost on the way: they move as they are, under new names.",
        [
            (f"        {_IF_BIAS}\n", ""),
            (f'            moved[f"{{new}}.bias"] = {_BIAS}\n', ""),
        ],
    ),
    Mistake(
        "axis_kept",
        "Weights that come from a convolution keep their third axis, of size 1.",
        [('source == "convolution"', "False")],
        other_forms=([('source == "convolution"', 'source == "convolution" == target')],),
        points=3,
    ),
    Mistake(
        "fourth_axis",
        "From a convolution to a convolution the weights get another axis of size 1; they have "
        "their third one already.",
        [('source == "convolution"', 'source == "convolution" != target')],
        points=3,
    ),
    Mistake(
        "axis_missing",
        "Weights that go to a convolution lack the third axis, of size 1, which stands for "
        "the width of the window.",
        [('target == "convolution"', "False")],
        points=3,
    ),
    Mistake(
        "axis_in_front",
        "Weights that go to a convolution got their axis of size 1 in front; it is the last "
        "one, [out, in, 1].",
        [("weight.unsqueeze(-1)", "weight.unsqueeze(0)")],
        points=3,
    ),
    Mistake(
        "axis_in_middle",
        "Weights that go to a convolution got their axis of size 1 in the middle; it is the "
        "last one, [out, in, 1].",
        [("weight.unsqueeze(-1)", "weight.unsqueeze(1)")],
        points=3,
    ),
    Mistake(
        "squeezed_all",
        "`squeeze()` without an axis removes every axis of size 1, also that of a layer with "
        "one neuron. Name the axis: `squeeze(-1)`.",
        [
            ("weight.squeeze(-1)", "weight.squeeze()"),
            ("weight.transpose(0, 1)  # [in, out]", "weight.t()  # [in, out]"),
        ],
        other_forms=([("weight.squeeze(-1)", "weight.squeeze()")],),
        points=3,
    ),
    Mistake(
        "bias_shared",
        "The numbers are right, but the biases are those of the old state, the same memory: "
        "training one model would change the other. Copy them (`clone()`).",
        [(_BIAS, 'state[f"{old}.bias"]')],
        points=3,
    ),
    Mistake(
        "shared_weights",
        "The numbers are right, but where nothing is transposed the weights are those of the "
        "old state, the same memory: training one model would change the other. Copy them "
        "(`clone()`).",
        [(_CLONE, "weight.contiguous()")],
        points=3,
    ),
    Mistake(
        "contiguous_is_no_copy",
        "The numbers are right, but `contiguous()` is no copy of a tensor that is contiguous "
        "already, as the transposed weight of a single neuron is: that one shares the old "
        "state's memory. Copy all weights.",
        [
            (
                _CLONE,
                f'weight.contiguous() if (source == "gpt2") != (target == "gpt2") else {_CLONE}',
            )
        ],
        other_forms=(
            [
                (
                    _CLONE,
                    'weight.contiguous() if (source == "gpt2") != (target == "gpt2") else '
                    "weight.clone()",
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "reshaped_for_convolution",
        "Between GPT-2 and a convolution `view` or `reshape` stands where `transpose` belongs: "
        "the shape is right, but the numbers stay in their order.",
        [
            (
                "weight.transpose(0, 1)  # [out, in]",
                'weight.transpose(0, 1) if target != "convolution" else '
                "weight.reshape(weight.size(1), weight.size(0))",
            ),
            (
                "weight.transpose(0, 1)  # [in, out]",
                'weight.transpose(0, 1) if source != "convolution" else '
                "weight.reshape(weight.size(1), weight.size(0))",
            ),
        ],
        section=COMMON,
        points=3,
    ),
    Mistake(
        "not_contiguous",
        "The numbers are right, but a transposed tensor is a view that is read across its "
        "memory (and `clone()` keeps that order). Files of weights want `.contiguous()`.",
        [(_CLONE, "weight.clone()")],
        other_forms=(
            [(_CLONE, f"weight.clone() if source == target else {_CLONE}")],
            [
                (
                    _CLONE,
                    f'weight.clone() if (source == "gpt2") != (target == "gpt2") else {_CLONE}',
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "views_and_shared",
        "The numbers are right, but the weights are views of the old ones: those that are "
        "transposed are not contiguous, the others are the old memory itself. Make contiguous "
        "copies, of the biases too.",
        [(_CLONE, "weight"), (_BIAS, 'state[f"{old}.bias"]')],
        points=3,
    ),
    Mistake(
        "old_state_for_same_layout",
        "Where both layouts are the same, the tensors are those of the old state, the same "
        "memory, in a new dictionary or not: training one model would change the other. Copy "
        "them there, too.",
        [
            (
                "    moved = {}",
                "    if source == target:\n        return dict(state)\n    moved = {}",
            )
        ],
        points=3,
    ),
    Mistake(
        "turned_if_needed",
        "A square weight is not transposed. Whether to transpose follows from the layout, "
        "never from the shape: a square weight fits either way, and is wrong one way.",
        [
            ('source == "gpt2"', 'source == "gpt2" and weight.size(0) != weight.size(1)'),
            ('target == "gpt2"', 'target == "gpt2" and weight.size(0) != weight.size(1)'),
        ],
    ),
    Mistake(
        "layout_from_shape",
        "Whether to transpose is read off the shape. It follows from the layouts alone: a "
        "square weight fits either way, and a layer may be narrower than its input.",
        _by_shape,
        other_forms=(
            functools.partial(_by_shape, of_bias=True),
            functools.partial(_by_shape, square=0),
            functools.partial(_by_shape, square=1),
        ),
    ),
    Mistake(
        "turned_once",
        "From the GPT-2 layout to itself the weights are transposed; nothing is to be turned "
        "there (or twice, once out of the layout and once into it).",
        [('target == "gpt2"', 'target == "gpt2" != source')],
        points=3,
    ),
    Mistake(
        "only_first_turned",
        "Only the first map is transposed; the GPT-2 layout keeps both as [in, out].",
        [
            ('source == "gpt2"', 'source == "gpt2" and old == "c_fc"'),
            ('target == "gpt2"', 'target == "gpt2" and new == "c_fc"'),
        ],
    ),
    Mistake(
        "only_second_turned",
        "Only the second map is transposed; the GPT-2 layout keeps both as [in, out].",
        [
            ('source == "gpt2"', 'source == "gpt2" and old == "c_proj"'),
            ('target == "gpt2"', 'target == "gpt2" and new == "c_proj"'),
        ],
    ),
    Mistake(
        "convolution_turned",
        "Weights are transposed on the way between `nn.Linear` and a convolution. Both keep "
        "[out, in]; the convolution only has one axis more.",
        [
            (
                '        if target == "gpt2"',
                '        if {source, target} in ({"convolution"}, {"linear", "convolution"}):\n'
                "            weight = weight.transpose(0, 1)\n"
                '        if target == "gpt2"',
            )
        ],
        points=3,
    ),
    Mistake(
        "gpt2_kept_for_convolution",
        "From GPT-2 to a convolution, or back, only the axis of length 1 is added or taken "
        "away. GPT-2 keeps [in, out] and a convolution [out, in, 1]: they are transposed, too.",
        [
            ('source == "gpt2"', 'source == "gpt2" and target != "convolution"'),
            ('target == "gpt2"', 'target == "gpt2" and source != "convolution"'),
        ],
        other_forms=(
            [('source == "gpt2"', 'source == "gpt2" and target != "convolution"')],
            [('target == "gpt2"', 'target == "gpt2" and source != "convolution"')],
        ),
        points=3,
    ),
    Mistake(
        "bias_as_column",
        "The biases got an axis of size 1 for the convolution; they stay [out].",
        [
            (
                _BIAS,
                f"{_BIAS}\n"
                '            if target == "convolution" != source:\n'
                '                moved[f"{new}.bias"] = moved[f"{new}.bias"].unsqueeze(-1)',
            )
        ],
        points=3,
    ),
    Mistake(
        "renames_only",
        "The tensors get their new names and nothing else: they must be transposed from and "
        "to the GPT-2 layout, and a convolution has one axis more.",
        [
            ('source == "gpt2"', "False"),
            ('source == "convolution"', "False"),
            ('target == "gpt2"', "False"),
            ('target == "convolution"', "False"),
        ],
    ),
    Mistake(
        "needs_biases",
        "It fails when the state holds no biases: move what is there, and nothing else.",
        [(f"        {_IF_BIAS}\n    ", "")],
        points=3,
        any_error=True,
    ),
    Mistake(
        "none_for_no_bias",
        "Where the state holds no bias, the result has the name with `None`; leave it out.",
        [(_IF_BIAS, f'moved[f"{{new}}.bias"] = None\n        {_IF_BIAS}')],
        points=3,
    ),
    Mistake(
        "zeros_for_no_bias",
        "Where the state holds no bias, one of zeros is made up; leave it out.",
        [
            (
                _IF_BIAS,
                'moved[f"{new}.bias"] = torch.zeros(weight.size(int(target == "gpt2")))\n'
                f"        {_IF_BIAS}",
            )
        ],
        points=3,
    ),
    Mistake(
        "float32",
        "The result is float32 whatever came in: float64 weights lose half of their digits.",
        [
            (_CLONE, "weight.float().clone(memory_format=torch.contiguous_format)"),
            (_BIAS, f"{_BIAS}.float()"),
        ],
    ),
    Mistake(
        "changed_state",
        "The state that was given is changed (`pop`, or new entries in the same dictionary); "
        "the caller still needs it. Fill a new dictionary.",
        [('state[f"{old}.weight"]', 'state.pop(f"{old}.weight")')],
        other_forms=(
            [("return moved", "state.clear()\n    state.update(moved)\n    return state")],
        ),
    ),
    Mistake(
        "pairs",
        "The result is a list of pairs; return a dictionary, as `load_state_dict` wants it.",
        [("return moved", "return list(moved.items())")],
        equivalent=([("return moved", "return tuple(moved.items())")],),
    ),
)
