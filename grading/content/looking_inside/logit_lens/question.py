"""Exercise 2: the logit lens on states of which only the last is normed."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading.content.drawing import draw_integer
from grading.content.looking_inside import harnesses
from grading.content.looking_inside.sections import LENS
from grading.content.looking_inside.shared import normal
from grading.exercise import Case, Part, Question


def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    """The target's log-probability and rank at each depth, and where it is settled."""
    *inner, last = hidden_states
    size = norm_weight.shape
    normed = [F.layer_norm(x, size, norm_weight, norm_bias, 1e-5) for x in inner]
    states = torch.stack([*normed, last])  # [depths, batch, tokens, hidden]
    logits = states @ table.T
    depths = len(states)
    index = target_ids.expand(depths, -1, -1)[..., None]
    log_probs = logits.log_softmax(-1).gather(-1, index).squeeze(-1)
    ranks = (logits > logits.gather(-1, index)).sum(-1)
    wrong = ranks > 0
    after = torch.arange(1, depths + 1).view(-1, 1, 1)  # the depth after each
    settled = (wrong * after).amax(0)
    return log_probs, ranks, settled


def _state_with(
    generator: torch.Generator,
    arguments: tuple[Tensor, Tensor, Tensor],
    on_top: Tensor,
    ids: Tensor,
) -> Tensor:
    """A state before the norm, whose target is on top where it should be (nearly always)."""
    weight, bias, table = arguments
    wanted = torch.where(on_top[..., None], 3.0, -0.6) * table[ids]
    noise = normal(generator, *wanted.shape, size=0.4)
    return (wanted - bias) / weight + noise


def _lens_arguments(
    generator: torch.Generator,
    depths: int,
    batch: int,
    tokens: int,
    hidden: int,
    vocab: int,
    various: bool = False,
) -> tuple:
    """Draw states whose targets come and go, with no target that is very unlikely.

    ``various``: some are settled at once, some later, some lost again in between, some never; and
    the norm's gain and bias are such that no rank changes if the last state is normed once more,
    which is a mistake that another part is for.
    """
    for _ in range(1000):
        weight = 0.6 + torch.rand(hidden, generator=generator)
        bias = normal(generator, hidden, size=0.3)
        if various:
            weight, bias = 1.3 + 0.04 * weight, 0.1 * bias
        table = normal(generator, vocab, hidden, size=0.6)
        ids = torch.randint(vocab, (batch, tokens), generator=generator)
        on_top = torch.rand(depths, batch, tokens, generator=generator) < 0.6
        if various:  # one is never on top, one always
            on_top[:, 0, 0], on_top[:, -1, -1] = False, True
        states = [_state_with(generator, (weight, bias, table), top, ids) for top in on_top]
        states[0] = 0.02 * states[0]  # embeddings are small, so that the ε of the norm shows
        states[-1] = F.layer_norm(states[-1], (hidden,), weight, bias, 1e-5)
        arguments = (tuple(states), weight, bias, table, ids)
        if _near_ties(*arguments) or float(logit_lens(*arguments)[0].min()) < -11:
            continue
        if not various or _are_various(*arguments):
            return arguments
    raise ValueError("No states were found whose targets come and go.")


def _near_ties(hidden_states: tuple, weight: Tensor, bias: Tensor, table: Tensor, ids: Tensor):
    """Tell whether rounding could change a target's rank."""
    logits = torch.stack([*_normed(hidden_states, weight, bias), hidden_states[-1]]) @ table.T
    index = ids.expand(len(logits), -1, -1)[..., None]
    return bool(((logits - logits.gather(-1, index)).abs() < 1e-3).sum() > index.numel())


def _are_various(hidden_states: tuple, *arguments: Tensor) -> bool:
    _, ranks, settled = logit_lens(hidden_states, *arguments)
    depths, vocab = len(hidden_states), len(arguments[2])
    wrong = ranks > 0
    first = torch.where(wrong.all(0), depths, wrong.int().argmin(0))
    lost_again = (first < settled) & (settled < depths)
    never = wrong[-1] & ~wrong.all(0)
    between = (ranks > 1) & (ranks < vocab - 2)
    last = F.layer_norm(hidden_states[-1], arguments[0].shape, *arguments[:2])
    return bool(
        torch.equal(logit_lens((last, last), *arguments)[1][1], ranks[-1])
        and (settled == 0).any()
        and wrong.all(0).any()
        and lost_again.any()
        and never.any()
        and between.any()
        and ((settled > 0) & (settled < depths - 1)).any()
        and (settled == depths - 1).any()
    )


def _normed(states: tuple, weight: Tensor, bias: Tensor) -> list[Tensor]:
    return [F.layer_norm(x, weight.shape, weight, bias, 1e-5) for x in states[:-1]]


