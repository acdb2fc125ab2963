"""Bug hunt: an encoder layer that should equal PyTorch's, in post-norm and in pre-norm."""

from __future__ import annotations

import itertools

import torch
import torch.nn.functional as F
from torch import nn

from grading import check
from grading.content.common import cut_off, kept
from grading.content.drawing import draw_sizes, redrawn
from grading.content.normalization import harnesses
from grading.content.normalization.sections import (
    EPS_OF_MODEL,
    LAST,
    LAYER_MISTAKES,
    PLACES,
    RESIDUAL,
)
from grading.content.normalization.shared import draw_affine, draw_linear, normal
from grading.exercise import Case, Exercise, Mistake, Part
from grading.exercise.edits import Edits


class RepairedLayer(nn.Module):
    """An encoder layer that equals nn.TransformerEncoderLayer in evaluation mode."""

    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        """Let the tokens look at each other."""
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, self.dropout, self.training)

    def feed_forward(self, x):
        """Change each token by itself."""
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, self.dropout, self.training)

    def forward(self, x):
        """Map [batch, tokens, hidden_size] to the same shape."""
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        total = x + self.attend(x)
        normalised = self.norm1(total)
        return self.norm2(normalised + self.feed_forward(normalised))


_BUGS = {  # why it is one, and how it comes back
    "second_residual": (
        "in pre-norm the result of the feed-forward network replaces `x` instead of "
        "being added to it",
        [("return x + ", "return ")],
    ),
    "unnormalised_residual": (
        "in post-norm the second residual is the sum *before* `norm1`; it "
        "must be what came out of `norm1`",
        [
            ("        normalised = self.norm1(total)\n", ""),
            (
                "normalised + self.feed_forward(normalised)",
                "total + self.feed_forward(self.norm1(total))",
            ),
        ],
    ),
    "eps_of_norm2": (
        "`norm2` is built without the `eps` that was given",
        [("self.norm2 = nn.LayerNorm(hidden_size, eps)", "self.norm2 = nn.LayerNorm(hidden_size)")],
    ),
    "dropout_alive": (
        "`F.dropout` drops in evaluation, too, unless it is told `self.training`",
        [
            (
                "need_weights=False)\n"
                "        return F.dropout(output, self.dropout, self.training)",
                "need_weights=False)\n        return F.dropout(output, self.dropout)",
            ),
            (
                "self.linear1(x)))\n        return F.dropout(output, self.dropout, self.training)",
                "self.linear1(x)))\n        return F.dropout(output, self.dropout)",
            ),
        ],
    ),
}


def _dropped(instead: str) -> Edits:
    """Something else in place of dropout, in both parts."""
    old = "return F.dropout(output, self.dropout, self.training)"
    begins = ("need_weights=False)\n        ", "self.linear1(x)))\n        ")
    return [(begin + old, begin + instead) for begin in begins]


def _bugs_left() -> list[Mistake]:
    """One mistake for each set of bugs that may be left over."""
    mistakes = []
    for number in range(1, 5):
        for left in itertools.combinations(_BUGS, number):
            count = ("One bug is", "Two bugs are", "Three bugs are", "All four bugs are")
            reasons = "; ".join(_BUGS[name][0] for name in left)
            message = f"{count[number - 1]} still there: {reasons}."
            edits = [edit for name in left for edit in _BUGS[name][1]]
            section = EPS_OF_MODEL if left == ("eps_of_norm2",) else LAYER_MISTAKES
            name = "_and_".join(left)
            mistakes.append(Mistake(name, message, edits, 4 - number, section, by_bug=True))
    return mistakes


