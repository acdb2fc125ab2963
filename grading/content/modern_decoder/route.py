"""A router that balances without a loss: the bias of DeepSeek-V3, which counts for the choice."""

from __future__ import annotations

import torch

from grading.content.common import changed_in_place, cut_off, kept
from grading.content.drawing import draw_integer
from grading.content.modern_decoder import harnesses
from grading.content.modern_decoder.sections import BALANCE, ROUTER
from grading.content.modern_decoder.shared import normal
from grading.exercise import Case, Exercise, Mistake, Part


def route(logits, bias, top_k, speed=0.001):
    """Weights and ids of the experts of each token, and the bias for the next step."""
    tokens, experts = logits.shape
    scores = logits.sigmoid()
    order = (scores + bias).sort(dim=-1, descending=True, stable=True).indices
    expert_ids = order[:, :top_k]
    chosen = scores.gather(-1, expert_ids)
    weights = chosen / chosen.sum(dim=-1, keepdim=True)
    load = torch.bincount(expert_ids.flatten(), minlength=experts).to(bias.dtype)
    average = tokens * top_k / experts
    new_bias = bias + speed * (average - load).sign()
    return weights, expert_ids, new_bias


def _route_cases(generator: torch.Generator) -> list[Case]:
    def drawn(tokens, experts, size=0.3):
        """Logits and a bias; no two sums of a token are nearly equal."""
        while True:
            logits = normal(generator, tokens, experts)
            bias = normal(generator, experts, size=size)
            sums = (logits.sigmoid() + bias).sort(dim=-1).values
            if float(sums.diff(dim=-1).min()) > 2e-3:
                return logits, bias

    def close(tokens, experts):
        """All sums are negative; of each token the last one is barely ahead of the first."""
        while True:
            logits, bias = drawn(tokens, experts)
            bias[-1] = bias[0]
            scores = logits[:, 0].sigmoid() + 1.2e-3
            logits[:, -1] = scores.clamp(max=0.99).logit()
            gaps = (logits.sigmoid() + bias).sort().values.diff().sort().values
            if gaps[:, 0].min() > 1.1e-3 and gaps[:, 0].max() < 1.3e-3 and gaps[:, 1].min() > 2e-3:
                return logits, bias - 200.0

    def extreme(tokens, experts):
        """Half of the tokens have scores of 1e-10 to 1e-8 alone; of the others some are 1."""
        while True:
            logits, bias = drawn(tokens, experts)
            logits -= 20.0
            logits[0] = -23.0 + torch.rand(experts, generator=generator)
            logits[tokens // 2 :, ::2] = 100.0
            sums = (logits.sigmoid() + bias).sort(dim=-1).values
            if float(sums.diff(dim=-1).min()) > 2e-3:
                return logits, bias

    def case(title, part, logits, bias, top_k, *speed, **options):
        arguments = (("logits", logits), ("bias", bias), ("top_k", top_k), ("speed", *speed))
        options.setdefault("harness", harnesses.routed if part != "balance" else harnesses.new_bias)
        return Case(title, part, arguments[: 3 + len(speed)], **options)

    def crowded(tokens, experts):
        """The first two experts are popular, the last is never chosen."""
        logits, bias = drawn(tokens, experts)
        bias[:2] += 1.5
        bias[-1] -= 3.0
        return logits, bias

    def equal(tokens, experts):
        """Sums in quarters, so that many are equal, and exactly so."""
        logits = torch.zeros(tokens, experts)
        bias = torch.randint(0, 3, (experts,), generator=generator) / 4
        bias[1] = bias[-1] = bias[-2] = 0.75
        return logits, bias

    more = draw_integer(generator, 0, 2)
    first = drawn(8, 5)
    other = drawn(8, 5)
    big = drawn(4, 6, size=2.0)
    big[1][-1] = -4.0  # never chosen
    again = ((other[0], other[1], 3),)
    zeros = torch.zeros(7, 8), torch.zeros(8)
    nearly = torch.zeros(4, 8), torch.arange(8) * 2.0**-20  # exact, and the last is the largest
    gradient = drawn(4, 7)
    halves = _halves(generator, 6, 10)
    one = _choosing(generator, [[0], [0], [0], [0], [0], [1], [1], [2]], 5)
    pairs = [[0, 1], [1, 0], [0, 2], [3, 0], [1, 4], [5, 2]]  # loads 4, 3, 2, 1, 1, 1
    two = _choosing(generator, pairs, 6)
    even = _choosing(generator, [[expert] for expert in range(41)], 41)  # (1 / 41) * 41 isn't 1
    loads = [258, 255, 130, 110, 187, 188]  # 188 is the average; counts wrap around in 8 bits
    many = _choosing(generator, [[n] for n, load in enumerate(loads) for _ in range(load)], 6)
    return [
        case("two of eight experts", "core", *drawn(9 + more, 8), 2),
        case("one expert", "core", *drawn(9, 4 + more), 1),
        case("three of six, a bias that decides much", "core", *drawn(6, 6, size=0.9), 3),
        case("all experts, negative sums, two of each token close", "core", *close(7, 5), 5),
        case("one token, large biases", "core", big[0][:1], big[1], 2),
        case("scores of 1, and tokens with tiny scores alone", "core", *extreme(6, 8), 3),
        case("called again with other numbers", "core", *first, 3, again=again),
        case("gradients of the weights", "core", *gradient, 3, gradient=True),
        case("a router of zeros", "ties", *zeros, 2),
        case("a router of zeros, equal biases", "ties", *equal(5, 9), 4),
        case("a router of zeros, many experts", "ties", torch.zeros(3, 20), torch.ones(20) / 2, 7),
        case("a router of zeros, sums that are nearly equal", "ties", *nearly, 3),
        case("some sums equal, of other scores and biases, too", "ties", *halves, 3),
        case("the new bias", "balance", *drawn(10, 7), 3, 0.25),
        case("a speed of 0", "balance", *drawn(3, 4), 1, 0.0),
        case("one expert for each token", "balance", *one, 1),
        case("two experts for each token, one load is the average", "balance", *two, 2, 0.05),
        case("experts that no token chooses, and busy ones", "balance", *crowded(8, 6), 2, 0.05),
        case("loads of hundreds, one is the average", "balance", *many, 1, 0.05),
        case("every expert at the average", "balance", *even, 1, 0.5),
    ]


def _halves(generator, tokens, experts):
    """Logits of which many are equal; a score of 1/2 and a bias of 1/2 are as good as 1 and 0."""
    drawn = torch.randint(3, (tokens, experts), generator=generator)
    logits = torch.tensor([-1.0, 0.0, 100.0])[drawn]
    logits[0] = torch.tensor(
        [0.0, 100.0] + [-1.0] * (experts - 2)
    )  # the first is third, the other fourth
    bias = torch.tensor([0.5, 0.0, 0.0, 0.5, 2.0]).repeat(experts)[:experts]
    return logits, bias


def _choosing(generator, choices, experts):
    """Logits with which tokens choose these experts; another one nearly always comes next.

    The experts are numbered in a drawn order; the last in the list is as good as any that isn't
    chosen, so loads can't be read off the sums of scores.
    """
    logits = -2 + 2.8 / experts * torch.arange(experts).float().repeat(len(choices), 1)
    logits[:, -1] = 0.9
    for token, chosen in enumerate(choices):
        for rank, expert in enumerate(chosen):
            logits[token, expert] = 2.0 - 0.5 * rank
    return logits[:, torch.randperm(experts, generator=generator)], torch.zeros(experts)


def _by_argmax(logits, bias, top_k, speed=0.001):
    """The largest sum again and again; the first of equal ones is `argmax`'s, too."""
    scores = torch.sigmoid(logits)
    left = (scores + bias).detach().clone()
    rows, ids = torch.arange(len(logits)), []
    for _ in range(top_k):
        largest = left.max(dim=-1, keepdim=True).values
        ids.append((left == largest).int().argmax(dim=-1))
        left[rows, ids[-1]] = -torch.inf
    expert_ids = torch.stack(ids, dim=1)
    chosen = scores[rows[:, None], expert_ids]
    load = torch.nn.functional.one_hot(expert_ids, logits.size(1)).sum((0, 1)).float()
    step = (load < load.mean()).float() - (load > load.mean()).float()
    return chosen / chosen.sum(1, keepdim=True), expert_ids, bias + speed * step


def _by_python(logits, bias, top_k, speed=0.001):
    tokens, experts = logits.shape
    scores = 1 / (1 + torch.exp(-logits))
    sums = (scores + bias).tolist()
    ids = [sorted(range(experts), key=lambda e: (-row[e], e))[:top_k] for row in sums]
    weights = []
    for token, some in enumerate(ids):
        chosen = torch.stack([scores[token, e] for e in some])
        weights.append(chosen / sum(scores[token, e] for e in some))
    load = [sum(e in some for some in ids) for e in range(experts)]
    new = bias.clone()
    for expert, count in enumerate(load):
        if count * experts > tokens * top_k:
            new[expert] -= speed
        elif count * experts < tokens * top_k:
            new[expert] += speed
    return torch.stack(weights), torch.tensor(ids), new


def _by_negative_sort(logits, bias, top_k, speed=0.001):
    scores = logits.sigmoid()
    ids = torch.argsort(-(scores + bias), dim=1, stable=True)[:, :top_k]
    weights = torch.nn.functional.normalize(torch.take_along_dim(scores, ids, 1), p=1, dim=1)
    load = torch.zeros_like(bias).index_add_(0, ids.flatten(), torch.ones(ids.numel()))
    return weights, ids, bias - torch.sign(load - load.mean()) * speed


_SUMS = "(scores + bias)"
_SORTED = "(scores + bias).sort(dim=-1, descending=True, stable=True).indices"
_DIVIDED = "chosen / chosen.sum(dim=-1, keepdim=True)"
_STEP = "speed * (average - load).sign()"
_SHORT_LOADS = [
    (", minlength=experts", ""),
    (
        f"new_bias = bias + {_STEP}",
        f"new_bias = bias.clone()\n    new_bias[: len(load)] += {_STEP}",
    ),
]


EXERCISE = Exercise(
    id="route",
    title="A router that balances without a loss",
    signature="route(logits, bias, top_k, speed=0.001)",
    reference=route,
    combined=(
        "biased_weights",
        "not_normalised",
        "softmax_scores",
        "no_bias",
        "sign_of_bias",
        "any_of_equal",
        "softmax_of_chosen",
        "not_the_sign",
        "average_of_tokens",
    ),
    cases=_route_cases,
    parts=(
        Part("core", "scores, choice and weights, with gradients", 2),
        Part("ties", "equal sums", 1),
        Part("balance", "the new bias", 1),
    ),
    minutes=20,
    difficulty=2,
    section=ROUTER,
    draws=3,
    alternatives={
        "the largest, again and again": _by_argmax,
        "lists of Python": _by_python,
        "sorted by the negative": _by_negative_sort,
    },
    mistakes=(
        Mistake(
            "biased_weights",
            "The weights are made of score + bias. The bias counts for the choice alone; weights "
            "are made of the scores without it.",
            [("scores.gather", "(scores + bias).gather")],
        ),
        Mistake(
            "not_normalised",
            "The weights aren't divided by their sum, so those of a token don't sum to 1.",
            [("chosen / chosen.sum(dim=-1, keepdim=True)", "chosen")],
        ),
        Mistake(
            "scaled",
            "The weights are multiplied by a number (`routed_scaling_factor`, 2.5 in DeepSeek-V3), "
            "so those of a token don't sum to 1.",
            [(_DIVIDED, f"{_DIVIDED} * 2.5")],
        ),
        Mistake(
            "guarded_sum",
            "The sum that the weights are divided by is kept away from 0 (`clamp`, or a small "
            "number added), so weights of tokens with very small scores don't sum to 1. A sum of "
            "sigmoids is never 0.",
            [(_DIVIDED, "chosen / chosen.sum(dim=-1, keepdim=True).clamp(min=1e-6)")],
            other_forms=(
                [(_DIVIDED, "chosen / chosen.sum(dim=-1, keepdim=True).clamp(min=1e-2)")],
                [(_DIVIDED, "chosen / (chosen.sum(dim=-1, keepdim=True) + 1e-6)")],
                [(_DIVIDED, "chosen / (chosen.sum(dim=-1, keepdim=True) + 1e-9)")],
            ),
        ),
        Mistake(
            "normalised_over_all",
            "The scores are divided by the sum over *all* experts. Divide by the sum over those "
            "that were chosen.",
            [("chosen / chosen.sum(", "chosen / scores.sum(")],
        ),
        Mistake(
            "normalised_over_tokens",
            "The sum runs over the tokens; it runs over the experts of each token.",
            [("chosen.sum(dim=-1, keepdim=True)", "chosen.sum(dim=0, keepdim=True)")],
            other_forms=([("chosen.sum(dim=-1, keepdim=True)", "chosen.sum()")],),
        ),
        Mistake(
            "softmax_scores",
            "The scores are a softmax over the experts, as in Mixtral. Here each is the sigmoid of "
            "its own logit.",
            [("logits.sigmoid()", "logits.softmax(-1)")],
        ),
        Mistake(
            "logits_as_scores",
            "The logits themselves are taken for scores. A score is the *sigmoid* of a logit.",
            [("logits.sigmoid()", "logits")],
        ),
        Mistake(
            "softmax_of_chosen",
            "The weights are a softmax of the chosen scores. Divide them by their sum instead.",
            [("chosen / chosen.sum(dim=-1, keepdim=True)", "chosen.softmax(-1)")],
            other_forms=(
                [
                    ("scores.gather", "logits.gather"),
                    ("chosen / chosen.sum(dim=-1, keepdim=True)", "chosen.softmax(-1)"),
                ],
            ),
        ),
        Mistake(
            "chosen_by_logits",
            "The bias is added to the *logits* for the choice. It's added to the scores, behind "
            "the sigmoid.",
            [(_SUMS, "(logits + bias)")],
            other_forms=(
                [("logits.sigmoid()", "(logits + bias).sigmoid()"), (_SUMS, "scores")],
                [(_SUMS, "(logits + bias).sigmoid()")],
            ),
        ),
        Mistake(
            "no_bias",
            "The bias isn't used in the choice.",
            [(_SUMS, "scores")],
        ),
        Mistake(
            "bias_subtracted",
            "The bias is subtracted for the choice; it is added.",
            [(_SUMS, "(scores - bias)")],
        ),
        Mistake(
            "smallest_chosen",
            "The experts with the *smallest* sums are chosen.",
            [("descending=True", "descending=False")],
        ),
        Mistake(
            "order_lost",
            "The experts aren't in the order of the choice: the largest sum comes first.",
            [("order[:, :top_k]", "order[:, :top_k].sort(dim=-1).values")],
            other_forms=([("order[:, :top_k]", "order[:, :top_k].flip(-1)")],),
        ),
        Mistake(
            "ordered_by_weight",
            "The chosen experts are in the order of their weights. They come in the order of the "
            "choice, by score + bias.",
            [
                (
                    "    chosen = ",
                    "    best = scores.gather(-1, expert_ids).argsort(dim=-1, descending=True, "
                    "stable=True)\n"
                    "    expert_ids = expert_ids.gather(-1, best)\n"
                    "    chosen = ",
                )
            ],
        ),
        Mistake(
            "weights_in_other_order",
            "The weights aren't in the order of the experts they belong to.",
            [
                (
                    "chosen / chosen.sum(dim=-1, keepdim=True)",
                    "(chosen / chosen.sum(dim=-1, keepdim=True)).sort(-1, descending=True).values",
                )
            ],
            other_forms=([("scores.gather(-1, expert_ids)", "scores.topk(top_k).values")],),
        ),
        Mistake(
            "dense",
            "There is a weight for each expert. Return those of the chosen ones, [tokens, top_k], "
            "in the order of `expert_ids`.",
            [
                (
                    "    load = ",
                    "    weights = torch.zeros_like(scores).scatter(-1, expert_ids, weights)\n"
                    "    load = ",
                )
            ],
        ),
        Mistake(
            "over_tokens",
            "The largest sums are looked for among the tokens of an expert. Each *token* chooses "
            "among its experts, along the last axis.",
            [(_SORTED, "(scores + bias).sort(dim=0, descending=True, stable=True).indices")],
            any_error=True,
        ),
        Mistake(
            "exchanged",
            "The weights come first, then the experts' ids.",
            [("return weights, expert_ids,", "return expert_ids, weights,")],
        ),
        Mistake(
            "any_of_equal",
            "Of equal sums not the lower index comes first: `topk`, and a sort that isn't told to "
            "be stable, promise nothing about equal numbers.",
            [(_SORTED, "(scores + bias).topk(top_k).indices")],
            other_forms=(
                [("stable=True", "stable=False")],
                [(_SORTED, "(scores + bias).argsort(dim=-1, descending=True)")],
            ),
            points=3,
        ),
        Mistake(
            "chosen_again",
            "Where the largest sum is looked for again and again, those that were chosen are "
            "marked with 0 or another number that sums reach, and may be chosen twice: sums can "
            "be negative. Mark them with −∞.",
            [
                (
                    f"    order = {_SORTED}\n",
                    "    left, places = (scores + bias).detach().clone(), []\n"
                    "    for _ in range(top_k):\n"
                    "        places.append(left.argmax(-1))\n"
                    "        left[torch.arange(tokens), places[-1]] = 0.0\n"
                    "    order = torch.stack(places, dim=-1)\n",
                )
            ],
            other_forms=tuple(
                [
                    (
                        f"    order = {_SORTED}\n",
                        "    left, places = (scores + bias).detach().clone(), []\n"
                        "    for _ in range(top_k):\n"
                        "        places.append(left.argmax(-1))\n"
                        f"        left[torch.arange(tokens), places[-1]] = {mark}\n"
                        "    order = torch.stack(places, dim=-1)\n",
                    )
                ]
                for mark in (-1.0, -10.0)
            ),
        ),
        Mistake(
            "larger_score_of_equal",
            "Of equal sums the one with the larger score comes first. It should be the one with "
            "the lower index.",
            [
                (
                    f"    order = {_SORTED}\n",
                    "    first = scores.sort(dim=-1, descending=True, stable=True).indices\n"
                    "    sums = (scores + bias).gather(-1, first)\n"
                    "    order = first.gather(\n"
                    "        -1, sums.sort(dim=-1, descending=True, stable=True).indices\n"
                    "    )\n",
                )
            ],
            points=3,
        ),
        Mistake(
            "higher_of_equal",
            "Of equal sums the *higher* index comes first. It should be the lower one.",
            [(_SORTED, "(scores + bias).sort(dim=-1, stable=True).indices.flip(-1)")],
            points=3,
        ),
        Mistake(
            "equal_by_a_trick",
            "Equal sums are told apart by a small number for each index, which also exchanges "
            "experts whose sums differ by less. A stable sort keeps equal ones in their order.",
            [(_SUMS, "(scores + bias - 1e-4 * torch.arange(experts))")],
            other_forms=([(_SUMS, "(scores + bias - 1e-6 * torch.arange(experts))")],),
            points=3,
        ),
        Mistake(
            "nearly_equal",
            "Sums that are nearly equal are taken for equal ones (rounded, or compared with a "
            "tolerance). The lower index comes first only where they are exactly equal.",
            [(_SUMS, "(scores + bias).mul(1e5).round()")],
            points=3,
        ),
        Mistake(
            "large_trick",
            "Equal sums are told apart by a number for each index that is so large that experts "
            "whose sums differ by a thousandth are exchanged. A stable sort keeps equal ones in "
            "their order.",
            [(_SUMS, "(scores + bias - 1e-3 * torch.arange(experts))")],
            other_forms=([(_SUMS, "(scores + bias - 1e-2 * torch.arange(experts))")],),
        ),
        Mistake(
            "sign_of_bias",
            "The bias moves the wrong way: the biases of busy experts rise. They should fall, and "
            "those of idle ones rise.",
            [("(average - load)", "(load - average)")],
            points=3,
            section=BALANCE,
        ),
        Mistake(
            "not_the_sign",
            "The bias changes by speed times the *difference* from the average. Only its sign "
            "counts: up or down by `speed`.",
            [(_STEP, "speed * (average - load)")],
            other_forms=(
                [(_STEP, "speed * (average - load) / average")],
                [(_STEP, "speed * (average - load) / load.sum()")],
            ),
            points=3,
            section=BALANCE,
        ),
        Mistake(
            "never_stays",
            "An expert whose load is exactly the average changes its bias. It stays.",
            [(_STEP, "speed * torch.where(load > average, -1.0, 1.0)")],
            other_forms=([(_STEP, "speed * torch.where(load >= average, -1.0, 1.0)")],),
            points=3,
            section=BALANCE,
        ),
        Mistake(
            "average_of_tokens",
            "The load is compared with a wrong average. The loads of all experts sum to tokens × "
            "top_k, so their average is that divided by the number of experts.",
            [("tokens * top_k / experts", "tokens * top_k // experts")],
            other_forms=(
                [("tokens * top_k / experts", "tokens / experts")],
                [("tokens * top_k / experts", "tokens / top_k")],
                [("tokens * top_k / experts", "load[load > 0].mean()")],
                [("tokens * top_k / experts", "load.median()")],
            ),
            points=3,
            section=BALANCE,
        ),
        Mistake(
            "load_of_scores",
            "The load is a sum of scores or weights. It's the *number* of tokens that chose the "
            "expert.",
            [
                (
                    "    average = ",
                    "    load = scores.sum(0) / scores.sum() * top_k * tokens\n    average = ",
                )
            ],
            other_forms=(
                [
                    (
                        "torch.bincount(expert_ids.flatten(), minlength=experts)",
                        "torch.zeros(experts).index_add(0, expert_ids.flatten(), "
                        "weights.flatten())",
                    ),
                    ("tokens * top_k / experts", "load.mean()"),
                ],
                [
                    (
                        "    average = ",
                        "    load = scores.sum(0)\n    average = load.mean()\n    _ = ",
                    )
                ],
            ),
            points=3,
            section=BALANCE,
        ),
        Mistake(
            "load_of_first",
            "Only each token's first choice counts as load. All its top_k choices do.",
            [("bincount(expert_ids.flatten()", "bincount(expert_ids[:, 0]")],
            other_forms=(
                [
                    ("bincount(expert_ids.flatten()", "bincount(expert_ids[:, 0]"),
                    ("tokens * top_k / experts", "tokens / experts"),
                ],
            ),
            points=3,
            section=BALANCE,
        ),
        Mistake(
            "counts_too_few",
            "`bincount` stops at the highest index that occurs. Tell it how many experts there "
            "are, for those that no token has chosen: `minlength`.",
            [(", minlength=experts", "")],
            any_error=True,
            section=BALANCE,
        ),
        Mistake(
            "loads_missing",
            "`bincount` stops at the highest index that occurs, so the loads of experts behind it "
            "are missing: their biases stay, or the average is that of the others. Tell it how "
            "many experts there are: `minlength`.",
            [*_SHORT_LOADS, ("tokens * top_k / experts", "load.mean()")],
            other_forms=(_SHORT_LOADS,),
            points=3,
            section=BALANCE,
        ),
        Mistake(
            "step_alone",
            "The step alone comes back. The new bias is the old one *plus* the step.",
            [("bias + speed", "speed")],
            points=3,
            section=BALANCE,
        ),
        Mistake(
            "speed_or_default",
            "A `speed` of 0 is taken for none, as `speed or 0.001` does. It is a number like any "
            "other, with which the bias stays; the default in the signature is enough.",
            [("+ speed *", "+ (speed or 0.001) *")],
            points=3,
        ),
        Mistake(
            "fixed_speed",
            "The bias changes by a fixed number, not by the argument `speed`.",
            [("+ speed *", "+ 0.001 *")],
            other_forms=([("+ speed *", "+ 1.0 *")],),
            points=3,
            section=BALANCE,
        ),
        Mistake(
            "bias_centred",
            "The mean is taken off the biases, or off their steps. Each bias moves by `speed`, up "
            "or down, or stays; nothing else happens to it.",
            [
                (
                    "return weights, expert_ids, new_bias",
                    "return weights, expert_ids, new_bias - new_bias.mean()",
                )
            ],
            other_forms=(
                [(_STEP, f"{_STEP}\n    new_bias = new_bias - (new_bias - bias).mean()")],
            ),
            points=3,
            section=BALANCE,
        ),
        Mistake(
            "old_bias",
            "The bias comes back as it was.",
            [(_STEP, "0.0")],
            points=3,
            section=BALANCE,
        ),
        changed_in_place(
            "bias",
            [
                (
                    "bias + speed * (average - load).sign()",
                    "bias.data.add_(speed * (average - load).sign())",
                )
            ],
            points=0,
            any_error=True,
        ),
        cut_off([("    return weights, ", "    return weights.detach(), ")]),
        kept(
            [
                ("speed=0.001):", "speed=0.001, kept={}):"),
                (
                    "    expert_ids = order[:, :top_k]",
                    "    expert_ids = kept.setdefault((order.shape, top_k), order[:, :top_k])",
                ),
            ]
        ),
    ),
)
