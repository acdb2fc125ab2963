"""Versions that a student's test judges: right ones to accept, and wrong ones to reject."""

from __future__ import annotations

from grading.exercise.edits import edited

_IN_TURN = """
def merge_all(pieces, left, right):
    result, place = [], 0
    while place < len(pieces):
        here, after = pieces[place], pieces[place + 1 : place + 2]
        if here == left and after == [right]:
            result.append(left + right)
            place += 2
        else:
            result.append(here)
            place += 1
    return result


def NAME(word, merges):
    pieces = list(word)
    for left, right in merges:
        pieces = merge_all(pieces, left, right)
    return pieces
"""

_FOLDED = """
import functools


def one_turn(pieces, pair):
    done = []
    for piece in pieces:
        fits = bool(done) and not done[-1][1] and (done[-1][0], piece) == pair
        if fits:
            done[-1] = (done[-1][0] + piece, True)
        else:
            done.append((piece, False))
    return [piece for piece, _ in done]


def NAME(word, merges):
    return functools.reduce(one_turn, merges, [*word])
"""

_IN_PLACE = """
def NAME(word, merges):
    pieces = [letter for letter in word]
    for pair in merges:
        place = 0
        while place + 1 < len(pieces):
            if (pieces[place], pieces[place + 1]) == pair:
                pieces[place] += pieces.pop(place + 1)
            place += 1
    return pieces
"""

_BY_CUTS = """
def NAME(word, merges):
    cuts = list(range(len(word) + 1))
    for left, right in merges:
        inner = 1
        while inner < len(cuts) - 1:
            start, middle, end = cuts[inner - 1 : inner + 2]
            if word[start:middle] == left and word[middle:end] == right:
                del cuts[inner]
            inner += 1
    return [word[start:end] for start, end in zip(cuts, cuts[1:])]
"""

_BY_GENERATOR = """
def one_turn(pieces, pair):
    pieces = iter(pieces)
    held = next(pieces, None)
    for piece in pieces:
        if (held, piece) == pair:
            yield held + piece
            held = next(pieces, None)
        else:
            yield held
            held = piece
    if held is not None:
        yield held


def NAME(word, merges):
    pieces = list(word)
    for pair in merges:
        pieces = list(one_turn(pieces, pair))
    return pieces
"""

_BY_RANK = """
def NAME(word, merges):
    ranks = {}
    for rank, pair in enumerate(merges):
        ranks.setdefault(pair, []).append(rank)
    pieces, turn = list(word), 0
    while True:
        later = [
            rank
            for pair in zip(pieces, pieces[1:])
            for rank in ranks.get(pair, ())
            if rank >= turn
        ]
        if not later:
            return pieces
        turn = min(later) + 1
        pair, rest, pieces = merges[turn - 1], pieces, []
        while rest:
            size = 2 if tuple(rest[:2]) == pair else 1
            pieces.append("".join(rest[:size]))
            rest = rest[size:]
"""

_TURNS = "    for left, right in merges:\n"
_FITS = "if here == left and after == [right]:"
_BEGIN = "    pieces = list(word)\n"

_FIRST_IN_WORD = """
def NAME(word, merges):
    pieces, place = list(word), 0
    while place < len(pieces) - 1:
        if (pieces[place], pieces[place + 1]) in merges:
            pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
            place = 0
        else:
            place += 1
    return pieces
"""
_LOWEST_RANK = """
def NAME(word, merges):
    pieces = list(word)
    while True:
        known = [merges.index(pair) for pair in zip(pieces, pieces[1:]) if pair in merges]
        if not known:
            return pieces
        left, right = merges[min(known)]
        place = 0
        while place + 1 < len(pieces):
            if pieces[place : place + 2] == [left, right]:
                pieces[place : place + 2] = [left + right]
            place += 1
"""
_LONGEST = """
def NAME(word, merges):
    known = {left + right for left, right in merges}
    pieces, start = [], 0
    while start < len(word):
        ends = [end for end in range(len(word), start, -1) if word[start:end] in known]
        end = ends[0] if ends else start + 1
        pieces.append(word[start:end])
        start = end
    return pieces
"""
_AS_TEXT = """
def NAME(word, merges):
    text = "\\0".join(word)
    for left, right in merges:
        text = text.replace(left + "\\0" + right, left + right)
    return text.split("\\0") if word else []
"""
_FROM_THE_RIGHT = """
def NAME(word, merges):
    pieces = list(word)
    for pair in merges:
        place = len(pieces) - 2
        while place >= 0:
            if (pieces[place], pieces[place + 1]) == pair:
                pieces[place : place + 2] = ["".join(pair)]
                place -= 1
            place -= 1
    return pieces
"""


