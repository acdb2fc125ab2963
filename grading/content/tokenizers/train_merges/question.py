"""Byte-pair encoding trained on counted words, with a rule for ties and two limits."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise

import torch

from grading.content.drawing import draw_integer
from grading.content.tokenizers.sections import COUNT
from grading.content.tokenizers.shared import draw_letters, draw_word
from grading.exercise import Case, Part, Question


def merged(pieces, pair):
    """The pieces of a word in which a pair is merged from left to right."""
    result, place = [], 0
    while place < len(pieces):
        if tuple(pieces[place : place + 2]) == pair:
            result.append(pieces[place] + pieces[place + 1])
            place += 2
        else:
            result.append(pieces[place])
            place += 1
    return result


def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    """The merges of byte-pair encoding, in the order in which they are learned."""
    words = [(list(word), count) for word, count in counts.items()]
    merges = []
    for _ in range(num_merges):
        frequency = Counter()
        for pieces, count in words:
            for pair in pairwise(pieces):
                frequency[pair] += count
        possible = [
            pair
            for pair in frequency
            if frequency[pair] >= min_frequency
            and (max_length is None or len("".join(pair)) <= max_length)
        ]
        if not possible:
            break
        best = min(possible, key=lambda pair: (-frequency[pair], pair))
        merges.append(best)
        words = [(merged(pieces, best), count) for pieces, count in words]
    return merges


def _draw(
    generator: torch.Generator,
    letters: int,
    most: int,
    settings: tuple,
    differ: tuple[str | tuple[str, str], ...] = (),
    same: tuple[str, ...] = (),
    words: int = 6,
) -> dict[str, int]:
    """Draw counted words for which some mistakes give something wrong and others do not.

    ``most``: how often a word occurs at most. ``differ`` may hold pairs of mistakes, which then
    give different things.
    """
    while True:
        alphabet = draw_letters(generator, letters)
        counts: dict[str, int] = {}
        while len(counts) < words:
            word = draw_word(generator, alphabet, 3, 7)
            counts[word] = draw_integer(generator, 1, most) * 2
        results = {"": train_merges(counts, *settings)}

        def gives(name, counts=counts, results=results):
            if name not in results:
                results[name] = _result(name, counts, settings)
            return results[name]

        if len(results[""]) < settings[0]:
            continue
        pairs = [names if isinstance(names, tuple) else ("", names) for names in differ]
        if all(gives(one) != gives(other) for one, other in pairs) and all(
            gives(name) == results[""] for name in same
        ):
            return counts


def _result(name: str, counts: dict[str, int], settings: tuple) -> list | None:
    from . import EXERCISE  # which has the bank, that stands on this module

    try:
        found: list = EXERCISE.wrong(name)(dict(counts), *settings)
        return found
    except (IndexError, KeyError, ValueError):
        return None


_TIES = ("first_seen", "largest", "by_text", "by_id", "right_first", "left_only")
_NAMES = ("counts", "num_merges", "min_frequency", "max_length")


def _train_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, counts, *settings, **options):
        arguments = tuple(zip(_NAMES, (counts, *settings), strict=False))
        return Case(title, part, arguments, **options)

    def drawn(title, part, letters, most, settings, *differ, **options):
        counts = _draw(generator, letters, most, settings, differ, **options)
        return case(title, part, counts, *settings)

    clear = _TIES  # mistakes that should not show

    def called_again():
        settings = (4, 1, None)
        counts = _draw(generator, 6, 40, settings, same=clear)
        while True:
            more = (torch.randperm(40, generator=generator)[: len(counts)] + 1).tolist()
            others = dict(zip(counts, more, strict=True))
            results = [train_merges(c, *settings) for c in (counts, others)]
            quiet = all(_result(name, others, settings) == results[1] for name in clear)
            if results[0] != results[1] and quiet:
                break
        title = "called again, the same words counted anew"
        return case(
            title, "core", counts, *settings, again=((others, *settings), (counts, 2, 1, None))
        )

    def at_the_minimum():
        """The last merge is of a pair that is exactly as frequent as it must be."""
        while True:
            counts = _draw(generator, 5, 30, (5, 1, None), same=clear)
            least = max(m for m in range(1, 1_000) if len(train_merges(counts, 4, m)) == 4)
            settings = (30, least, None)
            right = train_merges(counts, *settings)
            differ = ("no_minimum", "strictly", "rare_words", "rare_words~1")
            if all(_result(name, counts, settings) != right for name in differ) and all(
                _result(name, counts, settings) == right for name in clear
            ):
                return case("a minimum of the frequency", "limits", counts, *settings)

    letter = draw_letters(generator, 1)
    several = {"日本日本": 40, "日本語": 9, "qrs": 30, "pqrs": 12, "qr": 5}
    several |= {"ñú": 7, "äö": 3, "xz": 2}
    few = {"abcd": 1, "ab": 40, "cab": 20, "xy": 2}
    merges = (5, 1, None)
    return [
        drawn(
            "some words",
            "core",
            6,
            40,
            merges,
            "unweighted",
            "not_recounted",
            "one_more",
            same=clear,
        ),
        drawn(
            "pairs that many words share",
            "core",
            3,
            30,
            (6, 1, None),
            ("unweighted", "per_word"),
            "per_word",
            "replaced",
            same=clear,
            words=7,
        ),
        drawn("words one after the other", "core", 5, 30, merges, "across", same=clear),
        drawn(
            "words that repeat letters",
            "core",
            2,
            40,
            (4, 1, None),
            ("per_word", "counted_apart"),
            "counted_apart",
            "right_to_left",
            "first_place",
            ("first_place", "passed_over"),
            "passed_over",
            same=clear,
        ),
        case("words of every kind", "core", {"b.+": 9, "Ü🙂(": 6, "🙂(x": 5, "b.": 3}, 4, 1),
        called_again(),
        drawn("ties", "ties", 5, 3, merges, *_TIES[:4], ("first_seen", "by_id")),
        drawn("ties between pieces", "ties", 4, 2, (7, 1, None), "by_text", "by_id", *_TIES[4:]),
        case("nothing but ties", "ties", {"éB!ca": 2, "caBé": 2, "B!éac": 2}, 6, 1, None),
        at_the_minimum(),
        drawn(
            "a longest piece",
            "limits",
            4,
            40,
            (6, 1, 3),
            "no_maximum",
            "too_long_stops",
            "shorter",
            "long_words",
            ("no_maximum", "pieces_too_long"),
            ("no_maximum", "pieces_too_long~1"),
            "pieces_too_long~2",
            same=clear,
        ),
        case(
            "both limits, characters of several bytes",
            "limits",
            several,
            20,
            3,
            2,
            again=((several, 20, 3),),
        ),
        case("nothing left to merge", "limits", {letter * 192: 1, letter: 9}, 9, 1),
        case("no words", "limits", {}, 3, 1, None),
        case("no merges", "limits", {"ab": 3, "abc": 2}, 0, 1, None),
        case("the limits are left out", "limits", few, 9, again=((few, 9, 30),)),
    ]


def _incremental(counts, num_merges, min_frequency=2, max_length=None):
    """Keeps the frequencies, and where each pair is, from round to round."""
    pieces = {word: list(word) for word in counts}
    frequency, where = Counter(), defaultdict(set)

    def count(word, sign):
        for pair in pairwise(pieces[word]):
            frequency[pair] += sign * counts[word]
            where[pair].add(word)

    for word in counts:
        count(word, 1)
    found = []
    while len(found) < num_merges:
        ranked = sorted(frequency.items(), key=lambda item: (-item[1], *item[0]))
        best = next(
            (
                pair
                for pair, number in ranked
                if number >= max(1, min_frequency)
                and (not max_length or sum(map(len, pair)) <= max_length)
            ),
            None,
        )
        if best is None:
            break
        found.append(best)
        for word in where[best]:
            count(word, -1)
            pieces[word] = merged(pieces[word], best)
            count(word, 1)
    return found


def _by_regular_expression(counts, num_merges, min_frequency=2, max_length=None):
    """Pieces between spaces, as Sennrich has it."""
    words = {" ".join(word): count for word, count in counts.items()}
    found = ()
    for _ in range(num_merges):
        stats = {}
        for word, count in words.items():
            symbols = word.split(" ")
            for i in range(len(symbols) - 1):
                pair = symbols[i], symbols[i + 1]
                if max_length is None or len(pair[0] + pair[1]) <= max_length:
                    stats[pair] = stats.get(pair, 0) + count
        highest = max(stats.values(), default=0)
        if highest < min_frequency or not stats:
            break
        best = sorted(pair for pair in stats if stats[pair] == highest)[0]
        pattern = re.compile(rf"(?<!\S){re.escape(' '.join(best))}(?!\S)")
        words = {pattern.sub(lambda _, best=best: "".join(best), w): n for w, n in words.items()}
        found += ([*best],)
    return found


def _recursive(counts, num_merges, min_frequency=2, max_length=None):
    """One merge, and then the rest on words that are tuples."""

    def join(pieces, pair):
        if len(pieces) < 2:
            return pieces
        if pieces[:2] == pair:
            return ("".join(pair), *join(pieces[2:], pair))
        return (pieces[0], *join(pieces[1:], pair))

    def go_on(words, left):
        pairs = {pair for pieces, _ in words for pair in pairwise(pieces)}
        best, most = None, min_frequency
        for pair in sorted(pairs, reverse=True):
            times = sum(
                n * (pieces[i : i + 2] == pair) for pieces, n in words for i in range(len(pieces))
            )
            if times >= most and len(pair[0]) + len(pair[1]) <= (max_length or 10**9):
                best, most = pair, times
        if best is None or left == 0:
            return []
        return [best, *go_on([(join(pieces, best), n) for pieces, n in words], left - 1)]

    return go_on([(tuple(word), n) for word, n in counts.items()], num_merges)


QUESTION = Question(
    id="train_merges",
    title="Training, with ties and limits",
    signature="train_merges(counts, num_merges, min_frequency=2, max_length=None)",
    reference=train_merges,
    helpers=(merged,),
    cases=_train_cases,
    parts=(
        Part("core", "the most frequent pairs", 2),
        Part("ties", "equally frequent pairs", 1),
        Part("limits", "rare pairs, long pieces, no pairs left", 1),
    ),
    minutes=25,
    difficulty=2,
    section=COUNT,
    alternatives={
        "frequencies kept up to date": _incremental,
        "regular expressions": _by_regular_expression,
        "recursion": _recursive,
    },
)
