"""Bug hunt: an encoder layer that should equal PyTorch's, in post-norm and in pre-norm."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from grading import check
from grading.content.drawing import draw_sizes, redrawn
from grading.content.normalization import harnesses
from grading.content.normalization.sections import LAYER_MISTAKES
from grading.content.normalization.shared import draw_affine, draw_linear, normal
from grading.exercise import Case, Part, Question


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


QUESTION = Question(
    id="RepairedLayer",
    title="Bug hunt: an encoder layer",
    signature="class RepairedLayer(hidden_size, num_heads, width, norm_first, eps, dropout)",
    reference=RepairedLayer,
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
)
