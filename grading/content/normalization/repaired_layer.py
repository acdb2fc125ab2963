"""Bug hunt: an encoder layer."""

from __future__ import annotations

import itertools

import torch
import torch.nn.functional as F
from torch import nn

from grading import check
from grading.content.drawing import draw_sizes
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


def _repaired_layer(mistakes: frozenset[str] = frozenset()) -> type:
    """The notebook's layer; the first four flags are its bugs."""

    class RepairedLayer(nn.Module):
        def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
            self.linear1 = nn.Linear(hidden_size, width)
            self.linear2 = nn.Linear(width, hidden_size)
            first = mistakes & {"eps_of_both", "eps_of_norm1"}
            self.norm1 = nn.LayerNorm(hidden_size, 1e-5 if first else eps)
            forgotten = "eps_of_norm2" in mistakes or "eps_of_both" in mistakes
            self.norm2 = nn.LayerNorm(hidden_size, 1e-5 if forgotten else eps)
            self.norm_first = norm_first
            if "always_post" in mistakes or "always_pre" in mistakes:
                self.norm_first = "always_pre" in mistakes
            if "inverted_flag" in mistakes:
                self.norm_first = not norm_first
            self.asked = dropout
            self.dropout = 0.0 if "no_dropout" in mistakes else dropout
            self.dropout = 0.1 if "rate_fixed" in mistakes else self.dropout

        def drop(self, x):
            return F.dropout(x, self.dropout, self.training or "dropout_alive" in mistakes)

        def attend(self, x):
            return self.drop(self.self_attn(x, x, x, need_weights=False)[0])

        def feed_forward(self, x):
            activation = F.gelu if "gelu" in mistakes else F.relu
            activation = nn.Identity() if "no_relu" in mistakes else activation
            return self.drop(self.linear2(activation(self.linear1(x))))

        def forward(self, x):
            norm1 = self.norm2 if "norms_exchanged" in mistakes else self.norm1
            norm2 = self.norm1 if "norms_exchanged" in mistakes else self.norm2
            if self.norm_first:
                if "parallel" in mistakes:
                    return x + self.attend(norm1(x)) + self.feed_forward(norm2(x))
                start, normalised = x, norm1(x)
                wrong = {"normalised_residual", "first_normalised"} & mistakes
                residual = normalised if wrong else x
                source = x if "attention_reads_x" in mistakes else normalised
                residual = 0.0 if "first_residual_missing_in_pre" in mistakes else residual
                x = residual + self.attend(source)
                if "second_residual" in mistakes:
                    return self.feed_forward(norm2(x))
                normalised = x if "second_norm_missing" in mistakes else norm2(x)
                residual = normalised if "normalised_residual" in mistakes else x
                residual = normalised if "second_normalised" in mistakes else residual
                residual = start if "sum_lost" in mistakes else residual
                x = residual + self.feed_forward(normalised)
                return norm2(x) if "last_norm_inside" in mistakes else x
            if "norms_exchanged_in_post" in mistakes:
                norm1, norm2 = norm2, norm1
            if "norm_on_branch" in mistakes:
                x = x + norm1(self.attend(x))
                return x + norm2(self.feed_forward(x))
            total = self.attend(x)
            total = total if "first_residual_missing" in mistakes else x + total
            normalised = total if "first_norm_missing" in mistakes else norm1(total)
            if "unnormalised_residual" in mistakes:
                return norm2(total + self.feed_forward(normalised))
            residual = x if "residual_from_the_start" in mistakes else normalised
            if "second_residual_missing_in_post" in mistakes:
                residual = 0.0
            source = total if "unnormalised_input" in mistakes else normalised
            if "last_norm_missing" in mistakes:
                return residual + self.feed_forward(source)
            return norm2(residual + self.feed_forward(source))

    return RepairedLayer


_BUGS = {
    "second_residual": "in pre-norm the result of the feed-forward network replaces `x` instead of "
    "being added to it",
    "unnormalised_residual": "in post-norm the second residual is the sum *before* `norm1`; it "
    "must be what came out of `norm1`",
    "eps_of_norm2": "`norm2` is built without the `eps` that was given",
    "dropout_alive": "`F.dropout` drops in evaluation, too, unless it is told `self.training`",
}


