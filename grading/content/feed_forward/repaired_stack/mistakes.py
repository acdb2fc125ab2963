"""The known mistakes of `repaired_stack`."""

from __future__ import annotations

from dataclasses import replace

from grading.content.common import bugs_left, cut_off, kept
from grading.content.feed_forward.sections import (
    ACTIVATIONS,
    COMMON,
    CONVOLUTION,
    FORMS,
    MODULE,
    NONLINEARITY,
)
from grading.exercise import Mistake

_SHARED = [
    (
        """\
        self.layers = nn.ModuleList(
            RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)
        )
""",
        """\
        layer = RepairedLayer(hidden_size, intermediate_size, dropout)
        self.layers = nn.ModuleList([layer] * num_layers)
""",
    )
]
_LAST_EACH_TIME = [  # layers of their own, and one of them runs
    ("for layer in self.layers:", "for _ in self.layers:"),
    ("x = x + layer(x)", "x = x + self.layers[-1](x)"),
]
_DISCARDED = [("wide = F.gelu(wide)", "F.gelu(wide)")]
_RESHAPED = [
    (
        "        wide = self.wider(x.transpose(1, 2))",
        "        batch, tokens, hidden = x.shape\n"
        "        wide = self.wider(x.reshape(batch, hidden, tokens))",
    ),
    ("self.back(wide).transpose(1, 2)", "self.back(wide).reshape(batch, tokens, hidden)"),
]
_ALIVE = [(", training=self.training", "")]
_BUGS = {
    "shared": (
        "one layer runs in all places (`[layer] * n` is n times the same object), with the weights "
        "of the last",
        _SHARED,
    ),
    "discarded": (
        "`F.gelu` returns a new tensor, which is thrown away, so there is no activation",
        _DISCARDED,
    ),
    "reshaped": (
        "`reshape` brings [batch, tokens, hidden] into the right shape but leaves the numbers in "
        "their order, so tokens are mixed; `transpose` exchanges axes",
        _RESHAPED,
    ),
    "alive": (
        "`F.dropout` drops in evaluation mode too, unless it is told `training=self.training`",
        _ALIVE,
    ),
}


def _bugs_left() -> list[Mistake]:
    found = bugs_left(_BUGS, 4, COMMON, {"discarded": NONLINEARITY})
    return [
        replace(left, other_forms=([*_LAST_EACH_TIME, *left.mutation[len(_SHARED) :]],))
        if left.id.startswith("shared")
        else left
        for left in found
    ]


_DROPOUT = "F.dropout(update, self.dropout, training=self.training)"


COMBINED = (
    "shared",
    "discarded",
    "reshaped",
    "alive",
    "reshaped_in",
    "reshaped_out",
    "no_residual",
    "tanh_form",
    "not_dropped",
    "dropped_inside",
    "rate_fixed",
    "relu",
)

BROKEN = ("shared", "discarded", "reshaped", "alive")

