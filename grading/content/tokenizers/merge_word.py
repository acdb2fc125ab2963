"""Merges by the rank of what two pieces make, as tiktoken does it."""

from __future__ import annotations

import heapq
from itertools import pairwise

import torch

from grading.content.common import kept
from grading.content.drawing import draw_integer
from grading.content.tokenizers.sections import ORDER
from grading.content.tokenizers.shared import changed, draw_letters, draw_word, mutant_of
from grading.exercise import Case, Exercise, Mistake, Part


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
    try:
        found: list[str] = mutant_of(EXERCISE, name)(word, dict(ranks))
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


def _one_pass(word, ranks):
    pieces = list(word)
    for made in sorted(ranks, key=ranks.get):
        place = 0
        while place < len(pieces) - 1:
            if pieces[place] + pieces[place + 1] == made:
                pieces[place : place + 2] = [made]
            place += 1
    return pieces


def _part_by_part(word, ranks):
    return [piece for part in word.split() for piece in merge_word(part, ranks)]


def _one_round(word, ranks):
    possible = sorted(
        (ranks[word[i : i + 2]], i) for i in range(len(word)) if word[i : i + 2] in ranks
    )
    starts = dict.fromkeys(range(len(word)))
    for _, place in possible:
        if starts.get(place, 0) is None and starts.get(place + 1, 0) is None:
            starts[place] = 2
            starts[place + 1] = 0
    sizes = {place: 1 if size is None else size for place, size in starts.items()}
    return [word[place : place + size] for place, size in sizes.items() if size]


def _longest_match(word, ranks):
    pieces, start = [], 0
    while start < len(word):
        end = next(
            (e for e in range(len(word), start + 1, -1) if word[start:e] in ranks), start + 1
        )
        pieces.append(word[start:end])
        start = end
    return pieces


def _stale_ranks(left, right, forgotten=False):
    """The ranks are kept in a list; of those beside a merge only some are looked up again.

    ``forgotten``: the new piece is never merged with what is left of it.
    """

    def merge_word(word, ranks):
        nothing = float("inf")
        pieces = list(word)
        rank_of = [ranks.get(a + b, nothing) for a, b in pairwise(pieces)]
        while rank_of and min(rank_of) < nothing:
            place = rank_of.index(min(rank_of))
            pieces[place] += pieces.pop(place + 1)
            del rank_of[place]
            if left and place:
                rank_of[place - 1] = ranks.get(pieces[place - 1] + pieces[place], nothing)
            if forgotten and place:
                rank_of[place - 1] = nothing
            if right and place < len(rank_of):
                rank_of[place] = ranks.get(pieces[place] + pieces[place + 1], nothing)
        return pieces

    return merge_word


def _entries(is_fresh):
    """A heap of places; when one is taken, it may have changed since it was put in."""

    def merge_word(word, ranks):
        pieces = [*word, None]  # None: the end, or where a piece has gone
        after = list(range(1, len(word) + 1))
        heap = []

        def add(left):
            right = after[left]
            made = pieces[left] + (pieces[right] or "")
            if right < len(word) and made in ranks:
                heapq.heappush(heap, (ranks[made], left, right))

        for left in range(len(word)):
            add(left)
        while heap:
            _, left, right = heapq.heappop(heap)
            if not is_fresh(pieces, after, left, right, ranks):
                continue
            right = after[left]
            pieces[left] += pieces[right]
            pieces[right], after[left] = None, after[right]
            add(left)
            for before in range(left):
                if pieces[before] and after[before] == left:
                    add(before)
        return [piece for piece in pieces if piece]

    return merge_word


def _any_neighbour(pieces, after, left, right, ranks):
    return pieces[left] and pieces[after[left]]


def _any_rank(pieces, after, left, right, ranks):
    return _any_neighbour(pieces, after, left, right, ranks) and (
        pieces[left] + pieces[after[left]] in ranks
    )


def _same_neighbour(pieces, after, left, right, ranks):
    return pieces[left] and pieces[right] and after[left] == right


def _waiting(*sides):
    """All places of a rank, unless the new piece makes a smaller one on one of these sides."""

    def merge_word(word, ranks):
        pieces = list(word)
        while possible := [ranks[a + b] for a, b in pairwise(pieces) if a + b in ranks]:
            smallest, place = min(possible), 0
            while place < len(pieces) - 1:
                if ranks.get(pieces[place] + pieces[place + 1]) == smallest:
                    pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
                    beside = ["".join(pieces[place + side : place + side + 2]) for side in sides]
                    if any(ranks.get(made, smallest) < smallest for made in beside):
                        break
                place += 1
        return pieces

    return merge_word