def _bugs_left() -> list[Mistake]:
    """One mistake for each set of bugs that may be left over."""
    mistakes = []
    for number in range(1, 5):
        for left in itertools.combinations(_BUGS, number):
            count = ("One bug is", "Two bugs are", "Three bugs are", "All four bugs are")
            reasons = "; ".join(_BUGS[name] for name in left)
            message = f"{count[number - 1]} still there: {reasons}."
            points = 0
            if "unnormalised_residual" not in left:
                settings = "eps_of_norm2" in left or "dropout_alive" in left
                points = 4 - ("second_residual" in left) - settings
            made = None if number == 1 else _repaired_layer(frozenset(left))
            section = EPS_OF_MODEL if left == ("eps_of_norm2",) else LAYER_MISTAKES
            name = "_and_".join(left)
            mistakes.append(Mistake(name, message, made, points, section))
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
        harness=harnesses.evaluate_twice, **options,
    ):  # fmt: skip
        while True:
            sizes, state, x = draw(norm_first, size, shape)
            with torch.no_grad():  # at an eps of 1e-5 its exact value must not show
                one, other = (
                    check.run_module(_repaired_layer(), [*sizes, norm_first, e, 0.0], state, [x])
                    for e in (1e-5, 1e-12)
                )
            if eps != 1e-5 or check.difference(one, other, 4e-6) is None:
                break
        init = [*sizes, norm_first, eps, dropout]
        arguments = (("init", init), ("state", state), ("x", x))
        return Case(title, part, arguments, harness=harness, **options)

    return [
        case("post-norm, its gradient, too", "core", False, gradient=True),
        case("post-norm, a batch of one token", "core", False, shape=(1, 1, 6)),
        case("pre-norm, its gradient, too", "pre", True, gradient=True),
        case("pre-norm, every parameter", "pre", True, harness=harnesses.gradients_reach),
        case("eps = 0.5", "settings", False, eps=0.5),
        case("eps = 0.1, small numbers", "settings", False, eps=0.1, size=0.4),
        case("dropout = 0.5, eval()", "settings", False, dropout=0.5),
        case("dropout = 0.5, train()", "settings", False, dropout=0.5, shape=(2, 4, 6),
             harness=harnesses.train_twice),
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


class _LayerWithDropoutModules(_repaired_layer()):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, norm_first, eps)
        self.drop1, self.drop2 = nn.Dropout(dropout), nn.Dropout(dropout)

    def forward(self, x):
        for part, norm, drop in (
            (lambda v: self.self_attn(v, v, v)[0], self.norm1, self.drop1),
            (lambda v: self.linear2(self.linear1(v).clamp(min=0)), self.norm2, self.drop2),
        ):
            x = x + drop(part(norm(x))) if self.norm_first else norm(x + drop(part(x)))
        return x


class _LayerByHand(_repaired_layer()):
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
        return F.dropout(self.self_attn.out_proj(mixed), self.dropout, training=self.training)


class _LayerOfTokensFirst(_repaired_layer()):
    """Attention with the tokens first, feed-forward on flat vectors."""

    def attend(self, x):
        result = self.self_attn(x.clone(), x.clone(), x.clone())[0]
        return self.drop(result)

    def feed_forward(self, x):
        inner = torch.einsum("btd,wd->btw", x, self.linear1.weight) + self.linear1.bias
        result = torch.einsum("btw,dw->btd", inner.relu(), self.linear2.weight)
        return self.drop(result + self.linear2.bias)


class _LayerWithDropoutInside(_repaired_layer()):
    """Dropout inside attention and feed-forward as well, as PyTorch's layer has it."""

    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, norm_first, eps, dropout)
        self.self_attn.dropout = dropout

    def feed_forward(self, x):
        return self.drop(self.linear2(self.drop(self.linear1(x).relu())))


def _with_norm2_only(self, x):
    if self.norm_first:
        x = x + self.attend(self.norm2(x))
        return x + self.feed_forward(self.norm2(x))
    x = self.norm2(x + self.attend(x))
    return self.norm2(x + self.feed_forward(x))


def _with_one_norm(self, x):
    if self.norm_first:
        x = x + self.attend(self.norm1(x))
        return x + self.feed_forward(self.norm1(x))
    x = self.norm1(x + self.attend(x))
    return self.norm1(x + self.feed_forward(x))


