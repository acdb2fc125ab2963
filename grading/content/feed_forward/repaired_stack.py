"""Bug hunt: a stack that runs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import combinations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading import check
from grading.content.drawing import draw_sizes, normal
from grading.content.feed_forward import harnesses
from grading.content.feed_forward.sections import (
    ACTIVATIONS,
    BEND,
    COMMON,
    CONVOLUTION,
    FORMS,
    MODULE,
)
from grading.content.feed_forward.shared import draw_width
from grading.exercise import Case, Exercise, Mistake, Part


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
        n_b, n_t, hidden = draw_sizes(generator, 3)
        wide, batch, tokens = draw_width(generator), batch or n_b, tokens or n_t
        tokens = hidden if square else tokens
        state = {}
        for layer in range(layers):
            for name, out, into in (("wider", wide, hidden), ("back", hidden, wide)):
                start = f"layers.{layer}.{name}"
                size = 1.0 if name == "wider" else 0.5
                state[f"{start}.weight"] = normal(generator, out, into, 1, size=size)
                state[f"{start}.bias"] = normal(generator, out, size=0.7)
        x = normal(generator, batch, tokens, hidden)
        return [hidden, wide, layers, dropout], state, x

    def case(title, part, harness, drawn, nested=True):
        init, state, x = drawn
        last = ("inputs", [x]) if nested else ("x", x)
        return Case(title, part, (("init", init), ("state", state), last), harness=harness)

    run = check.run_module
    return [
        case("one layer", "core", run, draw(1)),
        case("three layers", "core", run, draw(3)),
        case("as many tokens as numbers in a token", "core", run, draw(2, square=True)),
        case("a single token in a batch of one", "core", run, draw(2, batch=1, tokens=1)),
        case(
            "one token is changed",
            "core",
            harnesses.change_one_token,
            draw(2, tokens=4),
            nested=False,
        ),
        case(
            "evaluation, twice",
            "core",
            harnesses.run_twice,
            draw(2, dropout=0.5),
            nested=False,
        ),
        case("gradients in every layer", "trained", check.train_module, draw(2)),
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


EXERCISE = Exercise(
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
    section=COMMON,
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
            section=BEND,
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
            section=FORMS,
        ),
        Mistake(
            "not_dropped",
            "Dropout is gone altogether: in training mode nothing is dropped. It was only wrong "
            "in evaluation mode.",
            points=3,
            section=MODULE,
        ),
        Mistake(
            "dropped_inside",
            "Dropout stands before the second map; it belongs behind it, where it was.",
            points=3,
            section=MODULE,
        ),
        Mistake(
            "rate_fixed",
            "The rate of dropout is not the one that was asked for: use the argument `dropout`.",
            points=3,
            section=MODULE,
        ),
        Mistake(
            "inverted",
            "Dropout is the wrong way round: it drops in evaluation mode and not in training.",
            _repaired_stack(frozenset({"inverted"})),
            section=MODULE,
        ),
        Mistake(
            "dropped_sum",
            "Dropout is applied after the addition, so it hits the tokens themselves; it belongs "
            "to the update, before it is added.",
            _stack_like(_drop_sum),
            points=3,
            section=MODULE,
        ),
        Mistake(
            "relu",
            "The activation is ReLU now; the broken code called the exact GELU.",
            _stack_like(_relu_inside),
            section=ACTIVATIONS,
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
            section=CONVOLUTION,
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
