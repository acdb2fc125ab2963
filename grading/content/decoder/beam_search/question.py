"""Several roads at once: a search that keeps the best beginnings of a text."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import torch
from torch import Tensor

from grading.content.decoder import harnesses
from grading.content.decoder.sections import BEAMS
from grading.content.decoder.shared import normal
from grading.content.drawing import draw_integer
from grading.exercise import Case, Part, Question


def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    """The best text that the search finds, and its score."""

    def ended(tokens):
        return tokens[-1:] == [eos_token]

    def by_length(tokens, score):
        return score / len(tokens) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if ended(tokens):
                candidates.append((tokens, score))
                continue
            longer = [
                ([*tokens, token], score + more)
                for token, more in enumerate(next_log_probs(tokens).tolist())
            ]
            candidates += longer
        candidates.sort(key=lambda beam: beam[1], reverse=True)
        beams = candidates[:num_beams]
        if all(ended(tokens) for tokens, _ in beams):
            break
    best = max(beams, key=lambda beam: by_length(*beam))
    return best[0], by_length(*best)


def _overtaken(table: Tensor, eos: int) -> Tensor:
    """Change a table so that one text ends at once, is overtaken, and would have been the best.

    A search that gives the texts that ended places of their own returns it; here it has lost its
    place to two longer ones, before these became unlikely.
    """
    vocab = table.size(-1)
    start, token = vocab, (eos + 1) % vocab
    table = table * 0.25
    table[..., eos] -= 3.0
    table[start, start, token] += 4.0
    table[start, start, eos] += 5.6
    table[start, token, token] += 3.5
    table[start, token, (eos + 2) % vocab] += 3.5
    return table


def _meeting(table: Tensor) -> Tensor:
    """Change a table so that two beams with the same tokens meet, and neither goes on well.

    A search that follows only one of the two finds a better text, in the other's place.
    """
    start = table.size(-1)
    one, other, then, next_one, left_out = range(start)
    table = table * 0.25
    table[start, start, one] += 4.0
    table[start, start, other] += 3.9
    table[start, one, other] += 3.0
    table[start, other, one] += 5.0
    table[one, other, then] += 4.0
    table[other, one, then] += 4.0
    table[:start, then, next_one] += 4.0
    table[then, next_one, then] += 3.0
    table[then, next_one, left_out] += 2.0
    table[next_one, then, next_one] -= 4.0  # so nothing is likely here
    table[next_one, left_out, one] += 5.0
    return table


def _language(
    generator,
    settings: tuple,
    differ: tuple[str, ...],
    overtaken: bool = False,
    meeting: bool = False,
    vocab: int = 5,
    far: bool = False,
) -> Tensor:
    """Draw a language in which the mistakes show; up to three of them do it in different ways.

    ``far``: tokens before the last two decide about the next one, too.

    ``differ``: mistakes, or other forms of them, by names that :meth:`Exercise.wrong` knows.
    """
    wrong = [_wrong(name) for name in differ]

    def apart(one, other):
        return one[0] != other[0] or abs(one[1] - other[1]) > 1e-2

    while True:
        sizes = (vocab + 1, vocab + 1, vocab)
        table = normal(generator, *((3, *sizes) if far else sizes), size=1.2)
        table = _overtaken(table, settings[2]) if overtaken else table
        table = (_meeting(table) if meeting else table).log_softmax(-1)
        found = [harnesses.search(beam_search, table, *settings)]
        for implementation in wrong:
            new = harnesses.search(implementation, table, *settings)
            if not all(apart(new, other) for other in (found if len(wrong) <= 3 else found[:1])):
                break
            found.append(new)
        else:
            return table


def _wrong(name: str) -> Callable:
    from . import EXERCISE  # which has the bank, that stands on this module

    return EXERCISE.wrong(name)


def _beam_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, beams, tokens, *rest, differ=(), **options):
        settings = (beams, tokens, *rest)
        language = _language(generator, settings, differ, **options)
        names = ("language", "num_beams", "max_tokens", "eos_token", "length_penalty")
        arguments = zip(names, (language, *settings), strict=False)
        return Case(title, part, tuple(arguments), harness=harnesses.search)

    def certain():
        table = normal(generator, 6, 6, 5, size=1.2)
        table[5, 5, draw_integer(generator, 0, 4)] += 150  # its probability is rounded to 1
        names = ("language", "num_beams", "max_tokens")
        values = (table.log_softmax(-1), 3, 1)
        arguments = tuple(zip(names, values, strict=True))
        return Case("a certain text of one token", "core", arguments, harness=harnesses.search)

    def called_again():
        names = ("language", "num_beams", "max_tokens")
        first = _language(generator, (2, 6), ("greedy", "merged"), meeting=True)
        other = _language(generator, (2, 6), ("greedy",))
        arguments = tuple(zip(names, (first, 2, 6), strict=True))
        again = ((other, 2, 6), (first, 1, 6))
        title = "called again, another language"
        return Case(title, "core", arguments, harness=harnesses.search, again=again)

    eos = draw_integer(generator, 1, 4)
    usual = ("greedy", "on_its_own", "exhaustive", "last_only", "worst")
    two = ("never_cut", "log_multiplied")
    long = (*usual[:3], "short_memory~1", "short_memory~2")
    ends = ("ended_first", "own_places", "ended_taken", "first_end", "ended_lost", "eos_ignored")
    stays = ("eos_cut", "eos_repeated~1", "ended_lost")
    aside = ("own_places", *(f"own_places~{n}" for n in range(1, 9)), "kept_for_good")
    aside = {"differ": aside, "overtaken": True}
    at_once = ("eos_ignored", "ended_at_once")
    stopped = ("best_ended", "best_ended~1")
    penalty = ("penalty_unused", "penalty_multiplied", "penalty_on_the_way", *stopped)
    return [
        case("two beams", "core", 2, 4, differ=(*usual, *two, "one_beam_more", "short_memory")),
        case("three beams", "core", 3, draw_integer(generator, 5, 6), differ=long, far=True),
        case("one beam", "core", 1, 4, differ=("last_only", "one_beam_more", "exhaustive")),
        called_again(),
        certain(),
        case("more beams than tokens", "core", 7, 3, differ=("greedy",)),
        case("a text ends with token 0", "ended", 2, 5, 0, differ=("eos_ignored", "ended_lost")),
        case("a text that ended is overtaken", "ended", 2, 5, eos, differ=ends[2:4]),
        case(
            "a text that ended is not the best",
            "ended",
            2,
            5,
            eos,
            differ=("ended_first", "ended_taken"),
        ),
        case("a text that ended stays the best", "ended", 3, 4, eos, differ=stays),
        case("one beam, a text that ends", "ended", 1, 5, eos, differ=at_once),
        case("texts that ended take a place", "ended", 2, 5, eos, **aside),
        case("a length penalty", "penalty", 3, 5, eos, 2.0, differ=penalty),
        case("one beam, a length penalty, nothing ends", "penalty", 1, 4, None, 0.5),
        case("ends and half a length penalty", "penalty", 2, 5, eos, 0.5, differ=ends),
        case("texts that ended lose their place", "penalty", 2, 5, eos, 0.5, **aside),
        case(
            "a text that was cut is the shortest",
            "penalty",
            2,
            2,
            eos,
            -1.0,
            differ=("best_of_candidates",),
            overtaken=True,
        ),
        case(
            "short texts are favoured",
            "penalty",
            3,
            4,
            eos,
            -1.0,
            differ=(
                "penalty_unused",
                "chosen_by_sum",
                "length_without_eos",
                "eos_cut",
                "ended_at_once",
            ),
        ),
    ]


def _tensor_beams(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    texts, scores = [[]], torch.zeros(1, dtype=torch.float64)
    for _ in range(max_tokens):
        rows, values = [], []
        for text, score in zip(texts, scores, strict=True):
            if text and text[-1] == eos_token:
                rows.append(text)
                values.append(score[None])
            else:
                more = next_log_probs(text).double()
                rows += [[*text, token] for token in range(len(more))]
                values.append(score + more)
        best = torch.cat(values).topk(min(num_beams, len(rows)))
        texts, scores = [rows[i] for i in best.indices.tolist()], best.values
    lengths = torch.tensor([len(text) for text in texts], dtype=torch.float64)
    final = scores / lengths**length_penalty
    return texts[int(final.argmax())], final.max()


def _heap_beams(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    running, finished = [(0.0, ())], []
    while running and len(running[0][1]) < max_tokens:
        extended = (
            (score + float(more), (*tokens, token))
            for score, tokens in running
            for token, more in enumerate(next_log_probs(list(tokens)))
        )
        kept = heapq.nlargest(num_beams, [*finished, *extended])
        finished = [beam for beam in kept if beam[1][-1] == eos_token]
        running = [beam for beam in kept if beam[1][-1] != eos_token]
    score, tokens = max((s / len(t) ** length_penalty, t) for s, t in finished + running)
    return torch.tensor(tokens), score


def _nested_beams(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    """Keeps the texts in a dictionary, by recursion."""

    def go_on(beams, left):
        if left == 0:
            return beams
        found = {}
        for tokens, score in beams.items():
            if eos_token is not None and tokens and tokens[-1] == eos_token:
                found[tokens] = score
                continue
            for token, more in enumerate(next_log_probs(tokens).tolist()):
                found[(*tokens, token)] = score + more
        best = sorted(found, key=found.get, reverse=True)[:num_beams]
        return go_on({tokens: found[tokens] for tokens in best}, left - 1)

    beams = go_on({(): 0.0}, max_tokens)
    final = {tokens: score / len(tokens) ** length_penalty for tokens, score in beams.items()}
    best = max(final, key=final.get)
    return list(best), final[best]


QUESTION = Question(
    id="beam_search",
    title="Several roads at once",
    signature="beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, "
    "length_penalty=0.0)",
    reference=beam_search,
    cases=_beam_cases,
    parts=(
        Part("core", "the best of several beginnings", 2),
        Part("ended", "texts that end", 1),
        Part("penalty", "long and short texts", 1),
    ),
    minutes=25,
    difficulty=3,
    section=BEAMS,
    tolerance=1e-4,
    alternatives={
        "tensors and topk": _tensor_beams,
        "a heap, finished apart": _heap_beams,
        "recursion": _nested_beams,
    },
)