def _lens_cases(generator: torch.Generator) -> list[Case]:
    names = ("hidden_states", "norm_weight", "norm_bias", "table", "target_ids")

    def case(title, part, harness, arguments, **options):
        pairs = tuple(zip(names, arguments, strict=True))
        return Case(title, part, pairs, harness=harness, **options)

    def draw(*sizes, various=False):
        return _lens_arguments(generator, *sizes, various)

    def draw_unlikely():
        """Draw targets, and a factor: each is too unlikely for float32 then, some for float64."""
        for _ in range(1000):
            states, weight, bias, table, _ = draw(4, 2, 6, 7, 10)
            logits = torch.stack([*_normed(states, weight, bias), states[-1]]) @ table.T
            least = logits[-1].argmin(-1)
            factor = 2000.0 / float((logits.amax(-1) - logits.amin(-1)).max())
            arguments = states, weight, bias, table, least
            log_probs = logit_lens(states, weight, bias, factor * table, least)[0]
            last = log_probs[-1]
            unlikely = float(last.max()) < -120 and float(last.min()) < -1000
            if unlikely and not _near_ties(*arguments):
                return arguments, factor
        raise ValueError("No targets were found that are unlikely enough.")

    vocab = draw_integer(generator, 12, 14)
    one, two = draw(5, 2, 6, 8, vocab), draw(4, 4, 4, 9, vocab + 3)
    again = [draw(3, 1, 9, 5, 11) for _ in range(2)]
    plain, factor = draw_unlikely()
    unlikely = (*plain[:3], factor * plain[3], plain[4])
    three, four = draw(5, 3, 7, 9, vocab, various=True), draw(6, 1, 20, 8, 16, various=True)
    other = [draw(4, 20, 1, 6, 13, various=True) for _ in range(2)]
    before, last = harnesses.log_probs_before_the_last, harnesses.log_probs_at_the_last
    ranks, settled = harnesses.ranks_of, harnesses.settled_of
    return [
        case("all depths but the last", "core", before, one),
        case("other sizes", "core", before, two),
        case("the embeddings and the end, one token", "core", before, draw(2, 3, 1, 8, 8)),
        case("called again, other states", "core", before, again[0], again=(again[1],)),
        case("the last depth", "last", last, one),
        case("the last depth, other sizes", "last", last, two),
        case("very unlikely targets, last depth", "last", last, unlikely),
        Case(
            "how far the ranks change as targets become very unlikely",
            "last",
            (("factor", factor), *zip(names, plain, strict=True)),
            harness=harnesses.change_of_ranks,
        ),
        case("ranks", "ranks", ranks, three),
        case("ranks, one text", "ranks", ranks, four),
        case("settled", "settled", settled, three),
        case("settled, one text", "settled", settled, four),
        case(
            "settled, texts of one token, called again",
            "settled",
            settled,
            other[0],
            again=(other[1],),
        ),
    ]


def _by_modules(hidden_states, norm_weight, norm_bias, table, target_ids):
    """PyTorch's own: a LayerNorm, a Linear and a cross-entropy."""
    norm = nn.LayerNorm(len(norm_weight))
    head = nn.Linear(table.size(1), table.size(0), bias=False)
    norm.load_state_dict({"weight": norm_weight, "bias": norm_bias})
    head.load_state_dict({"weight": table})
    log_probs, ranks = [], []
    with torch.no_grad():
        for depth, state in enumerate(hidden_states):
            logits = head(state if depth + 1 == len(hidden_states) else norm(state))
            losses = F.cross_entropy(logits.mT, target_ids, reduction="none")
            log_probs.append(-losses)
            order = logits.argsort(-1, descending=True)
            ranks.append((order == target_ids[..., None]).int().argmax(-1))
    ranks = torch.stack(ranks)
    on_top = (ranks == 0).flip(0).int().cumprod(0).sum(0)
    return torch.stack(log_probs), ranks, len(ranks) - on_top


def _by_places(hidden_states, norm_weight, norm_bias, table, target_ids):
    """Position by position, with a norm written out."""
    depths, (batch, tokens) = len(hidden_states), target_ids.shape
    log_probs = torch.zeros(depths, batch, tokens)
    ranks = torch.zeros(depths, batch, tokens, dtype=torch.long)
    settled = torch.full((batch, tokens), depths)
    for b in range(batch):
        for t in range(tokens):
            target = int(target_ids[b, t])
            for depth in reversed(range(depths)):
                x = hidden_states[depth][b, t].double()
                if depth < depths - 1:
                    x = (x - x.mean()) / ((x - x.mean()).pow(2).mean() + 1e-5).sqrt()
                    x = x * norm_weight + norm_bias
                logits = table.double() @ x
                log_probs[depth, b, t] = logits[target] - logits.logsumexp(0)
                ranks[depth, b, t] = sorted(logits.tolist(), reverse=True).index(logits[target])
                if settled[b, t] == depth + 1 and ranks[depth, b, t] == 0:
                    settled[b, t] = depth
    return log_probs, ranks, settled


def _by_double_argsort(hidden_states, norm_weight, norm_bias, table, target_ids):
    """The rank of every word at once; the first depth after which all is right."""
    states = torch.stack(hidden_states)
    mean, variance = states.mean(-1, keepdim=True), states.var(-1, correction=0, keepdim=True)
    normed = (states - mean) * torch.rsqrt(variance + 1e-5) * norm_weight + norm_bias
    normed[-1] = states[-1]
    logits = torch.einsum("dbth,vh->dbtv", normed, table)
    place = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    one_hot = F.one_hot(target_ids, len(table))
    ranks = (place * one_hot).sum(-1)
    log_probs = (logits * one_hot).sum(-1) - logits.logsumexp(-1)
    right = torch.stack([(ranks[depth:] == 0).all(0) for depth in range(len(ranks))])
    return log_probs, ranks, (~right).sum(0)


QUESTION = Question(
    id="logit_lens",
    title="The lens on the states of Hugging Face",
    signature="logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids)",
    reference=logit_lens,
    cases=_lens_cases,
    parts=(
        Part("core", "log-probabilities at all depths but the last", 2),
        Part("last", "the last depth, and very unlikely targets", 1),
        Part("ranks", "ranks", 1),
        Part("settled", "where a target is settled", 1),
    ),
    minutes=20,
    difficulty=2,
    draws=5,
    section=LENS,
    alternatives={
        "PyTorch's modules": _by_modules,
        "position by position": _by_places,
        "ranks of all words": _by_double_argsort,
    },
)