def _layer_cases(generator: torch.Generator) -> list[Case]:
    def draw(norm_first, size, shape):
        batch, tokens, width = draw_sizes(generator, 3)
        shape = shape or (batch, tokens + 2, 2 * draw_sizes(generator, 1)[0] + 2)
        hidden, width = shape[-1], width + 8
        sizes = {"self_attn.in_proj_": (3 * hidden, hidden, 1.0 if norm_first else 1 / size)}
        sizes["self_attn.out_proj."] = (hidden, hidden, 3.0)
        sizes |= {"linear1.": (width, hidden, 1.0), "linear2.": (hidden, width, 3.0)}
        state = {}
        for name, (out, into, factor) in sizes.items():
            own = draw_linear(generator, out, into)
            state |= {f"{name}weight": factor * own["weight"], f"{name}bias": own["bias"]}
        for name in ("norm1", "norm2"):
            own = draw_affine(generator, hidden)
            state |= {f"{name}.{kind}": tensor for kind, tensor in own.items()}
        return [hidden, 2 if hidden < 8 else 4, width], state, normal(generator, *shape, size=size)

    def case(
        title, part, norm_first, eps=1e-5, dropout=0.0, size=4.0, shape=None,
        harness=harnesses.evaluate_twice, given=True, **options,
    ):  # fmt: skip
        while True:
            sizes, state, x = draw(norm_first, size, shape)
            if eps < 1e-5 or not given:  # what reaches either norm is tiny
                tiny = ("self_attn.out_proj", "norm1", "linear2")
                state = {n: size * t if n.startswith(tiny) else t for n, t in state.items()}
            with torch.no_grad():  # at an eps of 1e-5 its exact value must not show
                one, other = (
                    check.run_module(RepairedLayer, [*sizes, norm_first, e, 0.0], state, [x])
                    for e in (1e-5, 1e-12)
                )
            if eps != 1e-5 or not given or check.difference(one, other, 4e-6) is None:
                break
        init = [*sizes, norm_first, *([eps, dropout] if given else [])]
        arguments = (("init", init), ("state", state), ("x", x))
        return Case(title, part, arguments, harness=harness, **options)

    def repeated():
        sizes, state, x = draw(False, 4.0, (5, 7, 12))
        arguments = (
            ("init", [*sizes, False, 1e-5, 0.0]),
            ("state", state),
            ("inputs", [x]),
            ("others", [redrawn(generator, x)]),
            ("other_state", redrawn(generator, state)),
        )
        title = "post-norm, called again, and another layer beside it"
        return Case(title, "core", arguments, harness=check.run_modules, repeats=True)

    return [
        case("post-norm, its gradient, too", "core", False, shape=(4, 4, 8), gradient=True),
        case("post-norm, a batch of one token", "core", False, shape=(1, 1, 6)),
        case("pre-norm, its gradient, too", "pre", True, gradient=True),
        repeated(),
        case("pre-norm, every parameter", "pre", True, harness=harnesses.gradients_reach),
        case("eps = 0.5", "settings", False, eps=0.5),
        case("eps = 1e-12, tiny numbers", "settings", False, eps=1e-12, size=0.001),
        case("eps and dropout not given, tiny numbers, eval()", "settings", False, size=0.001,
             given=False),
        case("dropout = 0.5, train()", "settings", False, dropout=0.5, shape=(2, 4, 6),
             harness=harnesses.train_twice),
        case("pre-norm, dropout = 0.3, eval() and train()", "settings", True, dropout=0.3,
             shape=(4, 20, 6), harness=harnesses.evaluate_and_train),
    ]  # fmt: skip


class _LibraryLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(
            hidden_size,
            num_heads,
            width,
            dropout,
            layer_norm_eps=eps,
            batch_first=True,
            norm_first=norm_first,
        )


