"""Exercise 4 of assignment 3: a stack of feed-forward layers with four bugs, to be repaired."""

from __future__ import annotations

import copy

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading import check
from grading.content.drawing import draw_sizes, normal, redrawn
from grading.content.feed_forward import harnesses
from grading.content.feed_forward.sections import COMMON
from grading.content.feed_forward.shared import draw_width
from grading.exercise import Case, Part, Question


class RepairedLayer(nn.Module):
    """Two convolutions of width 1 with the exact GELU between."""

    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x):
        """Return the update ``[batch, tokens, hidden]``."""
        wide = self.wider(x.transpose(1, 2))  # [batch, wide, tokens]
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return F.dropout(update, self.dropout, training=self.training)


class RepairedStack(nn.Module):
    """Feed-forward layers on top of each other, each added to what it was given."""

    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList(
            RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)
        )

    def forward(self, x):
        """Map ``[batch, tokens, hidden]`` to ``[batch, tokens, hidden]``."""
        for layer in self.layers:
            x = x + layer(x)
        return x


def _stack_cases(generator: torch.Generator) -> list[Case]:
    def draw(layers, batch=None, tokens=None, dropout=0.0, square=False, scale=1.0):
        n_b, n_t, hidden = draw_sizes(generator, 3)
        wide, batch, tokens = draw_width(generator), batch or n_b, tokens or n_t
        tokens = hidden if square else tokens
        state = {}
        for layer in range(layers):
            for name, out, into in (("wider", wide, hidden), ("back", hidden, wide)):
                start = f"layers.{layer}.{name}"
                size = scale if name == "wider" else scale / 2
                state[f"{start}.weight"] = normal(generator, out, into, 1, size=size)
                state[f"{start}.bias"] = normal(generator, out, size=0.7)
        x = normal(generator, batch, tokens, hidden)
        return [hidden, wide, layers, dropout], state, x

    def case(title, part, harness, drawn, nested=True):
        init, state, x = drawn
        last = ("inputs", [x]) if nested else ("x", x)
        return Case(title, part, (("init", init), ("state", state), last), harness=harness)

    run, repeated = check.run_module, draw(2, batch=6, tokens=9)
    no_rate = draw(2)
    del no_rate[0][-1]
    return [
        case("three layers", "core", run, draw(3)),
        case(
            "one sequence, as many tokens as numbers in each",
            "core",
            run,
            draw(2, batch=1, square=True),
        ),
        case("one layer, sequences of one token", "core", run, draw(1, tokens=1)),
        case(
            "one token is changed",
            "core",
            harnesses.change_one_token,
            draw(2, tokens=4),
            nested=False,
        ),
        case(
            "evaluation, twice, no rate given",
            "core",
            harnesses.run_twice,
            no_rate,
            nested=False,
        ),
        Case(
            "called again, and another stack beside it",
            "core",
            (
                ("init", repeated[0]),
                ("state", repeated[1]),
                ("inputs", [repeated[2]]),
                ("others", [redrawn(generator, repeated[2])]),
                ("other_state", redrawn(generator, repeated[1])),
            ),
            harness=check.run_modules,
            repeats=True,
        ),
        # sums over all tokens: of larger numbers the last digits differ
        case("gradients in every layer", "trained", check.train_module, draw(2, scale=0.4)),
        case(
            "dropout in training",
            "trained",
            harnesses.train_with_dropout,
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


QUESTION = Question(
    id="RepairedStack",
    title="Bug hunt: a stack that runs",
    signature="class RepairedStack(hidden_size, intermediate_size, num_layers, dropout=0.1)",
    reference=RepairedStack,
    helpers=(RepairedLayer,),
    cases=_stack_cases,
    parts=(
        Part("core", "all four bugs are gone", 3),
        Part("trained", "every layer learns; dropout still drops in training", 1),
    ),
    minutes=20,
    difficulty=2,
    section=COMMON,
    alternatives={
        "linear maps on the convolutions' weights": _linear_stack,
        "copies of one layer": _CopiedStack,
        "channels first": _ChannelsFirstStack,
        "token by token": _LoopStack,
    },
)
