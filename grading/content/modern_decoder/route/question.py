"""A router that balances without a loss: the bias of DeepSeek-V3, which counts for the choice."""

from __future__ import annotations

import torch

from grading.content.drawing import draw_integer
from grading.content.modern_decoder import harnesses
from grading.content.modern_decoder.sections import ROUTER
from grading.content.modern_decoder.shared import normal
from grading.exercise import Case, Part, Question


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


QUESTION = Question(
    id="route",
    title="A router that balances without a loss",
    signature="route(logits, bias, top_k, speed=0.001)",
    reference=route,
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
)
