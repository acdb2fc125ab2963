"""The known mistakes of `merge_word`."""

from __future__ import annotations

import heapq
from itertools import pairwise

from grading.content.common import kept
from grading.content.tokenizers.shared import changed
from grading.exercise import Mistake

from .question import merge_word


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


COMBINED = ("leftmost", "largest", "rightmost", "zero", "once", "last_left_out", "by_letter")

MISTAKES = (
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
)