EXERCISE = Exercise(
    id="RepairedLayer",
    title="Bug hunt: an encoder layer",
    signature="class RepairedLayer(hidden_size, num_heads, width, norm_first, eps, dropout)",
    reference=_repaired_layer(),
    variant=_repaired_layer,
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
        "einsum": _LayerOfTokensFirst,
        "more dropout in training": _LayerWithDropoutInside,
    },
    mistakes=(
        *_bugs_left(),
        Mistake(
            "always_post",
            "`norm_first` has no effect: the layer is always post-norm.",
            points=3,
            section=PLACES,
            mutation=_repaired_layer(frozenset({"always_post"})),
        ),
        Mistake(
            "always_pre",
            "`norm_first` has no effect: the layer is always pre-norm.",
            section=PLACES,
            mutation=_repaired_layer(frozenset({"always_pre"})),
        ),
        Mistake(
            "norm_on_branch",
            "Post-norm is written as x + norm(f(x)); the norm stands after the sum: "
            "norm(x + f(x)).",
        ),
        Mistake(
            "unnormalised_input",
            "In post-norm the feed-forward network reads the sum before `norm1`; it must read "
            "what came out of `norm1`.",
        ),
        Mistake(
            "residual_from_the_start",
            "In post-norm the second residual is the input of the layer, so what attention found "
            "is lost there. It must be what came out of `norm1`.",
        ),
        Mistake(
            "sum_lost",
            "In pre-norm the second residual is the input of the layer, so what attention found "
            "is lost there. It must be the sum after attention.",
            points=3,
            mutation=_repaired_layer(frozenset({"sum_lost"})),
        ),
        Mistake(
            "first_norm_missing",
            "In post-norm `norm1` is not applied: the norm stands after each of the two sums.",
            section=PLACES,
            mutation=_repaired_layer(frozenset({"first_norm_missing"})),
        ),
        Mistake(
            "second_normalised",
            "In pre-norm what is added to the feed-forward network's result is the normalised "
            "vector, norm2(x). It must be `x`, as it was before.",
            points=3,
            section=PLACES,
            mutation=_repaired_layer(frozenset({"second_normalised"})),
        ),
        Mistake(
            "normalised_residual",
            "In pre-norm the normalised vector is what is added; the residual path must stay "
            "free: x + f(norm(x)).",
            points=3,
            section=PLACES,
        ),
        Mistake(
            "parallel",
            "In pre-norm both parts read the same input; the feed-forward network must read the "
            "sum after attention.",
            points=3,
            section=PLACES,
            mutation=_repaired_layer(frozenset({"parallel"})),
        ),
        Mistake(
            "norms_exchanged",
            "`norm1` and `norm2` are exchanged: `norm1` belongs to attention.",
            mutation=_repaired_layer(frozenset({"norms_exchanged"})),
        ),
        Mistake(
            "gelu",
            "The activation was changed to GELU; `nn.TransformerEncoderLayer` has ReLU unless it "
            "is told otherwise.",
            mutation=_repaired_layer(frozenset({"gelu"})),
        ),
        Mistake(
            "eps_of_both",
            "Neither norm is built with the `eps` that was given.",
            points=3,
            section=EPS_OF_MODEL,
            mutation=_repaired_layer(frozenset({"eps_of_both"})),
        ),
        Mistake(
            "last_norm_missing",
            "In post-norm the norm after the second sum, `norm2`, is missing.",
            mutation=_repaired_layer(frozenset({"last_norm_missing"})),
        ),
        Mistake(
            "eps_of_norm1",
            "`norm1` is built without the `eps` that was given; it had it in the broken code.",
            points=3,
            section=EPS_OF_MODEL,
            mutation=_repaired_layer(frozenset({"eps_of_norm1"})),
        ),
        Mistake(
            "rate_fixed",
            "The rate of dropout is not the one that was asked for: use the argument `dropout`.",
            points=3,
            mutation=_repaired_layer(frozenset({"rate_fixed"})),
        ),
        Mistake(
            "no_dropout",
            "Dropout is gone, at least from one of the two parts (the case says from which). In "
            "training it must fall on the result of each.",
            points=3,
            section=PLACES,
        ),
        Mistake(
            "dropout_on_sum",
            "Dropout falls on the residual sum; it belongs on what a part returns, before that is "
            "added.",
            type(
                "RepairedLayer",
                (_repaired_layer(frozenset({"no_dropout"})),),
                {
                    "forward": lambda self, x: F.dropout(
                        _repaired_layer().forward(self, x), self.asked, self.training
                    )
                },
            ),
            points=3,
            section=PLACES,
        ),
        Mistake(
            "own_norm_lost",
            "Only one norm is used, `norm1` in both places.",
            type(
                "RepairedLayer",
                (_repaired_layer(),),
                {"forward": _with_one_norm},
            ),
        ),
        Mistake(
            "swapped_parts",
            "The feed-forward network comes first; attention is the first part of the layer.",
            type(
                "RepairedLayer",
                (_repaired_layer(),),
                {
                    "attend": lambda self, x: _repaired_layer().feed_forward(self, x),
                    "feed_forward": lambda self, x: _repaired_layer().attend(self, x),
                },
            ),
            section=PLACES,
        ),
        Mistake(
            "tokens_first",
            "`batch_first=True` is gone, so attention mixes the sentences of the batch.",
            type(
                "RepairedLayer",
                (_repaired_layer(),),
                {
                    "attend": lambda self, x: (
                        _repaired_layer().attend(self, x.transpose(0, 1)).transpose(0, 1)
                    )
                },
            ),
            section=LAYER_MISTAKES,
        ),
        Mistake(
            "attention_reads_x",
            "In pre-norm attention reads `x` as it is; it must read norm1(x).",
            _repaired_layer(frozenset({"attention_reads_x"})),
            points=3,
            section=PLACES,
        ),
        Mistake(
            "first_normalised",
            "In pre-norm what is added to the result of attention is the normalised vector, "
            "norm1(x). It must be `x`, as it came in.",
            _repaired_layer(frozenset({"first_normalised"})),
            points=3,
            section=PLACES,
        ),
        Mistake(
            "first_residual_missing",
            "In post-norm the input is not added to the result of attention.",
            _repaired_layer(frozenset({"first_residual_missing"})),
            section=RESIDUAL,
        ),
        Mistake(
            "first_residual_missing_in_pre",
            "In pre-norm the result of attention replaces `x` instead of being added to it.",
            _repaired_layer(frozenset({"first_residual_missing_in_pre"})),
            points=3,
            section=LAYER_MISTAKES,
        ),
        Mistake(
            "second_residual_missing_in_post",
            "In post-norm the feed-forward network's result replaces what went into it; add the "
            "two.",
            _repaired_layer(frozenset({"second_residual_missing_in_post"})),
            section=RESIDUAL,
        ),
        Mistake(
            "inverted_flag",
            "`norm_first` is read the wrong way round: true means pre-norm.",
            _repaired_layer(frozenset({"inverted_flag"})),
            section=PLACES,
        ),
        Mistake(
            "norms_exchanged_in_post",
            "In post-norm `norm1` and `norm2` are exchanged: `norm1` belongs to attention.",
            _repaired_layer(frozenset({"norms_exchanged_in_post"})),
        ),
        Mistake(
            "shared_norm",
            "Only one norm is used, `norm2` in both places (or the two are one and the same "
            "module). Each place has its own gain and bias.",
            type("RepairedLayer", (_repaired_layer(),), {"forward": _with_norm2_only}),
        ),
        Mistake(
            "no_relu",
            "The activation between the two linear layers is missing.",
            _repaired_layer(frozenset({"no_relu"})),
            section=PLACES,
        ),
        Mistake(
            "last_norm_inside",
            "In pre-norm the layer ends with a norm. The one at the end of the stack belongs to "
            "the stack, not to each layer.",
            _repaired_layer(frozenset({"last_norm_inside"})),
            points=3,
            section=LAST,
        ),
        Mistake(
            "second_norm_missing",
            "In pre-norm the feed-forward network reads `x` as it is; it must read norm2(x).",
            _repaired_layer(frozenset({"second_norm_missing"})),
            points=3,
            section=PLACES,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `no_grad`).",
            type(
                "RepairedLayer",
                (_repaired_layer(),),
                {"forward": lambda self, x: _repaired_layer().forward(self, x).detach()},
            ),
        ),
    ),
)
