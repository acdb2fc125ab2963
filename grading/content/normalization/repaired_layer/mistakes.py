"""The known mistakes of `repaired_layer`."""

from __future__ import annotations

from grading.content.common import bugs_left, cut_off, kept
from grading.content.normalization.sections import (
    EPS_OF_MODEL,
    LAST,
    LAYER_MISTAKES,
    PLACES,
    RESIDUAL,
)
from grading.exercise import Mistake
from grading.exercise.edits import Edits

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


COMBINED = (
    "second_residual",
    "unnormalised_residual",
    "eps_of_norm2",
    "dropout_alive",
    "norm_on_branch",
    "unnormalised_input",
    "residual_from_the_start",
    "normalised_residual",
    "no_dropout",
)

BROKEN = tuple(_BUGS)

MISTAKES = (
    *bugs_left(_BUGS, 4, LAYER_MISTAKES, {"eps_of_norm2": EPS_OF_MODEL}),
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
        "Post-norm is written as x + norm(f(x)); the norm stands after the sum: norm(x + f(x)).",
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
            "torch.manual_seed(0)\n        return F.dropout(output, self.dropout, self.training)"
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
            "return output * (torch.rand_like(output) >= self.dropout) if self.training else output"
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
                "self.linear1(x)))\n        return F.dropout(output, self.dropout, self.training)",
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
        "In post-norm the feed-forward network's result replaces what went into it; add the two.",
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
)
