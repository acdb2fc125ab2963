"""Merges by the rank of what two pieces make, as tiktoken does it."""

from __future__ import annotations

import heapq
from itertools import pairwise

import torch

from grading.content.drawing import draw_integer
from grading.content.tokenizers.sections import ORDER
from grading.content.tokenizers.shared import draw_letters, draw_word
from grading.exercise import Case, Part, Question


def merge_word(word, ranks):
    """The pieces of a word, merged by the rank of what two pieces make."""
    pieces = list(word)
    while True:
        together = [left + right for left, right in pairwise(pieces)]
        possible = [(ranks[made], place) for place, made in enumerate(together) if made in ranks]
        if not possible:
            break
        _rank, place = min(possible)
        pieces[place : place + 2] = [together[place]]
    return pieces


def _draw_ranks(
    generator: torch.Generator, word: str, count: int, by_length: bool
) -> dict[str, int]:
    """Draw pieces of a word and ranks for them, in no order and with gaps.

    ``by_length``: longer pieces have larger ranks, so no merge makes a smaller rank possible.
    """
    ends = [(i, j) for i in range(len(word)) for j in range(i + 2, min(i + 5, len(word)) + 1)]
    found = list(dict.fromkeys(word[i:j] for i, j in ends))
    order = torch.randperm(len(found), generator=generator)[:count].tolist()
    pieces = [found[place] for place in order]
    ranks = (torch.randperm(3 * count, generator=generator)[: len(pieces)] + 1).tolist()
    made = dict(zip(pieces, ranks, strict=True))
    if by_length:
        in_order = sorted(pieces, key=lambda piece: (len(piece), made[piece]))
        ranks_of = dict(zip(in_order, sorted(ranks), strict=True))
        made = {piece: ranks_of[piece] for piece in pieces}
    return made


def _other_ranks(generator: torch.Generator, ranks: dict[str, int]) -> dict[str, int]:
    """Draw the ranks of the same pieces anew; longer pieces still have larger ones."""
    order = torch.randperm(len(ranks), generator=generator).tolist()
    drawn = dict(zip(ranks, order, strict=True))
    in_order = sorted(ranks, key=lambda piece: (len(piece), drawn[piece]))
    ranks_of = dict(zip(in_order, sorted(ranks.values()), strict=True))
    return {piece: ranks_of[piece] for piece in ranks}


def _draw(
    generator: torch.Generator,
    letters: int,
    size: int,
    differ: tuple[str | tuple[str, str], ...] = (),
    same: tuple[str, ...] = (),
    count: int = 14,
    by_length: bool = True,
    zero: bool = False,
) -> tuple[str, dict[str, int]]:
    """Draw a word and ranks for which some mistakes give something wrong and others do not.

    ``differ`` may hold pairs of mistakes, which then give different things. Where there are as
    many letters as the word has, none of them occurs twice.
    """
    while True:
        alphabet = draw_letters(generator, letters)
        word = alphabet if letters == size else draw_word(generator, alphabet, size, size)
        ranks = _draw_ranks(generator, word, count, by_length)
        if zero:
            ranks[min(ranks, key=ranks.__getitem__)] = 0
        results = {"": merge_word(word, ranks)}

        def gives(name, word=word, ranks=ranks, results=results):
            if name not in results:
                results[name] = _result(name, word, ranks)
            return results[name]

        pairs = [names if isinstance(names, tuple) else ("", names) for names in differ]
        if not 1 < len(results[""]) < len(word) - 2:
            continue
        if all(gives(one) != gives(other) for one, other in pairs) and all(
            gives(name) == results[""] for name in same
        ):
            return word, ranks


def _result(name: str, word: str, ranks: dict[str, int]) -> list[str] | None:
    from . import EXERCISE  # which has the bank, that stands on this module

    try:
        found: list[str] = EXERCISE.wrong(name)(word, dict(ranks))
        return found
    except (IndexError, KeyError, ValueError):
        return None


