"""Moving house."""

from __future__ import annotations

import copy
from collections.abc import Callable

import torch
from torch import Tensor, nn

from grading.content.drawing import draw_sizes, normal
from grading.content.feed_forward import harnesses
from grading.content.feed_forward.sections import COMMON, CONVOLUTION
from grading.content.feed_forward.shared import draw_width
from grading.exercise import Case, Exercise, Mistake, Part

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
        hidden = hidden or draw_sizes(generator, 1, low=3)[0]
        wide = wide or draw_width(generator)
        state = {}
        for name, out, into in zip(_NAMES[source], (wide, hidden), (hidden, wide), strict=True):
            weight = normal(generator, out, into).to(dtype)
            if source == "gpt2":
                weight = weight.T.contiguous()
            if source == "convolution":
                weight = weight.unsqueeze(-1)
            state[f"{name}.weight"] = weight
            if bias:
                state[f"{name}.bias"] = normal(generator, out).to(dtype)
        return (("state", state), ("source", source), ("target", target))

    saved = {"harness": harnesses.to_be_saved}
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


EXERCISE = Exercise(
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
    section=CONVOLUTION,
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
            section=COMMON,
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
            mutation=_move_weights(frozenset({"axis_in_front"})),
        ),
        Mistake(
            "axis_in_middle",
            "Weights that go to a convolution got their axis of size 1 in the middle; it is the "
            "last one, [out, in, 1].",
            points=3,
            mutation=_move_weights(frozenset({"axis_in_middle"})),
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
            equivalent=(lambda *arguments: tuple(_RIGHT_MOVE(*arguments).items()),),
        ),
    ),
)


def _made_up_biases(state, source, target):
    moved = _RIGHT_MOVE(state, source, target)
    outs = {name: moved[f"{name}.weight"].size(int(target == "gpt2")) for name in _NAMES[target]}
    return {f"{name}.bias": torch.zeros(out) for name, out in outs.items()}