class _LayerWithDropoutModules(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(hidden_size, width), nn.Linear(width, hidden_size)
        self.norm1, self.norm2 = nn.LayerNorm(hidden_size, eps), nn.LayerNorm(hidden_size, eps)
        self.drop, self.norm_first = nn.Dropout(dropout), norm_first

    def attend(self, x):
        return self.self_attn(x, x, x)[0]

    def feed_forward(self, x):
        return self.linear2(self.linear1(x).clamp(min=0))

    def forward(self, x):
        for part, norm in ((self.attend, self.norm1), (self.feed_forward, self.norm2)):
            x = x + self.drop(part(norm(x))) if self.norm_first else norm(x + self.drop(part(x)))
        return x


class _LayerByHand(_LayerWithDropoutModules):
    """The same parameters, used through functions."""

    def attend(self, x):
        batch, tokens, hidden = x.shape
        packed = F.linear(x, self.self_attn.in_proj_weight, self.self_attn.in_proj_bias)
        query, key, value = (
            part.view(batch, tokens, self.self_attn.num_heads, -1).transpose(1, 2)
            for part in packed.split(hidden, dim=-1)
        )
        mixed = F.scaled_dot_product_attention(query, key, value)
        mixed = mixed.transpose(1, 2).reshape(batch, tokens, hidden)
        return self.self_attn.out_proj(mixed)


class _LayerOfSums(_LayerWithDropoutModules):
    """Copies for attention, feed-forward as sums over named axes."""

    def attend(self, x):
        return self.self_attn(x.clone(), x.clone(), x.clone())[0]

    def feed_forward(self, x):
        inner = torch.einsum("btd,wd->btw", x, self.linear1.weight) + self.linear1.bias
        result = torch.einsum("btw,dw->btd", inner.relu(), self.linear2.weight)
        return result + self.linear2.bias


class _LayerWithDropoutInside(_LayerWithDropoutModules):
    """Dropout inside attention and feed-forward as well, as PyTorch's layer has it."""

    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, norm_first, eps, dropout)
        self.self_attn.dropout = dropout

    def feed_forward(self, x):
        return self.linear2(self.drop(self.linear1(x).relu()))