MISTAKES = (
    *_bugs_left(),
    Mistake(
        "reshaped_in",
        "The way back is a transpose now, but the way into the convolution is still a "
        "`reshape`, which mixes tokens.",
        [("x.transpose(1, 2)", "x.reshape(x.size(0), -1, x.size(1))")],
        points=3,
        by_bug=True,
    ),
    Mistake(
        "reshaped_out",
        "The way into the convolution is a transpose now, but the way back is still a "
        "`reshape`, which mixes tokens.",
        [("self.back(wide).transpose(1, 2)", "self.back(wide).reshape(x.shape)")],
        points=3,
        by_bug=True,
    ),
    Mistake(
        "no_residual",
        "The layers' results are no longer added to what they were given (`x + layer(x)`): "
        "that was no bug.",
        [("x + layer(x)", "layer(x)")],
    ),
    Mistake(
        "tanh_form",
        "The activation is the tanh form of GELU now; the broken code called the exact one, "
        "`F.gelu(wide)`.",
        [("F.gelu(wide)", 'F.gelu(wide, approximate="tanh")')],
        section=FORMS,
    ),
    Mistake(
        "not_dropped",
        "Dropout is gone altogether: in training mode nothing is dropped. It was only wrong "
        "in evaluation mode.",
        [(_DROPOUT, "update")],
        points=3,
        section=MODULE,
    ),
    Mistake(
        "dropped_inside",
        "Dropout stands before the second map; it belongs behind it, where it was.",
        [
            (
                "        update =",
                "        wide = F.dropout(wide, self.dropout, training=self.training)\n"
                "        update =",
            ),
            (_DROPOUT, "update"),
        ],
        points=3,
        section=MODULE,
    ),
    Mistake(
        "dropped_inside_too",
        "Dropout stands before the second map, too; it belongs behind it only, where it was.",
        [
            (
                "        update =",
                "        wide = F.dropout(wide, self.dropout, training=self.training)\n"
                "        update =",
            ),
        ],
        points=3,
        section=MODULE,
    ),
    Mistake(
        "not_enlarged",
        "Dropout is written by hand, and what is kept is not enlarged: it must be divided by "
        "1 − p, so that the sum is as large on average as without dropout.",
        [
            (
                _DROPOUT,
                "update * (torch.rand_like(update) >= self.dropout) if self.training else update",
            )
        ],
        points=3,
        section=MODULE,
    ),
    kept(
        [
            (
                'each added to what it was given."""\n',
                'each added to what it was given."""\n\n    kept = {}\n',
            ),
            (
                "        for layer in self.layers",
                "        x = self.kept.setdefault(x.shape, x)\n        for layer in self.layers",
            ),
        ]
    ),
    Mistake(
        "rate_fixed",
        "In training the share that is dropped is not always the one that was asked for. The "
        "argument `dropout` is the probability of dropping, not of keeping, also where it is 0 "
        "(`dropout or 0.1` takes that for none).",
        [("self.dropout = dropout", "self.dropout = 0.1")],
        other_forms=(
            [("self.dropout = dropout", "self.dropout = 1 - dropout")],
            [("update, self.dropout, training", "update, training")],
            [("self.dropout = dropout", "self.dropout = dropout or 0.1")],
        ),
        points=3,
        section=MODULE,
    ),
    Mistake(
        "layers_detached",
        "The numbers are right, but each layer is given its input without a gradient "
        "(`detach`), so the layers below it do not learn what it needs.",
        [("x + layer(x)", "x + layer(x.detach())")],
        points=3,
    ),
    Mistake(
        "whole_channels",
        "Dropout drops whole channels or whole tokens (`nn.Dropout1d`), or the same numbers in "
        "all sequences; it must drop each number of the update by itself, as `nn.Dropout` "
        "does.",
        [
            (
                _DROPOUT,
                "F.dropout1d(update.mT, self.dropout, training=self.training).mT",
            )
        ],
        equivalent=([(_DROPOUT, "F.dropout1d(update, self.dropout, training=self.training)")],),
        points=3,
        section=MODULE,
    ),
    Mistake(
        "inverted",
        "Dropout is the wrong way round: it drops in evaluation mode and not in training.",
        [("training=self.training", "training=not self.training")],
        section=MODULE,
    ),
    Mistake(
        "dropped_sum",
        "Dropout is applied after the addition, so it hits the tokens themselves; it belongs "
        "to the update, before it is added.",
        [
            (_DROPOUT, "update"),
            ("x + layer(x)", "F.dropout(x + layer(x), layer.dropout, training=self.training)"),
        ],
        points=3,
        section=MODULE,
    ),
    Mistake(
        "relu",
        "The activation is ReLU now; the broken code called the exact GELU.",
        [("F.gelu(wide)", "F.relu(wide)")],
        section=ACTIVATIONS,
    ),
    Mistake(
        "activated_first",
        "GELU is applied before the first map; it belongs between the two.",
        [
            ("x.transpose(1, 2)", "F.gelu(x).transpose(1, 2)"),
            ("        wide = F.gelu(wide)\n", ""),
        ],
    ),
    Mistake(
        "activated_last",
        "GELU is applied to the update, behind the second map; it belongs between the two.",
        [
            ("        wide = F.gelu(wide)\n", ""),
            ("F.dropout(update", "F.dropout(F.gelu(update)"),
        ],
        section=NONLINEARITY,
    ),
    Mistake(
        "activation_twice",
        "GELU is applied to the update as well; it belongs between the two maps only.",
        [("F.dropout(update", "F.dropout(F.gelu(update)")],
    ),
    Mistake(
        "parallel",
        "Every layer is given the input of the stack; each must be given what the one before "
        "returned.",
        [
            ("        for", "        given = x\n        for"),
            ("x + layer(x)", "x + layer(given)"),
        ],
    ),
    Mistake(
        "first_only",
        "Only the first layer runs (a `return` inside the loop?).",
        [("        return x", "            return x")],
    ),
    Mistake(
        "last_only",
        "Only the last layer has an effect.",
        [("x = x + layer(x)", "last = x + layer(x)"), ("return x", "return last")],
    ),
    Mistake(
        "one_less",
        "The last layer does not run.",
        [("in self.layers", "in self.layers[:-1]")],
        other_forms=([("in self.layers", "in self.layers[: len(self.layers) - 1 or 1]")],),
    ),
    Mistake(
        "added_twice",
        "The input is added twice, inside the layer and outside it.",
        [("return F.dropout", "return x + F.dropout")],
    ),
    cut_off([("return x", "return x.detach()")], points=3),
    Mistake(
        "changed_input",
        "The input is changed in place (`x += …`); the caller still needs it. Write `x = x + …`.",
        [("x = x + layer(x)", "x += layer(x)")],
        other_forms=([("x = x + layer(x)", "x += layer(x).detach()")],),
    ),
    Mistake(
        "plain_list",
        "The layers are kept in a Python list, where a module does not see their parameters. "
        "Use `nn.ModuleList`.",
        [("nn.ModuleList(", "list(")],
    ),
    Mistake(
        "not_transposed",
        "The axes do not fit: a convolution wants [batch, hidden, tokens]. Exchange axes 1 and "
        "2 before it, and again behind it.",
        [("x.transpose(1, 2)", "x"), ("self.back(wide).transpose(1, 2)", "self.back(wide)")],
        section=CONVOLUTION,
    ),
    Mistake(
        "linear_layers",
        "`wider` and `back` are no convolutions of width 1 any more: their weights must keep "
        "the shape [out, in, 1], because saved weights have it.",
        [
            (
                "nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)",
                "nn.Linear(hidden_size, intermediate_size)",
            ),
            (
                "nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)",
                "nn.Linear(intermediate_size, hidden_size)",
            ),
        ],
    ),
    Mistake(
        "wide_window",
        "The windows are 3 tokens wide; with more than 1, a token sees its neighbours.",
        [
            ("intermediate_size, kernel_size=1", "intermediate_size, kernel_size=3, padding=1"),
            ("hidden_size, kernel_size=1", "hidden_size, kernel_size=3, padding=1"),
        ],
    ),
)