def _of(source: str, *edits: tuple[str, str]) -> str:
    return edited(source, edits)


def _ending(lines: str) -> str:
    """Merging in turn, with other lines at its end."""
    return _IN_TURN[: _IN_TURN.rindex("    return pieces\n")] + lines


WRONG: list[tuple[str, str, list[str]]] = [  # each wrong in one way or several
    ("nothing is merged", "core", [_of(_IN_TURN, (_FITS, "if False:"))]),
    (
        "the last merge has the first turn",
        "core",
        [
            _of(_IN_TURN, (_TURNS, "    for left, right in reversed(merges):\n")),
            _of(_IN_PLACE, ("for pair in merges:", "for pair in merges[::-1]:")),
        ],
    ),
    ("the first pair of the word is merged, whatever its turn", "core", [_FIRST_IN_WORD]),
    (
        "a merge has its turn again after later ones",
        "core",
        [
            _LOWEST_RANK,
            _ending(
                "    again = None\n"
                "    while pieces != again:\n"
                "        again = pieces\n"
                "        for left, right in merges:\n"
                "            pieces = merge_all(pieces, left, right)\n"
                "    return pieces\n"
            ),
        ],
    ),
    ("the longest piece is taken", "core", [_LONGEST]),
    (
        "the merges are sorted",
        "core",
        [_of(_IN_TURN, (_TURNS, "    for left, right in sorted(merges):\n"))],
    ),
    (
        "of two merges that want the same character the second comes first",
        "core",
        [
            _of(
                _IN_TURN,
                (
                    _TURNS,
                    "    merges, last = list(merges), len(merges) - 1\n"
                    "    for n in range(last):\n"
                    "        one, two = merges[n : n + 2]\n"
                    "        same = one[1] == two[0] or one[0] == two[1]\n"
                    "        if same and one[0] + one[1] not in two:\n"
                    "            merges[n : n + 2] = two, one\n" + _TURNS,
                ),
            )
        ],
    ),
    (
        "only the first merge has its turn",
        "core",
        [
            _of(_IN_TURN, (_TURNS, "    for left, right in merges[:1]:\n")),
            _of(
                _IN_TURN,
                (
                    "        pieces = merge_all(pieces, left, right)\n",
                    "        found = merge_all(pieces, left, right)\n"
                    "        if found != pieces:\n            return found\n",
                ),
            ),
        ],
    ),
    (
        "the last merge has no turn",
        "core",
        [_of(_IN_TURN, (_TURNS, "    for left, right in merges[:-1]:\n"))],
    ),
    (
        "only single characters are merged",
        "core",
        [
            _of(
                _IN_TURN,
                (_FITS, "if here == left and after == [right] and len(left + right) == 2:"),
            )
        ],
    ),
    (
        "characters that are in no merge are lost",
        "core",
        [
            _of(
                _IN_TURN,
                (
                    _BEGIN,
                    "    known = {c for left, right in merges for c in left + right}\n"
                    "    pieces = [c for c in word if c in known]\n",
                ),
            ),
            _ending(
                "    made = {left + right for left, right in merges}\n"
                "    return [piece for piece in pieces if piece in made]\n"
            ),
        ],
    ),
    (
        "of each pair only the first place is merged",
        "places",
        [
            _of(
                _IN_PLACE,
                (
                    "                pieces[place] += pieces.pop(place + 1)\n",
                    "                pieces[place] += pieces.pop(place + 1)\n"
                    "                break\n",
                ),
            ),
            _of(
                _IN_TURN, (_FITS, "if here == left and after == [right] and len(result) == place:")
            ),
        ],
    ),
    (
        "of each pair only the last place is merged",
        "places",
        [
            _of(
                _FROM_THE_RIGHT,
                ("                place -= 1\n", "                break\n"),
            )
        ],
    ),
    ("the places are merged from right to left", "places", [_FROM_THE_RIGHT]),
    (
        "a place beside one that was merged is passed over",
        "places",
        [
            _of(
                _IN_TURN,
                (
                    "            place += 2\n",
                    "            result += pieces[place + 2 : place + 3]\n            place += 3\n",
                ),
            ),
            _of(
                _IN_PLACE,
                ("pieces.pop(place + 1)\n", "pieces.pop(place + 1)\n                place += 1\n"),
            ),
        ],
    ),
    (
        "a piece is used twice",
        "places",
        [_of(_IN_TURN, ("            place += 2\n", "            place += 1\n"))],
    ),
    (
        "the end of the word is passed over",
        "places",
        [
            _of(_IN_PLACE, ("place + 1 < len(pieces)", "place + 2 < len(pieces)")),
            _of(
                _IN_TURN,
                (_FITS, "if here == left and after == [right] and place + 2 < len(pieces):"),
            ),
        ],
    ),
    (
        "the beginning of the word is passed over",
        "places",
        [
            _of(_IN_PLACE, ("        place = 0\n", "        place = 1\n")),
            _of(_IN_TURN, (_FITS, "if here == left and after == [right] and place:")),
        ],
    ),
    (
        "pieces that end or begin like the pair are merged",
        "places",
        [
            _AS_TEXT,
            _of(
                _IN_TURN,
                (_FITS, "if after and here.endswith(left) and after[0].startswith(right):"),
                ("result.append(left + right)", "result.append(here + after[0])"),
            ),
        ],
    ),
    (
        "what reads like the merged pair is merged, too",
        "places",
        [
            _of(_IN_TURN, (_FITS, "if after and here + after[0] == left + right:")),
            _of(
                _IN_PLACE,
                (
                    "(pieces[place], pieces[place + 1]) == pair",
                    "pieces[place] + pieces[place + 1] == pair[0] + pair[1]",
                ),
            ),
        ],
    ),
    (
        "capital letters become small",
        "unusual",
        [_of(_IN_TURN, (_BEGIN, "    pieces = list(word.lower())\n"))],
    ),
    (
        "spaces are lost",
        "unusual",
        [
            _of(_IN_TURN, (_BEGIN, '    pieces = list(word.replace(" ", ""))\n')),
            _of(_IN_TURN, (_BEGIN, '    pieces = list("".join(word.split()))\n')),
        ],
    ),
    (
        "characters outside ASCII are lost",
        "unusual",
        [
            _of(_IN_TURN, (_BEGIN, '    pieces = list(word.encode("ascii", "ignore").decode())\n')),
            _of(
                _IN_TURN, (_BEGIN, '    pieces = list(word.encode("ascii", "replace").decode())\n')
            ),
        ],
    ),
    (
        "emoji are lost",
        "unusual",
        [_of(_IN_TURN, (_BEGIN, '    pieces = [c for c in word if c <= "\\uffff"]\n'))],
    ),
    (
        "an empty word has a piece, or gives no list",
        "unusual",
        [
            _of(_IN_TURN, (_BEGIN, '    pieces = list(word) or [""]\n')),
            _ending("    return pieces or word\n"),
        ],
    ),
    (
        "an empty word raises an error",
        "unusual",
        [_of(_IN_TURN, (_BEGIN, "    pieces = [word[0], *word[1:]]\n"))],
    ),
    (
        "a long word is cut off",
        "unusual",
        [_of(_IN_TURN, (_BEGIN, f"    pieces = list(word[:{n}])\n")) for n in (30, 90)],
    ),
    (
        "a long list of merges is cut off",
        "unusual",
        [_of(_IN_TURN, (_TURNS, f"    for left, right in merges[:{n}]:\n")) for n in (20, 90)],
    ),
    (
        "no list comes back",
        "unusual",
        [_ending('    return " ".join(pieces)\n'), _ending("    return iter(pieces)\n")],
    ),
    (
        "words are remembered, whatever the merges",
        "unusual",
        [_ending("    return list(known.setdefault(word, pieces))\n\n\nknown = {}\n")],
    ),
    (
        "words are remembered, whatever the merges, if there are as many",
        "unusual",
        [
            _ending(
                "    return list(known.setdefault((word, len(merges)), pieces))\n\n\nknown = {}\n"
            )
        ],
    ),
    (
        "merges of earlier calls are remembered",
        "unusual",
        [
            _of(
                _IN_TURN,
                (
                    _TURNS,
                    "    known.extend(pair for pair in merges if pair not in known)\n"
                    "    for left, right in known:\n",
                ),
            )
            + "\n\nknown = []\n"
        ],
    ),
    (
        "the list of merges is changed",
        "unusual",
        [
            _of(_IN_TURN, (_TURNS, "    while merges:\n        left, right = merges.pop(0)\n")),
            _ending("    merges.sort()\n    return pieces\n"),
            _ending(
                "    merges[:] = [pair for pair in merges if pair[0] + pair[1] in pieces]\n"
                "    return pieces\n"
            ),
        ],
    ),
]

ACCEPTED = {
    "turn by turn": _IN_TURN,
    "folded": _FOLDED,
    "in place": _IN_PLACE,
    "by cuts": _BY_CUTS,
    "by a generator": _BY_GENERATOR,
    "by rank": _BY_RANK,
}