def _grows_first(word, ranks):
    pieces = list(word)
    place = None  # of the piece that was made last

    def rank_at(i):
        return ranks.get("".join(pieces[i : i + 2])) if 0 <= i < len(pieces) - 1 else None

    while True:
        beside = [] if place is None else [place, place - 1]
        found = [i for i in beside if rank_at(i) is not None]
        if not found:
            everywhere = [i for i in range(len(pieces)) if rank_at(i) is not None]
            found = sorted(everywhere, key=rank_at)
        if not found:
            return pieces
        place = found[0]
        pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]


def _growing(word, ranks):
    pieces, last = list(word), -1
    while True:
        possible = [
            (ranks[left + right], place)
            for place, (left, right) in enumerate(pairwise(pieces))
            if left + right in ranks and ranks[left + right] >= last
        ]
        if not possible:
            return pieces
        last, place = min(possible)
        pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]


def _no_larger(word, ranks):
    pieces = list(word)
    while len(pieces) > 1:
        found = [ranks.get(left + right, len(ranks)) for left, right in pairwise(pieces)]
        place = found.index(min(found))
        if pieces[place] + pieces[place + 1] not in ranks:
            break
        pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
    return pieces


EXERCISE = Exercise(
    id="merge_word",
    title="Merges without a list of merges",
    signature="merge_word(word, ranks)",
    reference=merge_word,
    combined=("leftmost", "largest", "rightmost", "zero", "once", "last_left_out", "by_letter"),
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
    mistakes=(
        Mistake(
            "leftmost",
            "The first two neighbours from the left that can be merged are merged, whatever their "
            "rank. Look at all places, and take the one with the smallest rank.",
            [("min(possible)", "possible[0]")],
            equivalent=(
                [("min(possible)", "max(possible, key=lambda f: (len(together[f[1]]), -f[1]))")],
            ),
        ),
        Mistake(
            "last_found",
            "The last two neighbours that can be merged are merged, whatever their rank. Look at "
            "all places, and take the one with the smallest rank.",
            [("min(possible)", "possible[-1]")],
        ),
        Mistake(
            "largest",
            "The largest rank is merged first. The smallest comes first: a small rank is that of a "
            "piece that was learned early, because it is frequent.",
            [("min(possible)", "max(possible)")],
            other_forms=(
                [("min(possible)", "max(possible, key=lambda found: (found[0], -found[1]))")],
            ),
        ),
        Mistake(
            "in_the_order_of_the_file",
            "Whatever comes first in `ranks` is merged first. The order of the dictionary says "
            "nothing; the smallest rank decides.",
            [("min(possible)", "min(possible, key=lambda f: list(ranks).index(together[f[1]]))")],
        ),
        Mistake(
            "longest",
            "Of what can be merged, the longest piece is made first. The length decides nothing; "
            "the smallest rank does.",
            [("min(possible)", "max(possible, key=lambda f: (len(together[f[1]]), -f[0]))")],
        ),
        Mistake(
            "grows_first",
            "A new piece goes on being merged with its neighbours before smaller ranks elsewhere "
            "have their turn. After each merge all neighbours are looked at again.",
            _grows_first,
        ),
        Mistake(
            "shortest",
            "Of what can be merged, the shortest piece is made first, and only among equally long "
            "ones the smallest rank decides. It alone decides: a longer piece may have a smaller.",
            [("min(possible)", "min(possible, key=lambda f: (len(together[f[1]]), f))")],
            points=3,
        ),
        Mistake(
            "longest_match",
            "The word is cut from the left into the longest pieces that are in `ranks`, as "
            "WordPiece does it. Here pieces only come about by merging two neighbours, the "
            "smallest rank first.",
            _longest_match,
        ),
        Mistake(
            "one_round",
            "Only pairs of single characters are merged. A piece that has been merged is merged "
            "again with its neighbours, as long as what they make has a rank.",
            _one_round,
            other_forms=([("if made in ranks]", "if made in ranks and len(made) == 2]")],),
        ),
        Mistake(
            "once",
            "Only one merge is made. Go on until no two neighbours can be merged.",
            [("= [together[place]]", "= [together[place]]\n        break")],
        ),
        Mistake(
            "last_left_out",
            "The last two pieces are never merged with each other. How many pairs of neighbours do "
            "n pieces have?",
            [("in pairwise(pieces)]\n    ", "in pairwise(pieces[:-1])]\n    ")],
        ),
        Mistake(
            "first_left_out",
            "The first two pieces are never merged with each other. At which place does your loop "
            "begin?",
            [("if made in ranks]", "if made in ranks and place > 0]")],
        ),
        Mistake(
            "right_stays",
            "The left piece is replaced by what the two make together, but the right one stays, so "
            "its characters come twice. Two pieces make room for one.",
            [("place : place + 2", "place : place + 1")],
        ),
        Mistake(
            "left_stays",
            "What the two pieces make is added, but the left one stays in front of it. Two pieces "
            "make room for one.",
            [("place : place + 2", "place + 1 : place + 2")],
        ),
        Mistake(
            "rightmost",
            "Where several places have the same rank, the rightmost is merged. Take the leftmost.",
            [("min(possible)", "min(possible, key=lambda found: (found[0], -found[1]))")],
            points=3,
        ),
        Mistake(
            "used_once",
            "Each rank is used once, and then no more. The same piece may be made at several "
            "places of a word.",
            [
                ("    while True:\n", "    ranks = dict(ranks)\n    while True:\n"),
                ("= [together[place]]", "= [together[place]]\n        del ranks[together[place]]"),
            ],
            points=2,
        ),
        Mistake(
            "by_letter",
            "The place is looked up by its left piece (`index`), and that finds the first piece of "
            "this text, which may be somewhere else. Remember the place itself.",
            [("min(possible)", "min(possible)\n        place = pieces.index(pieces[place])")],
            points=3,
        ),
        Mistake(
            "zero",
            "A rank of 0 is taken for no rank: 0 counts as false. Ask `is not None`, or `in`.",
            [("if made in ranks]", "if ranks.get(made)]")],
            points=3,
        ),
        Mistake(
            "gaps",
            "What cannot be merged gets the number of ranks for its rank, as if it came last. The "
            "ranks have gaps, so there are larger ones: infinity is larger than all.",
            _no_larger,
        ),
        Mistake(
            "not_large_enough",
            "A number stands for “no rank”, or for infinity, and there are larger ranks, which are "
            "never merged. `math.inf` is larger than all, and `None` is no number.",
            [("if made in ranks]", "if ranks.get(made, 100_000) < 100_000]")],
            other_forms=(
                [("if made in ranks]", "if ranks.get(made, 10**9) < 10**9]")],
                [("if made in ranks]", "if ranks.get(made, 2**63 - 1) < 2**63 - 1]")],
            ),
            points=3,
        ),
        Mistake(
            "whole_word",
            "A word that is itself in `ranks` comes back whole. It is one piece only if merges "
            "lead to it: begin with its characters.",
            [("pieces = list(word)", "pieces = [word] if word in ranks else list(word)")],
        ),
        Mistake(
            "two_left",
            "It ends when two pieces are left, although they could be merged, too. Go on as long "
            "as two neighbours make something that has a rank.",
            [("while True:", "while len(pieces) > 2:")],
        ),
        Mistake(
            "short_words",
            "A word of two characters comes back as they are. They, too, can be merged.",
            [
                (
                    "pieces = list(word)",
                    "pieces = list(word)\n    if len(word) < 3:\n        return pieces",
                )
            ],
        ),
        Mistake(
            "bytes",
            "The word begins as its bytes, as in tiktoken, so a character outside ASCII falls "
            "apart. Here a piece is a string, and the word begins as its *characters*.",
            [("pieces = list(word)", "pieces = [chr(byte) for byte in word.encode()]")],
            points=3,
        ),
        Mistake(
            "white_space",
            "White space is lost, or nothing is merged across it: the word is split or stripped "
            "first. Its characters are any, and a space is one of them.",
            [("pieces = list(word)", "pieces = list(''.join(word.split()))")],
            other_forms=(
                [("pieces = list(word)", "pieces = list(word.strip())")],
                [("pieces = list(word)", "pieces = list(word.strip(' '))")],
                [("pieces = list(word)", "pieces = list(word.rstrip())")],
                _part_by_part,
            ),
            points=3,
        ),
        Mistake(
            "no_largest",
            "Without any ranks there is no largest one, and `max` of nothing raises an error. "
            "`math.inf` is larger than all, however many there are.",
            [("pieces = list(word)", "pieces = list(word)\n    max(ranks.values())")],
            any_error=True,
            points=3,
        ),
        Mistake(
            "empty",
            "An empty word has no pieces: return an empty list, not a list with an empty string.",
            [("pieces = list(word)", "pieces = list(word) or ['']")],
            points=3,
        ),
        Mistake(
            "one_pass",
            "The ranks have their turns once, from the smallest to the largest, so a rank that is "
            "smaller than the last one is never merged. A merge can make such a rank possible: "
            "look at all neighbours again after each merge.",
            _one_pass,
            other_forms=(_growing,),
            points=3,
        ),
        Mistake(
            "stale",
            "The ranks are not all looked up again after a merge. The new piece has a neighbour on "
            "the left and one on the right, and what it makes with either may have another rank, "
            "or none.",
            _stale_ranks(left=False, right=True),
            other_forms=(
                _stale_ranks(left=True, right=False),
                _stale_ranks(left=False, right=False),
                _stale_ranks(left=False, right=True, forgotten=True),
            ),
        ),
        Mistake(
            "stale_entry",
            "A place is merged with a rank that it no longer has: it was put into the heap before "
            "one of its pieces grew. When an entry is taken out, look whether the two pieces are "
            "still the ones that it was made for.",
            _entries(_any_neighbour),
            other_forms=(_entries(_any_rank), _entries(_same_neighbour)),
        ),
        Mistake(
            "all_places",
            "Several places with the smallest rank are merged before all neighbours are looked at "
            "again. Merge one place at a time: after it, a smaller rank may have become possible, "
            "on the left or on the right.",
            [
                (
                    "pieces[place : place + 2] = [together[place]]",
                    "place, made = 0, together[place]\n"
                    "        while place < len(pieces) - 1:\n"
                    "            if pieces[place] + pieces[place + 1] == made:\n"
                    "                pieces[place : place + 2] = [made]\n"
                    "            place += 1",
                )
            ],
            other_forms=(
                [
                    (
                        "pieces[place : place + 2] = [together[place]]",
                        "place, pair = 0, pieces[place : place + 2]\n"
                        "        while place < len(pieces) - 1:\n"
                        "            if pieces[place : place + 2] == pair:\n"
                        "                pieces[place : place + 2] = [''.join(pair)]\n"
                        "            place += 1",
                    )
                ],
                _waiting(0),
                _waiting(-1),
            ),
            points=3,
        ),
        Mistake(
            "no_end",
            "Where nothing more can be merged there is nothing to choose from, and `min` of "
            "nothing raises an error. That is the end: return the pieces.",
            [("        if not possible:\n            break\n", "")],
            other_forms=(
                [
                    ("while True:", "while len(pieces) > 1:"),
                    ("        if not possible:\n            break\n", ""),
                ],
            ),
            any_error=True,
        ),
        Mistake(
            "joined",
            "One string comes back. The exercise asks for the list of the pieces.",
            [("return pieces", "return ' '.join(pieces)")],
            other_forms=([("return pieces", "return ''.join(pieces)")],),
        ),
        Mistake(
            "ranks_returned",
            "The ranks of the pieces come back. The exercise asks for the pieces themselves, as "
            "strings.",
            [("return pieces", "return [ranks.get(piece) for piece in pieces]")],
            other_forms=(
                [("return pieces", "return [ranks.get(piece, -1) for piece in pieces]")],
                [("return pieces", "return [ranks[piece] for piece in pieces if piece in ranks]")],
            ),
        ),
        Mistake(
            "only_ranked",
            "Characters that no merge has reached are missing. They are pieces, too: the pieces "
            "joined must give the word.",
            [("return pieces", "return [piece for piece in pieces if piece in ranks]")],
        ),
        Mistake(
            "line_breaks_lost",
            "Line breaks are lost, as with the regular expression `.`, which stands for all other "
            "characters. They are characters of the word, too.",
            [("pieces = list(word)", 'pieces = [c for c in word if c != "\\n"]')],
            points=3,
        ),
        Mistake(
            "float32",
            "The ranks are compared in float32, in which large whole numbers that are near each "
            "other are equal. Ranks may be of any size: leave them integers.",
            [("(ranks[made], place)", "(torch.tensor(float(ranks[made])).item(), place)")],
            points=3,
        ),
        kept(
            [
                ("ranks):", "ranks, kept={}):"),
                ("    return pieces", "    return kept.setdefault(word, pieces)"),
            ],
        ),
        changed(
            "ranks",
            [
                (
                    "pieces = list(word)",
                    "pieces = list(word)\n    ranks.update({c: 10_000 for c in word})",
                )
            ],
        ),
    ),
)
