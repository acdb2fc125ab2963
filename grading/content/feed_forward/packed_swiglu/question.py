"""Exercise 2 of assignment 3: SwiGLU whose gate and up rows stand in one matrix, in two layouts."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from grading import check
from grading.content.drawing import draw_integer, draw_sizes, normal, redrawn
from grading.content.feed_forward import harnesses
from grading.content.feed_forward.sections import SWIGLU
from grading.content.feed_forward.shared import draw_width
from grading.exercise import Case, Part, Question


class PackedSwiGLU(nn.Module):
    """SwiGLU that reads either layout of its packed matrix."""

    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x):
        """Map ``[..., hidden]`` to ``[..., hidden]``."""
        both = self.gate_up(x)  # [..., 2 * intermediate]
        if self.interleaved:
            gate, up = both[..., 0::2], both[..., 1::2]
        else:
            gate, up = both.chunk(2, dim=-1)
        gate = F.silu(gate)
        return self.down(gate * up)


def _swiglu_cases(generator: torch.Generator) -> list[Case]:
    first_hidden, first_wide = draw_integer(generator, 3, 5), draw_width(generator)

    def draw(
        front, interleaved=False, low=6, hidden=first_hidden, wide=first_wide, one=False,
        tokens=None,
    ):  # fmt: skip
        shape = draw_sizes(generator, front, low=low)
        if one:
            shape[0] = 1
        if tokens:
            shape[-1] = tokens
        state = {
            "gate_up.weight": normal(generator, 2 * wide, hidden, size=0.9),
            "down.weight": normal(generator, hidden, wide),
        }
        init = [hidden, wide, True] if interleaved else [hidden, wide]
        inputs = [normal(generator, *shape, hidden)]
        return (("init", init), ("state", state), ("inputs", inputs))

    large = draw(2, True)  # a gate is 200 for the first token, where `exp` overflows
    token = large[2][1][0][0, 0]
    large[1][1]["gate_up.weight"][0] = 200 * token / token.square().sum()
    large[1][1]["down.weight"][:, 0] *= 0.01
    one = draw(3, low=2, hidden=8, wide=7)
    other = redrawn(generator, one[1][1])
    second_wide = 20 - first_wide  # what is kept by the hidden size is wrong for it
    run, train, reach = check.run_module, check.train_module, harnesses.gradients_reach
    return [
        Case(
            "halves, transposed views of sequences, as many tokens as rows",
            "core",
            draw(2, tokens=2 * first_wide),
            harness=run,
            strided=True,
        ),
        Case(
            "halves, a batch of one, as many tokens as numbers in each",
            "core",
            draw(2, wide=second_wide, one=True, tokens=first_hidden),
            harness=run,
        ),
        Case(
            "halves, a sequence of one token, narrower than the input",
            "core",
            draw(1, hidden=first_wide, wide=first_hidden, one=True),
            harness=run,
        ),
        Case("halves, a single token", "core", draw(0), harness=run),
        Case("interleaved, a batch of sequences, large gates", "interleaved", large, harness=run),
        Case("gradients of both weights", "trained", draw(2), harness=train),
        Case("a step of training, in both layouts", "trained", draw(1, True), harness=reach),
        Case("halves, in training mode", "trained", draw(2), harness=check.calls_in_training),
        Case(
            "interleaved, the weights afterwards",
            "interleaved",
            draw(2, True, wide=second_wide),
            harness=check.calls_in_evaluation,
        ),
        Case(
            "a single token, both layouts side by side, narrower than the input",
            "interleaved",
            draw(0, hidden=first_wide, wide=first_hidden),
            harness=harnesses.side_by_side,
        ),
        Case(
            "called again, and another module beside it",
            "core",
            (*one, ("others", redrawn(generator, one[2][1])), ("other_state", other)),
            harness=check.run_modules,
            repeats=True,
        ),
    ]


class _Maps(nn.Module):
    """The parameters of the exercise; the right programs below differ in what they do with them."""

    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.wide, self.interleaved = intermediate_size, interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)


class _SplitWeight(_Maps):
    def forward(self, x):
        gate, up = self.gate_up.weight.split(self.wide)
        if self.interleaved:
            gate, up = self.gate_up.weight[::2], self.gate_up.weight[1::2]
        return F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), self.down.weight)


class _Einsum(_Maps):
    def forward(self, x):
        shape = (self.wide, 2) if self.interleaved else (2, self.wide)
        gate, up = self.gate_up.weight.view(*shape, -1).unbind(1 if self.interleaved else 0)
        g = torch.einsum("...h,wh->...w", x, gate)
        u = torch.einsum("...h,wh->...w", x, up)
        return torch.einsum("...w,hw->...h", g / (1 + torch.exp(-g)) * u, self.down.weight)


class _AxisOfTwo(_Maps):
    def forward(self, x):
        both = self.gate_up(x)
        if self.interleaved:
            gate, up = both.unflatten(-1, (-1, 2)).unbind(-1)
        else:
            gate, up = both.unflatten(-1, (2, -1)).unbind(-2)
        return self.down(gate * torch.sigmoid(gate) * up)


class _LibraryGLU(_Maps):
    def forward(self, x):
        both = self.gate_up(x)
        if self.interleaved:
            both = torch.cat([both[..., ::2], both[..., 1::2]], dim=-1)
        gate, _ = both.chunk(2, dim=-1)
        # F.glu multiplies the first half by the sigmoid of the second
        return self.down(F.glu(both.roll(self.wide, -1)) * gate)


class _OwnParameters(nn.Module):
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


QUESTION = Question(
    id="PackedSwiGLU",
    title="A gate in the same matrix",
    signature="class PackedSwiGLU(hidden_size, intermediate_size, interleaved=False)",
    reference=PackedSwiGLU,
    cases=_swiglu_cases,
    parts=(
        Part("core", "the gate in the first half", 2),
        Part("interleaved", "gate and up in turns", 1),
        Part("trained", "training: gradients reach both weights, nothing is dropped", 1),
    ),
    minutes=20,
    difficulty=2,
    section=SWIGLU,
    alternatives={
        "the weight split instead of the product": _SplitWeight,
        "einsum": _Einsum,
        "an axis of two": _AxisOfTwo,
        "library GLU": _LibraryGLU,
        "parameters of its own, in float64": _OwnParameters,
    },
)
