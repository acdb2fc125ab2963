"""A gate in the same matrix."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading import check
from grading.content.drawing import draw_sizes, normal
from grading.content.feed_forward.sections import ALONE, COMMON, SWIGLU
from grading.content.feed_forward.shared import draw_width
from grading.exercise import Case, Exercise, Mistake, Part


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
        *shape, hidden = draw_sizes(generator, front + 1, low=3)
        wide = draw_width(generator)
        if narrow:
            hidden, wide = wide, hidden
        if first:
            shape[0] = 1
        state = {
            "gate_up.weight": normal(generator, 2 * wide, hidden, size=0.9),
            "down.weight": normal(generator, hidden, wide),
        }
        init = [hidden, wide, True] if interleaved else [hidden, wide]
        inputs = [normal(generator, *shape, hidden)]
        return (("init", init), ("state", state), ("inputs", inputs))

    run, train = check.run_module, check.train_module
    return [
        Case("halves, a batch of sequences", "core", draw(2), harness=run),
        Case("halves, a batch of one", "core", draw(2, one=True), harness=run),
        Case(
            "halves, one sequence, narrower than the input",
            "core",
            draw(1, narrow=True),
            harness=run,
        ),
        Case("halves, a single token", "core", draw(0), harness=run),
        Case("interleaved, a batch of sequences", "interleaved", draw(2, True), harness=run),
        Case("interleaved, a single token", "interleaved", draw(0, True), harness=run),
        Case("gradients of both weights", "trained", draw(2), harness=train),
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


EXERCISE = Exercise(
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
    section=SWIGLU,
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
            mutation=_packed_swiglu(frozenset({"up_unused"})),
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
            mutation=_packed_swiglu(frozenset({"layout_inverted"})),
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
            mutation=_packed_swiglu(frozenset({"residual"})),
        ),
        Mistake(
            "gate_detached",
            "The output is right, but no gradient flows through the gate (`detach`, `no_grad`), "
            "so half of `gate_up` would not learn.",
            points=3,
            mutation=_packed_swiglu(frozenset({"gate_detached"})),
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
            section=ALONE,
        ),
        Mistake(
            "split_front",
            "The split runs along the first axis (`dim=0`, which is the default of `chunk` and "
            "`split`); split the last axis, `dim=-1`.",
            _packed_like(_split_front),
            section=ALONE,
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
            section=ALONE,
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
            section=SWIGLU,
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
            section=COMMON,
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
            equivalent=(_packed_like(_right_wide, _build_transposed),),
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