EXERCISE = Exercise(
    id="RepairedLayer",
    title="Bug hunt: an encoder layer",
    signature="class RepairedLayer(hidden_size, num_heads, width, norm_first, eps, dropout)",
    reference=RepairedLayer,
    combined=(
        "second_residual",
        "unnormalised_residual",
        "eps_of_norm2",
        "dropout_alive",
        "norm_on_branch",
        "unnormalised_input",
        "residual_from_the_start",
        "normalised_residual",
        "no_dropout",
    ),
    broken=tuple(_BUGS),
    cases=_layer_cases,
    parts=(
        Part("core", "post-norm equals PyTorch's layer", 2),
        Part("pre", "so does pre-norm", 1),
        Part("settings", "eps and dropout are respected", 1),
    ),
    minutes=20,
    difficulty=3,
    section=LAYER_MISTAKES,
    alternatives={
        "library": _LibraryLayer,
        "dropout modules and a loop": _LayerWithDropoutModules,
        "attention by hand": _LayerByHand,
        "einsum": _LayerOfSums,
        "more dropout in training": _LayerWithDropoutInside,
    },
    mistakes=(
        *_bugs_left(),
        kept(
            [
                (
                    'nn.TransformerEncoderLayer in evaluation mode."""\n',
                    'nn.TransformerEncoderLayer in evaluation mode."""\n\n    kept = {}\n',
                ),
                (
                    "        if self.norm_first:\n",
                    "        x = self.kept.setdefault(x.shape, x)\n        if self.norm_first:\n",
                ),
            ]
        ),
        Mistake(
            "always_post",
            "`norm_first` has no effect: the layer is always post-norm.",
            [("self.norm_first = norm_first", "self.norm_first = False")],
            points=3,
            section=PLACES,
        ),
        Mistake(
            "always_pre",
            "`norm_first` has no effect: the layer is always pre-norm.",
            [("self.norm_first = norm_first", "self.norm_first = True")],
            section=PLACES,
        ),
        Mistake(
            "norm_on_branch",
            "Post-norm is written as x + norm(f(x)); the norm stands after the sum: "
            "norm(x + f(x)).",
            [
                (
                    "        total = x + self.attend(x)\n        normalised = self.norm1(total)",
                    "        normalised = x + self.norm1(self.attend(x))",
                ),
                (
                    "self.norm2(normalised + self.feed_forward(normalised))",
                    "normalised + self.norm2(self.feed_forward(normalised))",
                ),
            ],
        ),
        Mistake(
            "one_norm_on_branch",
            "In post-norm one of the norms is applied to what a part returns, before that is "
            "added. It stands after the sum: norm(x + f(x)).",
            [
                (
                    "self.norm2(normalised + self.feed_forward(normalised))",
                    "normalised + self.norm2(self.feed_forward(normalised))",
                )
            ],
            other_forms=([("self.norm1(total)", "x + self.norm1(self.attend(x))")],),
        ),
        Mistake(
            "unnormalised_input",
            "In post-norm the feed-forward network reads the sum before `norm1`; it must read "
            "what came out of `norm1`.",
            [("feed_forward(normalised)", "feed_forward(total)")],
        ),
        Mistake(
            "first_norm_twice",
            "In post-norm `norm1` is applied twice before the feed-forward network: to the sum, "
            "and once more to its result. The network must read what came out of the first.",
            [("feed_forward(normalised)", "feed_forward(self.norm1(normalised))")],
            section=PLACES,
        ),
        Mistake(
            "residual_from_the_start",
            "In post-norm the second residual is the input of the layer, so what attention found "
            "is lost there. It must be what came out of `norm1`.",
            [("normalised +", "x +")],
        ),
        Mistake(
            "sum_lost",
            "In pre-norm the second residual is the input of the layer, so what attention found "
            "is lost there. It must be the sum after attention.",
            [
                ("x = x + self.attend(self", "total = x + self.attend(self"),
                ("self.norm2(x)", "self.norm2(total)"),
            ],
            points=3,
        ),
        Mistake(
            "first_norm_missing",
            "In post-norm `norm1` is not applied: the norm stands after each of the two sums.",
            [("self.norm1(total)", "total")],
            section=PLACES,
        ),
        Mistake(
            "second_normalised",
            "In pre-norm what is added to the feed-forward network's result is the normalised "
            "vector, norm2(x). It must be `x`, as it was before.",
            [("return x +", "return self.norm2(x) +")],
            points=3,
            section=PLACES,
        ),
        Mistake(
            "normalised_residual",
            "In pre-norm the normalised vector is what is added; the residual path must stay "
            "free: x + f(norm(x)).",
            [
                (
                    "            x = x + self.attend(self.norm1(x))",
                    "            x = self.norm1(x)\n"
                    "            x = x + self.attend(x)\n"
                    "            x = self.norm2(x)",
                ),
                ("self.feed_forward(self.norm2(x))", "self.feed_forward(x)"),
            ],
            points=3,
            section=PLACES,
        ),
        Mistake(
            "parallel",
            "In pre-norm both parts read the same input; the feed-forward network must read the "
            "sum after attention.",
            [
                ("x = x + self.attend(self", "total = x + self.attend(self"),
                ("return x +", "return total +"),
            ],
            points=3,
            section=PLACES,
        ),
        Mistake(
            "norms_exchanged",
            "`norm1` and `norm2` are exchanged: `norm1` belongs to attention.",
            [
                ("self.norm1(x)", "self.norm2(x)"),
                ("self.norm2(x)", "self.norm1(x)"),
                ("self.norm1(total)", "self.norm2(total)"),
                ("self.norm2(normalised", "self.norm1(normalised"),
            ],
        ),
        Mistake(
            "gelu",
            "The activation was changed to GELU; `nn.TransformerEncoderLayer` has ReLU unless it "
            "is told otherwise.",
            [("F.relu", "F.gelu")],
        ),
        Mistake(
            "eps_of_both",
            "Neither norm is built with the `eps` that was given.",
            [
                (
                    "self.norm1 = nn.LayerNorm(hidden_size, eps)",
                    "self.norm1 = nn.LayerNorm(hidden_size)",
                ),
                (
                    "self.norm2 = nn.LayerNorm(hidden_size, eps)",
                    "self.norm2 = nn.LayerNorm(hidden_size)",
                ),
            ],
            points=3,
            section=EPS_OF_MODEL,
        ),
        Mistake(
            "last_norm_missing",
            "In post-norm the norm after the second sum, `norm2`, is missing.",
            [
                (
                    "self.norm2(normalised + self.feed_forward(normalised))",
                    "normalised + self.feed_forward(normalised)",
                )
            ],
        ),
        Mistake(
            "eps_of_norm1",
            "`norm1` is built without the `eps` that was given; it had it in the broken code.",
            [
                (
                    "self.norm1 = nn.LayerNorm(hidden_size, eps)",
                    "self.norm1 = nn.LayerNorm(hidden_size)",
                )
            ],
            points=3,
            section=EPS_OF_MODEL,
        ),
        Mistake(
            "default_of_eps",
            "Where no `eps` is given the layer takes another one than 1e-5, which was its default.",
            [("eps=1e-5", "eps=1e-6")],
            other_forms=([("eps=1e-5", "eps=1e-12")],),
            points=3,
            section=EPS_OF_MODEL,
        ),
        Mistake(
            "rate_fixed",
            "The rate of dropout is not the one that was asked for: use the argument `dropout`.",
            [("self.dropout = dropout", "self.dropout = 0.1")],
            points=3,
        ),
        Mistake(
            "no_dropout",
            "Dropout is gone, at least from one of the two parts (the case says from which). In "
            "training it must fall on the result of each.",
            [("self.dropout = dropout", "self.dropout = 0.0")],
            points=3,
            section=PLACES,
        ),
        Mistake(
            "other_rate",
            "In training another share is dropped than was asked for (the case says how much). "
            "`dropout` is the probability of dropping, and a part's result is dropped once.",
            [("self.dropout = dropout", "self.dropout = 1 - dropout")],
            points=3,
        ),
        Mistake(
            "dropped_with_gradients_only",
            "Nothing is dropped in training mode under `torch.no_grad()`. Whether to drop is said "
            "by `self.training`, and by nothing else.",
            _dropped(
                "return F.dropout(output, self.dropout, self.training and torch.is_grad_enabled())"
            ),
            points=3,
        ),
        Mistake(
            "seeded",
            "In training mode a part drops the same numbers in every call, as if a seed were set "
            "before dropout. Each call must draw anew.",
            _dropped(
                "torch.manual_seed(0)\n"
                "        return F.dropout(output, self.dropout, self.training)"
            ),
            points=3,
        ),
        Mistake(
            "in_place_pre",
            "In pre-norm `x` is changed where it lies (`x += …`), and with it the caller's tensor. "
            "Write `x = x + …`.",
            [("x = x + self.attend(self", "x += self.attend(self")],
            points=3,
            any_error=True,
        ),
        Mistake(
            "not_each_by_itself",
            "Dropout takes whole vectors, or the same numbers of every token, of every text or of "
            "both parts. It takes each number by itself, as `nn.Dropout` does.",
            _dropped("return F.dropout1d(output, self.dropout, self.training)"),
            other_forms=(
                _dropped(
                    "return output * F.dropout(torch.ones_like(output[:1]), self.dropout, "
                    "self.training)"
                ),
                [
                    (
                        "        if self.norm_first:",
                        "        self.drop = F.dropout(torch.ones_like(x), self.dropout, "
                        "self.training)\n        if self.norm_first:",
                    ),
                    *_dropped("return output * self.drop"),
                ],
            ),
            points=3,
        ),
        Mistake(
            "kept_not_divided",
            "The numbers that dropout keeps stay as they are in training mode. They are divided by "
            "1 − p, so that their sum is the same on average (`nn.Dropout`).",
            _dropped(
                "return output * (torch.rand_like(output) >= self.dropout) if self.training "
                "else output"
            ),
            points=3,
        ),
        Mistake(
            "dropout_on_sum",
            "Dropout falls on the residual sum; it belongs on what a part returns, before that is "
            "added.",
            [
                (
                    "need_weights=False)\n"
                    "        return F.dropout(output, self.dropout, self.training)",
                    "need_weights=False)\n        return output",
                ),
                (
                    "self.linear1(x)))\n"
                    "        return F.dropout(output, self.dropout, self.training)",
                    "self.linear1(x)))\n        return output",
                ),
                (
                    "return x + self.feed_forward(self.norm2(x))",
                    "x = x + self.feed_forward(self.norm2(x))\n"
                    "            return F.dropout(x, self.dropout, self.training)",
                ),
                (
                    "return self.norm2(normalised + self.feed_forward(normalised))",
                    "x = self.norm2(normalised + self.feed_forward(normalised))\n"
                    "        return F.dropout(x, self.dropout, self.training)",
                ),
            ],
            points=3,
            section=PLACES,
        ),
        Mistake(
            "own_norm_lost",
            "Only one norm is used, `norm1` in both places.",
            [
                ("self.norm2(x)", "self.norm1(x)"),
                ("self.norm2(normalised", "self.norm1(normalised"),
            ],
        ),
        Mistake(
            "swapped_parts",
            "The feed-forward network comes first; attention is the first part of the layer.",
            [
                ("def attend(self, x)", "def feed_forward(self, x)"),
                ("def feed_forward(self, x)", "def attend(self, x)"),
            ],
            section=PLACES,
        ),
        Mistake(
            "tokens_first",
            "`batch_first=True` is gone, so attention mixes the sentences of the batch.",
            [(", batch_first=True", "")],
            section=LAYER_MISTAKES,
        ),
        Mistake(
            "attention_reads_x",
            "In pre-norm attention reads `x` as it is; it must read norm1(x).",
            [("self.attend(self.norm1(x))", "self.attend(x)")],
            points=3,
            section=PLACES,
        ),
        Mistake(
            "first_normalised",
            "In pre-norm what is added to the result of attention is the normalised vector, "
            "norm1(x). It must be `x`, as it came in.",
            [("x = x + self.attend(self", "x = self.norm1(x) + self.attend(self")],
            points=3,
            section=PLACES,
        ),
        Mistake(
            "first_residual_missing",
            "In post-norm the input is not added to the result of attention.",
            [("total = x + ", "total = ")],
            section=RESIDUAL,
        ),
        Mistake(
            "first_residual_missing_in_pre",
            "In pre-norm the result of attention replaces `x` instead of being added to it.",
            [("x = x + self.attend(self", "x = self.attend(self")],
            points=3,
            section=LAYER_MISTAKES,
        ),
        Mistake(
            "second_residual_missing_in_post",
            "In post-norm the feed-forward network's result replaces what went into it; add the "
            "two.",
            [("normalised + ", "")],
            section=RESIDUAL,
        ),
        Mistake(
            "inverted_flag",
            "`norm_first` is read the wrong way round: true means pre-norm.",
            [("self.norm_first = norm_first", "self.norm_first = not norm_first")],
            section=PLACES,
        ),
        Mistake(
            "norms_exchanged_in_post",
            "In post-norm `norm1` and `norm2` are exchanged: `norm1` belongs to attention.",
            [
                ("self.norm1(total)", "self.norm2(total)"),
                ("self.norm2(normalised", "self.norm1(normalised"),
            ],
        ),
        Mistake(
            "norms_exchanged_in_pre",
            "In pre-norm `norm1` and `norm2` are exchanged: `norm1` belongs to attention.",
            [("self.norm1(x)", "self.norm2(x)"), ("self.norm2(x)", "self.norm1(x)")],
            points=3,
        ),
        Mistake(
            "shared_norm",
            "Only one norm is used, `norm2` in both places (or the two are one and the same "
            "module). Each place has its own gain and bias.",
            [("self.norm1(x)", "self.norm2(x)"), ("self.norm1(total)", "self.norm2(total)")],
        ),
        Mistake(
            "no_relu",
            "The activation between the two linear layers is missing.",
            [("F.relu(self.linear1(x))", "self.linear1(x)")],
            section=PLACES,
        ),
        Mistake(
            "last_norm_inside",
            "In pre-norm the layer ends with a norm. The one at the end of the stack belongs to "
            "the stack, not to each layer.",
            [
                (
                    "return x + self.feed_forward(self.norm2(x))",
                    "return self.norm2(x + self.feed_forward(self.norm2(x)))",
                )
            ],
            points=3,
            section=LAST,
        ),
        Mistake(
            "second_norm_missing",
            "In pre-norm the feed-forward network reads `x` as it is; it must read norm2(x).",
            [("self.feed_forward(self.norm2(x))", "self.feed_forward(x)")],
            points=3,
            section=PLACES,
        ),
        cut_off([("    def forward", "    @torch.no_grad()\n    def forward")]),
    ),
)