def _merge_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, word, ranks, **options):
        return Case(title, part, (("word", word), ("ranks", ranks)), **options)

    def drawn(title, part, *sizes, **options):
        return case(title, part, *_draw(generator, *sizes, **options))

    def called_again():
        while True:
            word, ranks = _draw(generator, 10, 10)
            others = _other_ranks(generator, ranks)
            if merge_word(word, others) != merge_word(word, ranks):
                break
        fewer = _draw_ranks(generator, word, 5, by_length=True)
        again = ((word, others), (word, fewer))
        title = "called again, the same word with other ranks"
        return case(title, "core", word, ranks, again=again)

    def side_by_side(title, part, *differ):
        """Two words in one, without a letter in common."""
        fixed = {"same": ("rightmost", "by_letter"), "count": 6, "by_length": False}
        while True:
            words = [_draw(generator, 2, 8, differ=names, **fixed) for names in differ]
            if not set(words[0][0]) & set(words[1][0]):
                break
        ranks = {
            made: 2 * rank + place
            for place, (_, ranks) in enumerate(words)
            for made, rank in ranks.items()
        }
        return case(title, part, words[0][0] + words[1][0], ranks)

    letter, word, two = (draw_letters(generator, count) for count in (1, 3, 2))
    runs = {letter * n: rank for n, rank in ((4, 9), (2, 4), (3, 7))}
    kinds = ("leftmost", "largest", "in_the_order_of_the_file", "longest", "longest_match")
    apart = (
        ("last_found", "largest"),
        ("leftmost", "longest"),
        ("leftmost", "longest_match"),
        ("leftmost", "largest"),
    )
    grown = ("grows_first", ("longest", "grows_first"))
    stale = (
        *(f"stale{form}" for form in ("", "~1", "~2", "~3")),
        "stale_entry",
        "stale_entry~1",
        "stale_entry~2",
    )
    later = ("one_pass", "one_pass~1")
    everywhere = ("all_places", "all_places~1")
    places = (*later, *everywhere, "used_once")
    return [
        drawn("a word", "core", 8, 8, differ=(*kinds[:2], *apart)),
        drawn("another word", "core", 9, 9, differ=(*kinds[2:], *grown, "last_left_out")),
        drawn(
            "a long word", "core", 12, 12, differ=("one_round", "first_left_out", *stale), count=18
        ),
        case("nothing can be merged", "core", "stone", {"ts": 3, "no": 1, "ton": 2, "stone": 8}),
        case("a word that becomes one piece", "core", word, {word: 9, word[:2]: 6, word[1:]: 4}),
        case("two characters", "core", two, {two: draw_integer(generator, 1, 9)}),
        called_again(),
        drawn(
            "letters that repeat", "repeats", 3, 8, differ=("rightmost",), same=everywhere, count=9
        ),
        drawn("two letters", "repeats", 2, 9, differ=("by_letter",), same=everywhere, count=8),
        case("one letter", "repeats", letter * 7, runs),
        drawn("a rank of 0", "repeats", 7, 7, differ=("zero",), zero=True),
        case(
            "characters of every kind, large ranks",
            "repeats",
            " O' ü🙂  b.+|ü🙂\0e\u0301ﬁ\t\n",
            {
                "🙂 ": 200_512,
                "ü🙂": 100_300,
                "  ": 2_100_000_017,
                "O'": 4,
                ".+": 2**70 + 1,  # as floats, this and the next are equal
                "+|": 2**70,
                "b.": 2**71,
                "\0e": 10**30,
                "\t\n": 12,
            },
        ),
        case("no ranks, two characters", "repeats", two, {}),
        case("one character", "repeats", " ", runs),
        case("an empty word", "repeats", "", runs),
        drawn(
            "a smaller rank after a merge",
            "fresh",
            9,
            9,
            differ=(*later, "shortest"),
            by_length=False,
        ),
        side_by_side(
            "a smaller rank, letters that repeat",
            "fresh",
            ("all_places~2",),
            (*places, "all_places~3"),
        ),
    ]


def _heap_merge(word, ranks):
    """All possible merges in a heap; those whose pieces are gone are skipped."""
    ends = list(range(1, len(word) + 1))  # of the piece that begins at each place; 0: none does
    heap = [
        (ranks[word[i : i + 2]], i, i + 1, i + 2)
        for i in range(len(word) - 1)
        if word[i : i + 2] in ranks
    ]
    heapq.heapify(heap)
    while heap:
        _, start, middle, end = heapq.heappop(heap)
        if ends[start] != middle or middle >= len(word) or ends[middle] != end:
            continue
        ends[start], ends[middle] = end, 0
        before = next((i for i in range(start) if ends[i] == start), None)
        for left, center, right in (
            (before, start, end),
            (start, end, ends[end] if end < len(word) else None),
        ):
            if left is not None and right is not None and word[left:right] in ranks:
                heapq.heappush(heap, (ranks[word[left:right]], left, center, right))
    return [word[i:end] for i, end in enumerate(ends) if end]


def _recursive_merge(word, ranks):
    def merged(pieces):
        best = None
        for i in range(1, len(pieces)):
            rank = ranks.get(pieces[i - 1] + pieces[i])
            if rank is not None and (best is None or rank < ranks[pieces[best - 1] + pieces[best]]):
                best = i
        if best is None:
            return pieces
        return merged((*pieces[: best - 1], pieces[best - 1] + pieces[best], *pieces[best + 1 :]))

    return merged(tuple(word))


def _cut_merge(word, ranks):
    """As tiktoken has it: a list of cuts, each with the rank of what it separates."""
    cuts = list(range(len(word) + 1))

    def rank_of(i):
        if i + 2 >= len(cuts):
            return float("inf")
        return ranks.get(word[cuts[i] : cuts[i + 2]], float("inf"))

    while len(cuts) > 2:
        scores = [rank_of(i) for i in range(len(cuts) - 2)]
        best = min(scores)
        if best == float("inf"):
            break
        del cuts[scores.index(best) + 1]
    return [word[i:j] for i, j in pairwise(cuts)]


QUESTION = Question(
    id="merge_word",
    title="Merges without a list of merges",
    signature="merge_word(word, ranks)",
    reference=merge_word,
    cases=_merge_cases,
    parts=(
        Part("core", "the smallest rank first, wherever it is", 2),
        Part("repeats", "letters that repeat, other characters, any rank, very short words", 1),
        Part("fresh", "merges that make a smaller rank possible", 1),
    ),
    minutes=20,
    difficulty=2,
    section=ORDER,
    alternatives={
        "a heap": _heap_merge,
        "recursion": _recursive_merge,
        "cuts, as tiktoken": _cut_merge,
    },
)
