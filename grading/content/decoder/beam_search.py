"""Several roads at once: a search that keeps the best beginnings of a text."""

from __future__ import annotations

import functools
import heapq
from collections.abc import Callable

import torch
from torch import Tensor

from grading.content.common import kept
from grading.content.decoder import harnesses
from grading.content.decoder.sections import BEAMS
from grading.content.decoder.shared import mutation_of, normal
from grading.content.drawing import draw_integer
from grading.exercise import Case, Exercise, Mistake, Part
from grading.exercise.edits import Edit


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

    ``differ``: mistakes, or other forms of them, by names that :func:`mutation_of` knows.
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


@functools.cache
def _wrong(name: str) -> Callable:
    return EXERCISE.mutant(mutation_of(EXERCISE, name))


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


def _set_aside(*lines: str, enough: bool = False) -> list[Edit]:
    """Texts that have ended leave the beams; ``enough`` of them end the search.

    ``lines`` say which of the candidates go to ``finished`` and which stay in ``beams``.
    """
    edits = [
        ("beams = [([], 0.0)]", "beams, finished = [([], 0.0)], []"),
        ("        beams = candidates[:num_beams]", "\n".join(f"        {line}" for line in lines)),
        ("max(beams,", "max(finished + beams,"),
    ]
    stop = ("all(ended(tokens) for tokens, _ in beams)", "len(finished) >= num_beams or not beams")
    return [*edits, stop] if enough else edits


_RUNNING = "beams = [beam for beam in candidates if not ended(beam[0])][:num_beams]"
_NOT_FILLED_UP = (
    "kept = candidates[:num_beams]",
    "finished += [beam for beam in kept if ended(beam[0])]",
    "beams = [beam for beam in kept if not ended(beam[0])]",
)
_FILLED_UP = ("finished += [beam for beam in candidates[:num_beams] if ended(beam[0])]", _RUNNING)
_FROM_TWICE_AS_MANY = (
    "finished += [beam for beam in candidates[: 2 * num_beams] if ended(beam[0])]",
    _RUNNING,
)
_UNTIL_FULL = (
    _RUNNING,
    "full = len(beams) == num_beams",
    "kept = candidates[: candidates.index(beams[-1]) if full else num_beams]",
    "finished += [beam for beam in kept if ended(beam[0])]",
)
_ALL_THAT_END = ("finished += [beam for beam in candidates if ended(beam[0])]", _RUNNING)
_KEPT_FOR_GOOD = ("kept = candidates[: num_beams - len(finished)]", *_NOT_FILLED_UP[1:])


