"""Several roads at once."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from grading.content.decoder import harnesses
from grading.content.decoder.sections import BEAMS
from grading.content.decoder.shared import Flags, normal
from grading.content.drawing import draw_integer
from grading.exercise import Case, Exercise, Mistake, Part


def _beams(wrong: Flags = frozenset()) -> Callable:
    def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
        if "eos_ignored" in wrong or ("zero_is_none" in wrong and eos_token == 0):
            eos_token = None

        def ended(tokens):
            return tokens[-1:] == [eos_token]

        def rank(tokens, score):
            size = len(tokens)
            if "length_without_eos" in wrong:
                size = max(1, size - ended(tokens))
            if "max_tokens_as_length" in wrong:
                size = max_tokens
            if "length_plus_one" in wrong:
                size += 1
            if "length_less_one" in wrong:
                size = max(1, size - 1)
            if "six_sixths" in wrong:
                size = (5 + size) / 6
            if "times_length" in wrong and length_penalty:
                return score / (size * length_penalty)
            if "times_zero" in wrong:
                return score / (size * length_penalty)
            if "added" in wrong:
                return score + length_penalty * size
            if "subtracted" in wrong:
                return score - length_penalty * size
            if "mean_if_penalty" in wrong and length_penalty:
                return score / size
            return score / size ** (1.0 if "always_mean" in wrong else length_penalty)

        steps = max_tokens - ("one_less" in wrong) + ("one_step_more" in wrong)
        width = 1 if "greedy" in wrong else num_beams + ("one_beam_more" in wrong)
        width -= "one_beam_less" in wrong
        beams, finished = [([], 1.0 if "log_multiplied" in wrong else 0.0)], []
        for step in range(steps):
            candidates, groups = [], []
            for tokens, score in beams:
                if ended(tokens):
                    again = [eos_token] if "eos_repeated" in wrong else []
                    if "eos_paid" in wrong:
                        score += next_log_probs(tokens).tolist()[eos_token]
                    candidates.append((tokens + again, score))
                    continue
                known = tokens[-1:] if "short_memory" in wrong else tokens
                logp = next_log_probs(known)
                logp = logp.exp() if "probabilities_added" in wrong else logp
                sums = score * logp if "log_multiplied" in wrong else score + logp.double()
                sums = logp if "last_only" in wrong else sums
                group = [([*tokens, token], total) for token, total in enumerate(sums.tolist())]
                if "same_list" in wrong:
                    tokens += range(len(group))
                    group = [(tokens, more) for _, more in group]
                groups.append(group)
                candidates += group
            normalised = "penalty_on_the_way" in wrong
            candidates.sort(key=lambda c: -(rank(*c) if normalised else c[1]))
            if "ascending" in wrong:
                candidates.reverse()
            if "on_its_own" in wrong and step:
                candidates = [max(group, key=lambda c: c[1]) for group in groups]
                candidates += [beam for beam in beams if ended(beam[0])]
            if "own_places" in wrong:  # those that ended do not take a place
                finished += [c for c in candidates[: 2 * width] if ended(c[0])]
                candidates = [c for c in candidates if not ended(c[0])]
            beams = candidates if "exhaustive" in wrong else candidates[:width]
            if {"first_end", "ended_taken"} & wrong and any(ended(tokens) for tokens, _ in beams):
                if "ended_taken" in wrong:
                    beams = [beam for beam in beams if ended(beam[0])]
                break
            if "best_ended" in wrong and ended(beams[0][0]):
                break
            if "ended_lost" in wrong and step + 1 < steps:
                beams = [beam for beam in beams if not ended(beam[0])] or beams
            if all(ended(tokens) for tokens, _ in beams):
                break
        beams = beams + finished
        if "ended_first" in wrong:
            beams = [beam for beam in beams if ended(beam[0])] or beams
        sign = -1 if "worst" in wrong else 1
        choose = (lambda t, s: s) if "penalty_unused" in wrong else rank
        if "penalty_multiplied" in wrong:
            choose = lambda t, s: s * len(t) ** length_penalty  # noqa: E731
        if "last_returned" in wrong:
            tokens, score = min(beams, key=lambda beam: beam[1])
        elif "chosen_by_sum" in wrong:
            tokens, score = max(beams, key=lambda beam: beam[1])
        else:
            tokens, score = max(beams, key=lambda beam: sign * choose(*beam))
        score = score if "sum_returned" in wrong else choose(tokens, score)
        if "eos_cut" in wrong and ended(tokens):
            tokens = tokens[:-1]
        return tokens, score

    return beam_search


_RIGHT_BEAMS = _beams()
_EOS_PAID = _beams(frozenset({"eos_repeated", "eos_paid"}))


def _set_aside(rule: str, enough: bool = False) -> Callable:
    """Texts that have ended leave the beams; ``enough`` of them end the search."""

    def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
        running, finished = [([], 0.0)], []
        for _ in range(max_tokens):
            candidates = [
                ([*tokens, token], score + more)
                for tokens, score in running
                for token, more in enumerate(next_log_probs(tokens).tolist())
            ]
            candidates.sort(key=lambda c: -c[1])
            running = [c for c in candidates if c[0][-1] != eos_token][:num_beams]
            first = candidates[: num_beams - len(finished) * (rule == "kept for good")]
            if rule in ("not filled up", "kept for good"):
                running = [c for c in first if c in running]
            if rule == "all that end":
                first = candidates
            if rule == "until full" and len(running) == num_beams:
                first = candidates[: candidates.index(running[-1])]
            finished += [c for c in first if c[0][-1] == eos_token]
            if not running or (enough and len(finished) >= num_beams):
                break
        best = max(finished + running, key=lambda c: c[1] / len(c[0]) ** length_penalty)
        return best[0], best[1] / len(best[0]) ** length_penalty

    return beam_search


_ASIDE = tuple(
    _set_aside(rule, enough)
    for rule in ("not filled up", "filled up", "until full", "all that end")
    for enough in (False, True)
)
_KEPT_FOR_GOOD = _set_aside("kept for good")


def _never_cut(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    """Each beam goes on with its best continuations, and all of them stay."""
    beams = [([], 0.0)]
    for _ in range(max_tokens):
        longer = []
        for tokens, score in beams:
            if tokens[-1:] == [eos_token]:
                longer.append((tokens, score))
                continue
            best = next_log_probs(tokens).sort(descending=True)
            more = zip(best.values.tolist()[:num_beams], best.indices.tolist(), strict=False)
            longer += [([*tokens, token], score + logp) for logp, token in more]
        beams = longer
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty


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


def _language(
    generator,
    settings: tuple,
    differ: tuple[str | Callable, ...],
    overtaken: bool = False,
    vocab: int = 5,
) -> Tensor:
    """Draw a language in which the mistakes show; up to three of them do it in different ways."""
    wrong = [flag if callable(flag) else _beams(frozenset({flag})) for flag in differ]

    def apart(one, other):
        return one[0].tolist() != other[0].tolist() or abs(float(one[1] - other[1])) > 1e-2

    while True:
        table = normal(generator, vocab + 1, vocab + 1, vocab, size=1.2)
        table = (_overtaken(table, settings[2]) if overtaken else table).log_softmax(-1)
        found = [harnesses.search(_RIGHT_BEAMS, table, *settings)]
        for implementation in wrong:
            new = harnesses.search(implementation, table, *settings)
            if not all(apart(new, other) for other in (found if len(wrong) <= 3 else found[:1])):
                break
            found.append(new)
        else:
            return table


def _beam_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, beams, tokens, *rest, differ=(), overtaken=False):
        settings = (beams, tokens, *rest)
        language = _language(generator, settings, differ, overtaken)
        names = ("language", "num_beams", "max_tokens", "eos_token", "length_penalty")
        arguments = zip(names, (language, *settings), strict=False)
        return Case(title, part, tuple(arguments), harness=harnesses.search)

    eos = draw_integer(generator, 1, 4)
    usual = ("greedy", "on_its_own", "exhaustive", "last_only", "worst")
    two = (_never_cut, "log_multiplied")
    ends = ("ended_first", "own_places", "ended_taken", "first_end", "ended_lost", "eos_ignored")
    stays = ("eos_cut", _EOS_PAID, "ended_lost")
    aside = {"differ": ("own_places", *_ASIDE, _KEPT_FOR_GOOD), "overtaken": True}
    penalty = ("penalty_unused", "penalty_multiplied", "penalty_on_the_way", "best_ended")
    return [
        case("two beams", "core", 2, 4, differ=(*usual, *two, "one_beam_more", "short_memory")),
        case("three beams", "core", 3, draw_integer(generator, 4, 5), differ=usual[:3]),
        case("one beam", "core", 1, 4, differ=("last_only", "one_beam_more")),
        case("a text of one token", "core", 3, 1),
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
        case("texts that ended take a place", "ended", 2, 5, eos, **aside),
        case("a length penalty", "penalty", 3, 5, eos, 1.0, differ=penalty),
        case("ends and half a length penalty", "penalty", 2, 5, eos, 0.5, differ=ends),
        case("texts that ended lose their place", "penalty", 2, 5, eos, 0.5, **aside),
        case(
            "short texts are favoured",
            "penalty",
            3,
            4,
            eos,
            -1.0,
            differ=("penalty_unused", "chosen_by_sum", "length_without_eos", "eos_cut"),
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
    import heapq

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


def _too_few(next_log_probs, num_beams, *rest):
    next_log_probs([]).topk(num_beams)
    return _RIGHT_BEAMS(next_log_probs, num_beams, *rest)


def _duplicated(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    """All beams start equal, and stay equal."""
    beams = [([], 0.0)] * num_beams
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens[-1:] == [eos_token]:
                candidates.append((tokens, score))
                continue
            more = next_log_probs(tokens).tolist()
            candidates += [([*tokens, t], score + p) for t, p in enumerate(more)]
        beams = sorted(candidates, key=lambda c: -c[1])[:num_beams]
    tokens, score = max(beams, key=lambda b: b[1] / len(b[0]) ** length_penalty)
    return tokens, score / len(tokens) ** length_penalty


EXERCISE = Exercise(
    id="beam_search",
    title="Several roads at once",
    signature="beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, "
    "length_penalty=0.0)",
    reference=_RIGHT_BEAMS,
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
    variant=_beams,
    alternatives={
        "tensors and topk": _tensor_beams,
        "a heap, finished apart": _heap_beams,
        "recursion": _nested_beams,
    },
    mistakes=(
        Mistake(
            "greedy",
            "This is the greedy text, whatever `num_beams` says: either one beam is kept, or the "
            "search begins with copies of the empty text, which stay equal. Begin with one.",
            equivalent=(_duplicated,),
            alone=True,
        ),
        Mistake(
            "on_its_own",
            "After the first step each beam keeps its own best continuation. All continuations of "
            "all beams compete, and the best `num_beams` of all of them stay.",
        ),
        Mistake(
            "exhaustive",
            "Nothing is thrown away, so all texts are compared. Only the best `num_beams` stay "
            "after each step.",
            alone=True,
        ),
        Mistake(
            "never_cut",
            "The best continuations of each beam all stay, so there are more beams in each step. "
            "Of all candidates together only `num_beams` are kept.",
            _never_cut,
        ),
        Mistake(
            "last_only",
            "A text is judged by its last token alone. Its score is the *sum* of all its "
            "log-probabilities.",
            alone=True,
        ),
        Mistake(
            "one_beam_more",
            "One beam too many is kept: after sorting, `candidates[:num_beams]` are `num_beams`.",
            alone=True,
        ),
        Mistake(
            "one_beam_less",
            "One beam too few is kept: after sorting, `candidates[:num_beams]` are `num_beams`.",
            alone=True,
        ),
        Mistake(
            "log_multiplied",
            "Log-probabilities are multiplied. The logarithm of a product is a *sum*: it begins "
            "with 0, and they are added.",
            alone=True,
        ),
        Mistake(
            "ascending",
            "The *least* likely candidates are kept: the order is ascending. The largest sums "
            "stay.",
            alone=True,
        ),
        Mistake(
            "probabilities_added",
            "Probabilities are added. What adds up are their logarithms, as `next_log_probs` gives "
            "them, for the probability of a text is a product.",
            alone=True,
        ),
        Mistake(
            "short_memory",
            "The model is asked with the last token alone. It takes the whole text so far.",
            alone=True,
        ),
        Mistake(
            "same_list",
            "Candidates share one list: `append` or `+=` changes the text that all of them hold. "
            "`[*tokens, token]` is a new list.",
            alone=True,
        ),
        Mistake(
            "topk_fails",
            "`topk` with `num_beams` fails if there are fewer tokens than beams; take the smaller "
            "of the two.",
            _too_few,
            any_error=True,
        ),
        Mistake(
            "always_mean",
            "The sum is always divided by the length, whatever `length_penalty` is. Divide by the "
            "length to the power of it: with 0 the plain sum decides.",
            alone=True,
        ),
        Mistake(
            "worst",
            "Of the beams at the end it is the worst that is returned.",
            other_forms=(_beams(frozenset({"last_returned"})),),
            alone=True,
        ),
        Mistake(
            "one_less",
            "The texts are one token too short: `max_tokens` tokens are allowed.",
            alone=True,
        ),
        Mistake(
            "one_step_more",
            "The texts are one token too long: at most `max_tokens` tokens are allowed.",
            alone=True,
        ),
        Mistake(
            "eos_ignored",
            "A text goes on after `eos_token`. Once it has ended it is kept as it is, with its "
            "score.",
            points=2,
        ),
        Mistake(
            "first_end",
            "The search stops as soon as one text has ended. Others may still overtake it: go on "
            "until all beams have ended or `max_tokens` is reached.",
            points=2,
        ),
        Mistake(
            "ended_taken",
            "The search stops as soon as one text has ended, and returns it. Others may still be "
            "better: go on until all beams have ended or `max_tokens` is reached.",
            points=2,
            alone=True,
        ),
        Mistake(
            "ended_first",
            "At the end a text that has ended is preferred to all that have not. Of the beams that "
            "are left the best is returned, ended or not.",
            points=2,
            alone=True,
        ),
        Mistake(
            "eos_repeated",
            "A text that has ended gets `eos_token` once more in each step. It stays as it is, and "
            "its length does not grow.",
            other_forms=(_EOS_PAID,),
            points=2,
            alone=True,
        ),
        Mistake(
            "zero_is_none",
            "Token 0 does not end a text, because in Python 0 counts as False: ask whether "
            "`eos_token is not None`.",
            points=3,
            alone=True,
        ),
        Mistake(
            "ended_lost",
            "A text that has ended is lost in the next step. It stays among the candidates, as it "
            "is.",
            points=2,
        ),
        Mistake(
            "own_places",
            "Texts that have ended do not take a place among the beams, so more texts are followed "
            "than asked for. (Libraries do it like this.) Here ended and running texts compete for "
            "the same `num_beams` places.",
            other_forms=_ASIDE,
            points=2,
            alone=True,
        ),
        Mistake(
            "kept_for_good",
            "A text that has ended keeps its place for good. It competes in each step like the "
            "others, and loses its place if `num_beams` candidates are better.",
            _KEPT_FOR_GOOD,
            points=2,
        ),
        Mistake("eos_cut", "`eos_token` is missing at the end of the text.", points=2),
        Mistake("penalty_unused", "`length_penalty` is not used.", points=3),
        Mistake(
            "penalty_multiplied",
            "The sum is multiplied by the power of the length; divide by it.",
            points=3,
        ),
        Mistake(
            "max_tokens_as_length",
            "The length that divides is the same for all texts, `max_tokens`. Each text has its "
            "own, `len(tokens)`.",
            points=3,
            alone=True,
        ),
        Mistake(
            "length_plus_one",
            "The length is one too large. It counts the tokens of the text, `eos_token` included, "
            "and nothing else.",
            points=3,
            alone=True,
        ),
        Mistake(
            "length_less_one",
            "The length is one too small. It counts all tokens of the text, the first and the last "
            "included.",
            points=3,
            alone=True,
        ),
        Mistake(
            "default_one",
            "Where `length_penalty` is not given the sum is divided by the length. Its default is "
            "0: the plain sum decides.",
            lambda *arguments: _RIGHT_BEAMS(*arguments, *(None, 1.0)[len(arguments) - 3 :]),
        ),
        Mistake(
            "six_sixths",
            "The divisor is ((5 + length) / 6) to the power of the penalty, as another paper has "
            "it. Here it is the length itself to this power.",
            points=3,
            alone=True,
        ),
        Mistake(
            "times_length",
            "The sum is divided by the length *times* `length_penalty`. Asked for is the length to "
            "the *power* of it.",
            points=3,
            alone=True,
        ),
        Mistake(
            "times_zero",
            "The sum is divided by the length *times* `length_penalty`, which is 0 if that is 0. "
            "Asked for is the length to the *power* of it: 1 then.",
            alone=True,
        ),
        Mistake(
            "added",
            "The penalty is added to the sum or subtracted from it. Asked for is the sum divided "
            "by the length to the power of `length_penalty`.",
            points=3,
            other_forms=(_beams(frozenset({"subtracted"})),),
            alone=True,
        ),
        Mistake(
            "mean_if_penalty",
            "The sum is divided by the length itself, whatever `length_penalty` is. Divide by the "
            "length to the power of it.",
            points=3,
            alone=True,
        ),
        Mistake(
            "penalty_on_the_way",
            "The length penalty is used at each step. While beams are kept, their plain sums "
            "count; divide at the end only.",
            points=3,
        ),
        Mistake(
            "best_ended",
            "The search stops as soon as the best text has ended. By the plain sum nothing can "
            "overtake it any more, but divided by the length a longer one may.",
            points=3,
            alone=True,
        ),
        Mistake(
            "chosen_by_sum",
            "The text with the largest sum is returned. Of the beams that are left, the largest "
            "*divided* score decides.",
            points=3,
            alone=True,
        ),
        Mistake(
            "length_without_eos",
            "The length is counted without `eos_token`. It counts all tokens, this one included.",
            points=3,
            alone=True,
        ),
        Mistake(
            "sum_returned",
            "The score that is returned is the plain sum. Asked for is the sum divided by the "
            "power of the length, by which the text was chosen.",
            points=3,
        ),
        Mistake(
            "probability",
            "The score that is returned is a probability; asked for is its logarithm.",
            lambda *arguments: (lambda t, s: (t, math.exp(s)))(*_RIGHT_BEAMS(*arguments)),
        ),
        Mistake(
            "negated",
            "The score has the wrong sign. It is a sum of logarithms of probabilities, so it is "
            "not above 0.",
            lambda *arguments: (lambda t, s: (t, -s))(*_RIGHT_BEAMS(*arguments)),
        ),
        Mistake(
            "all_beams",
            "It returns more than the best text.",
            lambda *arguments: ([_RIGHT_BEAMS(*arguments)[0]], _RIGHT_BEAMS(*arguments)[1]),
        ),
    ),
)