EXERCISE = Exercise(
    id="beam_search",
    title="Several roads at once",
    signature="beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, "
    "length_penalty=0.0)",
    reference=beam_search,
    combined=(
        "on_its_own",
        "eos_ignored",
        "first_end",
        "ended_lost",
        "eos_cut",
        "penalty_unused",
        "penalty_multiplied",
        "penalty_on_the_way",
        "sum_returned",
    ),
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
    mistakes=(
        kept(
            [
                ("length_penalty=0.0):", "length_penalty=0.0, kept={}):"),
                (
                    "enumerate(next_log_probs(tokens).tolist())",
                    "enumerate(\n"
                    "                    kept.setdefault("
                    "tuple(tokens), next_log_probs(tokens).tolist())\n"
                    "                )",
                ),
            ],
        ),
        Mistake(
            "greedy",
            "This is the greedy text, whatever `num_beams` says: either one beam is kept, or the "
            "search begins with copies of the empty text, which stay equal. Begin with one.",
            [("candidates[:num_beams]", "candidates[:1]")],
            equivalent=([("beams = [([], 0.0)]", "beams = [([], 0.0)] * num_beams")],),
        ),
        Mistake(
            "on_its_own",
            "After the first step each beam keeps its own best continuation. All continuations of "
            "all beams compete, and the best `num_beams` of all of them stay.",
            [
                (
                    "candidates += longer",
                    "candidates += [max(longer, key=lambda beam: beam[1])] if tokens else longer",
                )
            ],
        ),
        Mistake(
            "exhaustive",
            "Nothing is thrown away, so all texts are compared. Only the best `num_beams` stay "
            "after each step.",
            [("candidates[:num_beams]", "candidates")],
        ),
        Mistake(
            "never_cut",
            "The best continuations of each beam all stay, so there are more beams in each step. "
            "Of all candidates together only `num_beams` are kept.",
            [
                (
                    "candidates += longer",
                    "candidates += sorted(longer, key=lambda beam: -beam[1])[:num_beams]",
                ),
                ("candidates[:num_beams]", "candidates"),
            ],
        ),
        Mistake(
            "last_only",
            "A text is judged by its last token alone. Its score is the *sum* of all its "
            "log-probabilities.",
            [("score + more", "more")],
        ),
        Mistake(
            "one_beam_more",
            "One beam too many is kept: after sorting, `candidates[:num_beams]` are `num_beams`.",
            [("candidates[:num_beams]", "candidates[: num_beams + 1]")],
        ),
        Mistake(
            "one_beam_less",
            "One beam too few is kept: after sorting, `candidates[:num_beams]` are `num_beams`.",
            [("candidates[:num_beams]", "candidates[: num_beams - 1]")],
        ),
        Mistake(
            "log_multiplied",
            "Log-probabilities are multiplied. The logarithm of a product is a *sum*: it begins "
            "with 0, and they are added.",
            [("([], 0.0)", "([], 1.0)"), ("score + more", "score * more")],
        ),
        Mistake(
            "ascending",
            "The *least* likely candidates are kept: the order is ascending. The largest sums "
            "stay.",
            [(", reverse=True", "")],
        ),
        Mistake(
            "probabilities_added",
            "Probabilities are added. What adds up are their logarithms, as `next_log_probs` gives "
            "them, for the probability of a text is a product.",
            [("next_log_probs(tokens)", "next_log_probs(tokens).exp()")],
        ),
        Mistake(
            "short_memory",
            "The model is asked with the end of the text alone, its last token or a few. It takes "
            "the whole text so far.",
            [("next_log_probs(tokens)", "next_log_probs(tokens[-1:])")],
            other_forms=(
                [("next_log_probs(tokens)", "next_log_probs(tokens[-2:])")],
                [("next_log_probs(tokens)", "next_log_probs(tokens[-3:])")],
            ),
        ),
        Mistake(
            "same_list",
            "Candidates share one list: `append` or `+=` changes the text that all of them hold. "
            "`[*tokens, token]` is a new list.",
            [("[*tokens, token]", "tokens.append(token) or tokens")],
        ),
        Mistake(
            "merged",
            "Of candidates with the same last tokens only the best is kept. They are different "
            "texts: each is a candidate of its own.",
            [
                (
                    "        beams = candidates[:num_beams]",
                    "        kinds = [tokens[-2:] for tokens, _ in candidates]\n"
                    "        beams = [\n"
                    "            beam for n, beam in enumerate(candidates) "
                    "if kinds[n] not in kinds[:n]\n"
                    "        ][:num_beams]",
                )
            ],
        ),
        Mistake(
            "topk_fails",
            "`topk` with `num_beams` fails if there are fewer tokens than beams; take the smaller "
            "of the two.",
            [
                (
                    "        beams = candidates[:num_beams]",
                    "        scores = torch.tensor([score for _, score in candidates])\n"
                    "        beams = [candidates[n] for n in scores.topk(num_beams).indices]",
                )
            ],
            any_error=True,
        ),
        Mistake(
            "always_mean",
            "The sum is always divided by the length, whatever `length_penalty` is. Divide by the "
            "length to the power of it: with 0 the plain sum decides.",
            [(" ** length_penalty", "")],
        ),
        Mistake(
            "worst",
            "Of the beams at the end it is the worst that is returned.",
            [("best = max(", "best = min(")],
            other_forms=(
                [("best = max(beams, key=lambda beam: by_length(*beam))", "best = beams[-1]")],
            ),
        ),
        Mistake(
            "best_of_zero",
            "A best score of 0, that of a text whose probability is 1, is taken for none, as `not "
            "best_score` does, and the next beam for better. Ask whether it is None.",
            [
                (
                    "    best = max(beams, key=lambda beam: by_length(*beam))\n",
                    "    best = None\n"
                    "    for beam in beams:\n"
                    "        if not (best and by_length(*best)) or "
                    "by_length(*beam) > by_length(*best):\n"
                    "            best = beam\n",
                )
            ],
        ),
        Mistake(
            "one_less",
            "The texts are one token too short: `max_tokens` tokens are allowed.",
            [("range(max_tokens)", "range(max_tokens - 1)")],
        ),
        Mistake(
            "one_step_more",
            "The texts are one token too long: at most `max_tokens` tokens are allowed.",
            [("range(max_tokens)", "range(max_tokens + 1)")],
        ),
        Mistake(
            "eos_ignored",
            "A text goes on after `eos_token`. Once it has ended it is kept as it is, with its "
            "score.",
            [("tokens[-1:] == [eos_token]", "False")],
            points=2,
        ),
        Mistake(
            "ended_at_once",
            "A text whose first token is `eos_token` goes on. It has ended, too, with a length of "
            "1.",
            [("tokens[-1:] == [eos_token]", "len(tokens) > 1 and tokens[-1:] == [eos_token]")],
            points=2,
        ),
        Mistake(
            "first_end",
            "The search stops as soon as one text has ended. Others may still overtake it: go on "
            "until all beams have ended or `max_tokens` is reached.",
            [("if all(", "if any(")],
            points=2,
        ),
        Mistake(
            "ended_taken",
            "The search stops as soon as one text has ended, and returns it. Others may still be "
            "better: go on until all beams have ended or `max_tokens` is reached.",
            [
                ("if all(", "if any("),
                (
                    "            break",
                    "            beams = [beam for beam in beams if ended(beam[0])]\n"
                    "            break",
                ),
            ],
            points=2,
        ),
        Mistake(
            "ended_first",
            "At the end a text that has ended is preferred to all that have not. Of the beams that "
            "are left the best is returned, ended or not.",
            [
                (
                    "    best =",
                    "    beams = [beam for beam in beams if ended(beam[0])] or beams\n    best =",
                )
            ],
            points=2,
        ),
        Mistake(
            "eos_repeated",
            "A text that has ended gets `eos_token` once more in each step. It stays as it is, and "
            "its length does not grow.",
            [("append((tokens, score))", "append(([*tokens, eos_token], score))")],
            other_forms=(
                [
                    (
                        "candidates.append((tokens, score))",
                        "score += next_log_probs(tokens)[eos_token].item()\n"
                        "                candidates.append(([*tokens, eos_token], score))",
                    )
                ],
            ),
            points=2,
        ),
        Mistake(
            "zero_is_none",
            "Token 0 does not end a text, because in Python 0 counts as False: ask whether "
            "`eos_token is not None`.",
            [("return tokens[-1:]", "return eos_token and tokens[-1:]")],
            points=3,
        ),
        Mistake(
            "ended_lost",
            "A text that has ended is lost in the next step. It stays among the candidates, as it "
            "is.",
            [("                candidates.append((tokens, score))\n", "")],
            points=2,
        ),
        Mistake(
            "own_places",
            "Texts that have ended do not take a place among the beams, so more texts are followed "
            "than asked for. (Libraries do it like this.) Here ended and running texts compete for "
            "the same `num_beams` places.",
            _set_aside(*_FROM_TWICE_AS_MANY),
            other_forms=tuple(
                _set_aside(*lines, enough=enough)
                for lines in (_NOT_FILLED_UP, _FILLED_UP, _UNTIL_FULL, _ALL_THAT_END)
                for enough in (False, True)
            ),
            points=2,
        ),
        Mistake(
            "kept_for_good",
            "A text that has ended keeps its place for good. It competes in each step like the "
            "others, and loses its place if `num_beams` candidates are better.",
            _set_aside(*_KEPT_FOR_GOOD),
            points=2,
        ),
        Mistake(
            "eos_cut",
            "`eos_token` is missing at the end of the text.",
            [("return best[0]", "return best[0][:-1] if ended(best[0]) else best[0]")],
            points=2,
        ),
        Mistake(
            "penalty_unused",
            "`length_penalty` is not used.",
            [
                ("key=lambda beam: by_length(*beam)", "key=lambda beam: beam[1]"),
                ("by_length(*best)", "best[1]"),
            ],
            points=3,
        ),
        Mistake(
            "penalty_multiplied",
            "The sum is multiplied by the power of the length; divide by it.",
            [("score / len", "score * len")],
            points=3,
        ),
        Mistake(
            "power_of_the_quotient",
            "The sum is divided by the length, and the power is taken of the *quotient*: with 0 "
            "that is 1 for every text. It belongs to the length alone, which `**` does by itself.",
            [("score / len(tokens) ** length_penalty", "(score / len(tokens)) ** length_penalty")],
            any_error=True,
        ),
        Mistake(
            "max_tokens_as_length",
            "The length that divides is the same for all texts, `max_tokens`. Each text has its "
            "own, `len(tokens)`.",
            [("len(tokens)", "max_tokens")],
            points=3,
        ),
        Mistake(
            "length_plus_one",
            "The length is one too large. It counts the tokens of the text, `eos_token` included, "
            "and nothing else.",
            [("len(tokens)", "(len(tokens) + 1)")],
            points=3,
        ),
        Mistake(
            "length_less_one",
            "The length is one too small. It counts all tokens of the text, the first and the last "
            "included.",
            [("len(tokens)", "max(1, len(tokens) - 1)")],
            points=3,
        ),
        Mistake(
            "default_one",
            "Where `length_penalty` is not given the sum is divided by the length. Its default is "
            "0: the plain sum decides.",
            [("length_penalty=0.0", "length_penalty=1.0")],
        ),
        Mistake(
            "six_sixths",
            "The divisor is ((5 + length) / 6) to the power of the penalty, as another paper has "
            "it. Here it is the length itself to this power.",
            [("len(tokens)", "((5 + len(tokens)) / 6)")],
            points=3,
        ),
        Mistake(
            "times_length",
            "The sum is divided by the length *times* `length_penalty`. Asked for is the length to "
            "the *power* of it.",
            [("len(tokens) ** length_penalty", "(len(tokens) * length_penalty or 1)")],
            points=3,
        ),
        Mistake(
            "times_zero",
            "The sum is divided by the length *times* `length_penalty`, which is 0 if that is 0. "
            "Asked for is the length to the *power* of it: 1 then.",
            [("len(tokens) ** length_penalty", "(len(tokens) * length_penalty)")],
        ),
        Mistake(
            "added",
            "The penalty is added to the sum or subtracted from it. Asked for is the sum divided "
            "by the length to the power of `length_penalty`.",
            [("score / len(tokens) ** length_penalty", "score + length_penalty * len(tokens)")],
            other_forms=(
                [("score / len(tokens) ** length_penalty", "score - length_penalty * len(tokens)")],
            ),
            points=3,
        ),
        Mistake(
            "mean_if_penalty",
            "The sum is divided by the length itself, whatever `length_penalty` is. Divide by the "
            "length to the power of it.",
            [("len(tokens) ** length_penalty", "(len(tokens) if length_penalty else 1)")],
            points=3,
        ),
        Mistake(
            "penalty_on_the_way",
            "The length penalty is used at each step. While beams are kept, their plain sums "
            "count; divide at the end only.",
            [("key=lambda beam: beam[1]", "key=lambda beam: by_length(*beam)")],
            points=3,
        ),
        Mistake(
            "best_of_candidates",
            "The best is taken of all candidates of the last step, those that were cut included. "
            "It is one of the `num_beams` texts that were kept.",
            [("max(beams,", "max(candidates,")],
            points=3,
        ),
        Mistake(
            "best_ended",
            "The search stops as soon as the best text has ended. By the plain sum nothing can "
            "overtake it any more, but divided by the length a longer one may.",
            [("all(ended(tokens) for tokens, _ in beams)", "ended(beams[0][0])")],
            other_forms=(
                [  # the best by what is returned
                    (
                        "all(ended(tokens) for tokens, _ in beams)",
                        "ended(max(beams, key=lambda beam: by_length(*beam))[0])",
                    )
                ],
            ),
            points=3,
        ),
        Mistake(
            "chosen_by_sum",
            "The text with the largest sum is returned. Of the beams that are left, the largest "
            "*divided* score decides.",
            [("key=lambda beam: by_length(*beam)", "key=lambda beam: beam[1]")],
            points=3,
        ),
        Mistake(
            "length_without_eos",
            "The length is counted without `eos_token`. It counts all tokens, this one included.",
            [("len(tokens)", "max(1, len(tokens) - ended(tokens))")],
            points=3,
        ),
        Mistake(
            "sum_returned",
            "The score that is returned is the plain sum. Asked for is the sum divided by the "
            "power of the length, by which the text was chosen.",
            [("by_length(*best)", "best[1]")],
            points=3,
        ),
        Mistake(
            "probability",
            "The score that is returned is a probability; asked for is its logarithm.",
            [("by_length(*best)", "torch.e ** by_length(*best)")],
        ),
        Mistake(
            "negated",
            "The score has the wrong sign. It is a sum of logarithms of probabilities, so it is "
            "not above 0.",
            [("by_length(*best)", "-by_length(*best)")],
        ),
        Mistake(
            "all_beams",
            "It returns more than the best text.",
            [("return best[0]", "return [best[0]]")],
        ),
    ),
)
