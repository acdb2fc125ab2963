"""Exercise 5: a test that accepts right ways to apply merges and rejects wrong ones."""

from __future__ import annotations

import random
import textwrap

import torch

from grading import check
from grading.content.drawing import one_of
from grading.content.tokenizers.sections import COMMON, ORDER
from grading.exercise import Case, Exercise, Mistake, Part
from grading.exercise.edits import Edits, edited

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


_WRONG: list[tuple[str, str, list[str]]] = [  # each wrong in one way or several
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

_ACCEPTED = {
    "turn by turn": _IN_TURN,
    "folded": _FOLDED,
    "in place": _IN_PLACE,
    "by cuts": _BY_CUTS,
    "by a generator": _BY_GENERATOR,
    "by rank": _BY_RANK,
}


def _test_cases(generator: torch.Generator) -> list[Case]:
    def case(title: str, part: str, source: str, hidden: bool = False) -> Case:
        name = one_of(generator, "apply_merges", "merge", "cut_word")
        source = source.strip().replace("NAME", name) + "\n"
        arguments = (("name", name), ("source", source))
        return Case(title, part, arguments, harness=check.run_test, hidden=hidden)

    accepted = [case(f"right: {title}", "core", source) for title, source in _ACCEPTED.items()]
    rejected, again = [], []
    for title, part, ways in _WRONG:  # each way when it counts, one of them to practise
        order = torch.randperm(len(ways), generator=generator).tolist()
        first, *others = (ways[place] for place in order)
        rejected.append(case(f"wrong: {title}", part, first))
        title = f"wrong: {title}, in another way"
        again += [case(title, part, source, hidden=True) for source in others]
    again += [
        case(f"right: {title}, once more", "core", source, hidden=True)
        for title, source in _ACCEPTED.items()
        if title in ("turn by turn", "by cuts")
    ]
    return accepted + rejected + again


def expect(apply_merges, word, merges, pieces):
    """The pieces are these, written with a bar between them, and the list is left as it was."""
    given = list(merges)
    assert apply_merges(word, given) == (pieces.split("|") if pieces else [])
    assert given == merges


def check_order(merge):
    """Merges that compete for a letter, in both orders."""
    expect(merge, "abc", [("a", "b"), ("b", "c")], "ab|c")
    expect(merge, "def", [("e", "f"), ("d", "e")], "d|ef")
    expect(merge, "mnop", [("n", "o"), ("m", "n"), ("o", "p"), ("no", "p")], "m|nop")


def check_chain(merge):
    """Merges of what others have made; before that they find nothing."""
    expect(merge, "stop", [("t", "o"), ("to", "p"), ("s", "top")], "stop")
    expect(merge, "plan", [("p", "la"), ("l", "a"), ("a", "n")], "p|la|n")


def check_unmerged(merge):
    """Characters that are in no merge stay."""
    expect(merge, "xyz", [("q", "r")], "x|y|z")


def check_places(merge):
    """A pair at several places, beside each other and at both ends."""
    expect(merge, "ghxghghxgh", [("g", "h")], "gh|x|gh|gh|x|gh")


def check_run(merge):
    """A pair of two equal pieces, from left to right."""
    expect(merge, "aaaaa", [("a", "a")], "aa|aa|a")


def check_inside(merge):
    """Pieces that begin or end like the pair."""
    expect(merge, "cabd", [("c", "a"), ("a", "b"), ("b", "d")], "ca|bd")


def check_alike(merge):
    """Pieces that read like the pair if they are joined."""
    expect(merge, "uvw", [("v", "w"), ("uv", "w")], "u|vw")


def check_capitals(merge):
    """Capital letters are characters of their own."""
    expect(merge, "aA", [("A", "a")], "a|A")


def check_spaces(merge):
    """So are spaces."""
    expect(merge, " i ", [], " |i| ")


def check_unicode(merge):
    """So is whatever Unicode has."""
    expect(merge, "ñ🙂", [], "ñ|🙂")


def check_empty(merge):
    """An empty word has no pieces."""
    expect(merge, "", [("a", "b")], "")


def check_long_word(merge):
    """A word of a hundred characters."""
    expect(merge, "j" * 98 + "kl", [("k", "l")], "j|" * 98 + "kl")


def check_long_list(merge):
    """A hundred merges, of which the last does something."""
    expect(merge, "rs", [("q" * n, "r") for n in range(1, 100)] + [("r", "s")], "rs")


def check_memory(merge):
    """The same word with other merges."""
    expect(merge, "tea", [("t", "e")], "te|a")
    expect(merge, "tea", [("e", "a")], "t|ea")
    expect(merge, "tea", [], "t|e|a")


def test_merges(apply_merges):
    """Raise an exception if a way to apply merges breaks one of the rules."""
    check_order(apply_merges)
    check_chain(apply_merges)
    check_unmerged(apply_merges)
    check_places(apply_merges)
    check_run(apply_merges)
    check_inside(apply_merges)
    check_alike(apply_merges)
    check_capitals(apply_merges)
    check_spaces(apply_merges)
    check_unicode(apply_merges)
    check_empty(apply_merges)
    check_long_word(apply_merges)
    check_long_list(apply_merges)
    check_memory(apply_merges)


_CHECKS = (
    check_order,
    check_chain,
    check_unmerged,
    check_places,
    check_run,
    check_inside,
    check_alike,
    check_capitals,
    check_spaces,
    check_unicode,
    check_empty,
    check_long_word,
    check_long_list,
    check_memory,
)
_NAMES = tuple(one.__name__.removeprefix("check_") for one in _CHECKS)
_CALLS = {name: f"    check_{name}(apply_merges)\n" for name in _NAMES}
_ALL_CALLS = "".join(_CALLS.values())


def _without(*names: str) -> Edits:
    """Leave out some of the checks."""
    return [(_CALLS[name], "") for name in names]


_PROPERTIES = [  # in place of the pieces themselves
    (
        '    assert apply_merges(word, given) == (pieces.split("|") if pieces else [])\n',
        "    found = apply_merges(word, given)\n"
        '    assert isinstance(found, list) and all(found) and "".join(found) == word\n'
        "    assert set(found) <= set(word) | {left + right for left, right in merges}\n",
    )
]
_JOINED = (
    _PROPERTIES[0][0],
    "    found = apply_merges(word, given)\n"
    '    assert isinstance(found, list) and "".join(found) == word\n',
)
_COUNTED = (
    _PROPERTIES[0][0],
    "    found = apply_merges(word, given)\n"
    '    right = pieces.split("|") if pieces else []\n'
    '    assert isinstance(found, list) and "".join(found) == word\n'
    "    assert len(found) == len(right)\n",
)
_TWO_INSIDE = ('("a", "b"), ("b", "d")], "ca|bd")', '("a", "b")], "ca|b|d")')
_MORE_COUNTED = (
    '    expect(merge, "stop", [("t", "o"), ("to", "p"), ("s", "top")], "stop")\n',
    '    expect(merge, "stop", [("t", "o"), ("to", "p"), ("s", "top")], "stop")\n'
    '    expect(merge, "abc", [("ab", "c"), ("a", "b")], "ab|c")\n'
    '    expect(merge, "abc", [("b", "c"), ("ab", "c")], "a|bc")\n'
    '    expect(merge, "aaaaa", [("a", "a"), ("aa", "a")], "aa|aaa")\n'
    '    expect(merge, "stop", [("x", "y"), ("x", "y"), ("x", "y")], "s|t|o|p")\n',
)
_TEA = '    expect(merge, "tea", [("t", "e")], "te|a")\n'
_ONE_PLACE = [
    ("    assert given == merges\n", ""),
    *_without("places", "run", "capitals", "spaces", "unicode", "empty", "long_word", "long_list"),
]


def _instead(code: str) -> Edits:
    """Do something else in place of all checks."""
    return [(_ALL_CALLS, code)]


def _tried(then: str, what: str = "Exception") -> Edits:
    """Catch what a failed check raises."""
    tried = textwrap.indent(_ALL_CALLS, "    ")
    return _instead(f"    try:\n{tried}    except {what}:\n        {then}\n")


def _table_test(apply_merges):
    """A table of examples, `raise` in place of `assert`."""
    table = [
        ("", [], []),
        ("lowlow", [("l", "o"), ("lo", "w"), ("low", "low")], ["lowlow"]),
        ("Bananas 7é🙂", [("a", "n"), ("an", "an"), ("B", "anan")], ["Banan", *"as 7é🙂"]),
        ("rst", [("r", "st"), ("s", "t")], ["r", "st"]),
        ("banana", [("n", "a"), ("a", "n"), ("a", "na")], ["b", "ana", "na"]),
        ("mmmmm", [("m", "m"), ("m", "mm")], ["mm", "mm", "m"]),
        ("xyzxy", [("y", "z"), ("x", "y")], ["x", "yz", "xy"]),
        ("xyzxy", [("x", "y"), ("y", "z")], ["xy", "z", "xy"]),
        ("zxyy", [("z", "x"), ("x", "y"), ("y", "y")], ["zx", "yy"]),
        ("abc", [("ab", "c"), ("b", "c")], ["a", "bc"]),
        (" ab", [("a", "b")], [" ", "ab"]),
        ("pqr", [("q", "r"), ("pq", "r"), ("p", "q")], ["p", "qr"]),
        ("no" * 50, [("n", "o")], ["no"] * 50),
        ("xyxyxy", [("x", "y")], ["xy", "xy", "xy"]),
        ("yx", [("x", "y")], ["y", "x"]),
        ("q", [], ["q"]),
    ]
    for word, merges, right in table:
        given = merges[:]
        if apply_merges(word, given) != right or given != merges:
            raise ValueError(word)
    many = [(str(n) + "a", "b") for n in range(90)] + [("é", "!")]
    if apply_merges("é!" * 40, many) != ["é!"] * 40:
        raise ValueError("many merges")


def _random_test(apply_merges):
    """Random words and merges, compared with merging in turn."""
    source = random.Random(4)

    def right(word, merges):
        pieces = list(word)
        for pair in merges:
            place = 0
            while place < len(pieces) - 1:
                if tuple(pieces[place : place + 2]) == pair:
                    pieces[place : place + 2] = ["".join(pair)]
                place += 1
        return pieces

    for number in range(400):
        letters = source.choice(["ab", "abc", "aB é🙂"])
        word = "".join(source.choices(letters, k=source.choice([0, 1, 5, 9, 9, 100])))
        known = list(letters)
        merges = []
        for _ in range(source.choice([1, 3, 6, 100])):
            pair = source.choice(known), source.choice(known)
            merges.append(pair)
            known.append("".join(pair))
            known = known[-12:] if len("".join(pair)) < 9 else list(letters)
        for order in (merges, merges[::-1]):
            copy = order.copy()
            assert apply_merges(word, copy) == right(word, order), number
            assert copy == order


class _Rules:
    """A method for each rule."""

    def __init__(self, apply_merges):
        self.apply = apply_merges
        for name in sorted(vars(_Rules)):
            if name.startswith("rule"):
                getattr(self, name)()

    def pieces(self, word, *pairs):
        merges = [tuple(pair.split("+")) for pair in pairs]
        kept = tuple(merges)
        found = self.apply(word, merges)
        assert tuple(merges) == kept
        assert isinstance(found, list)
        return "-".join(found)

    def rule_1_characters(self):
        assert self.apply("", [("a", "b")]) == []
        assert self.apply("", []) == []
        assert self.pieces("Ça va🙂\n", "v+a") == "Ç-a- -va-🙂-\n"
        assert self.pieces(" o ") == " -o- "

    def rule_2_turns(self):
        assert self.pieces("stop", "t+o", "s+t", "o+p", "to+p", "s+top") == "stop"
        assert self.pieces("stop", "s+t", "t+o", "o+p") == "st-op"
        assert self.pieces("stop", "o+p", "s+t", "t+o", "t+op") == "st-op"
        assert self.pieces("stop", "st+o", "s+t") == "st-o-p"

    def rule_3_places(self):
        assert self.pieces("eeeeeee", "e+e", "ee+ee") == "eeee-ee-e"
        assert self.pieces("dedede", "d+e") == "de-de-de"
        assert self.pieces("bedbed", "e+d", "b+ed") == "bed-bed"
        assert self.pieces("rest", "r+e", "e+s", "s+t", "e+st") == "re-st"
        assert self.pieces("rest", "e+s", "re+s", "r+e") == "r-es-t"

    def rule_4_sizes(self):
        words = "".join(chr(200 + n % 90) for n in range(270))[:100]
        pairs = [f"{chr(400 + n)}+{chr(500 + n)}" for n in range(99)]
        assert self.pieces(words, *pairs, f"{words[98]}+{words[99]}") == "-".join(
            [*words[:98], words[98:]]
        ).replace(f"{words[8]}-{words[9]}", words[8:10])

    def rule_5_memory(self):
        assert self.pieces("tea", "e+a") == "t-ea"
        assert self.pieces("tea", "t+e") == "te-a"
        assert self.pieces("tea") == "t-e-a"


EXERCISE = Exercise(
    id="test_merges",
    mixed=True,
    title="Write the test that catches it",
    signature="test_merges(apply_merges)",
    reference=test_merges,
    helpers=(expect, *_CHECKS),
    cases=_test_cases,
    combined=("no_run", "no_alike", "no_memory", "no_copies"),
    parts=(
        Part("core", "right functions pass; order and lost characters are seen", 2),
        Part("places", "all places of a pair, and no others", 1),
        Part("unusual", "unusual words, long ones, memory, changed arguments", 1),
    ),
    minutes=30,
    draws=3,
    difficulty=3,
    section=COMMON,
    alternatives={
        "a table": _table_test,
        "random words": _random_test,
        "a class with rules": _Rules,
    },
    mistakes=(
        Mistake(
            "says_nothing",
            "The test accepts every function. Work out by hand which pieces should come back, and "
            "compare with `==` in an `assert`; its exception must get out of the test.",
            _instead("    apply_merges('abc', [('a', 'b')])\n"),
            equivalent=(_tried("pass"),),
            other_forms=(_tried("pass", "AssertionError"),),
        ),
        Mistake(
            "says_false",
            "The test returns True or False. What it returns is not looked at: it must raise an "
            "exception (`assert`).",
            _tried("return False\n    return True"),
            other_forms=(_tried("return False\n    return True", "AssertionError"),),
        ),
        Mistake(
            "rejects_everything",
            "Right functions are rejected, every one of them. Either the test fails by itself "
            "(call `apply_merges(word, merges)` with a list of tuples), or a result that it "
            "expects is wrong: apply the merges of each example by hand, one after the other.",
            _instead("    assert apply_merges('aaa', [('a', 'a')]) == ['aa', 'aa']\n"),
            equivalent=(
                _instead("    assert apply_merges('abc', [('b', 'c')]) == ('a', 'bc')\n"),
                _instead("    assert apply_merges('abc') == ['a', 'b', 'c']\n"),
            ),
        ),
        Mistake(
            "merges_as_lists",
            "Right functions are rejected: the merges are given as lists of two strings. Each is a "
            "tuple, `('a', 'b')`, and a right function may compare it with one.",
            [
                ("given = list(merges)", "given = [list(pair) for pair in merges]"),
                ("assert given == merges", "assert given == [list(pair) for pair in merges]"),
            ],
        ),
        Mistake(
            "run_expected",
            "Right functions are rejected, every one of them: your test expects a run to be merged "
            "from the right. From the left, `aaa` becomes `aa`, `a`.",
            [('"aa|aa|a")', '"a|aa|aa")')],
        ),
        Mistake(
            "only_joined",
            "The pieces are only joined and compared with the word, which says nothing about how "
            "it was cut. Compare the list of pieces itself.",
            [("apply_merges(word, given) ==", "''.join(apply_merges(word, given)) == word or")],
            other_forms=(
                [
                    _JOINED,
                    ("    assert given == merges\n", ""),
                    *_without("spaces", "long_word", "long_list"),
                ],
                [_JOINED, ("    assert given == merges\n", "")],
                [_JOINED],
            ),
        ),
        Mistake(
            "only_properties",
            "Only properties of the result are checked, such as its type, its characters, and that "
            "its pieces are known. Wrong ways to merge have them, too: write down which pieces "
            "should come back, and compare with `==`.",
            _PROPERTIES,
            other_forms=(
                [*_PROPERTIES, *_without("memory")],
                [*_PROPERTIES, *_without("spaces", "long_list", "inside")],
                [
                    *_PROPERTIES,
                    *_without("spaces", "long_list"),
                    (_TEA, '    expect(merge, "tea", [], "t|e|a")\n' + _TEA),
                ],
            ),
        ),
        Mistake(
            "only_counted",
            "Only the number of pieces is compared, and perhaps their text. Merges in a wrong "
            "order can give as many, such as `a`, `bc` in place of `ab`, `c`: compare the list of "
            "pieces itself.",
            [_COUNTED, _TWO_INSIDE],
            other_forms=(
                [
                    _TWO_INSIDE,
                    (
                        _COUNTED[0],
                        "    found = apply_merges(word, given)\n"
                        '    right = pieces.split("|") if pieces else []\n'
                        "    assert isinstance(found, list) and len(found) == len(right)\n",
                    ),
                ],
                [_COUNTED, _TWO_INSIDE, _MORE_COUNTED],
            ),
        ),
        Mistake(
            "no_order",
            "Functions that ignore the order of the list get through. Where two merges "
            "want the same character, which of them gets it? Try both orders.",
            _without("order", "chain", "inside", "alike"),
            section=ORDER,
        ),
        Mistake(
            "no_chain",
            "Merges that build on each other aren't tested enough. Take a list in which a merge "
            "needs what an earlier one has made, and a list in which it comes *before* that one.",
            _without("order", "chain"),
            section=ORDER,
        ),
        Mistake(
            "no_second_turn",
            "Functions that give a merge another turn get through, such as GPT-2's way, the "
            "smallest rank again and again. Take a list in which a merge comes *before* the one "
            "that makes what it needs.",
            [('    expect(merge, "plan", [("p", "la"), ("l", "a"), ("a", "n")], "p|la|n")\n', "")],
            section=ORDER,
        ),
        Mistake(
            "no_repeats",
            "Functions that merge only some of the places of a pair get through. Take a word in "
            "which the pair comes several times, also directly one after the other.",
            _without("places", "run"),
            points=3,
        ),
        Mistake(
            "no_run",
            "A function that merges from right to left gets through. It makes a difference only "
            "where places share a character: `aaa`, with the pair (`a`, `a`).",
            _without("run"),
            points=3,
        ),
        Mistake(
            "no_alike",
            "A function that only looks at what two neighbours read together gets through. Take a "
            "pair that can be read in a different way, such as (`ab`, `c`) where the pieces are "
            "`a`, `bc`.",
            _without("alike"),
            points=3,
        ),
        Mistake(
            "no_capitals",
            "A function that makes the word lower case gets through. Does one of your words have "
            "a capital letter?",
            _without("capitals"),
            points=3,
        ),
        Mistake(
            "no_spaces",
            "A function that loses spaces gets through. Does one of your words have some?",
            _without("spaces"),
            points=3,
        ),
        Mistake(
            "no_unicode",
            "A function that loses characters outside ASCII gets through. Does one of your words "
            "have some?",
            _without("unicode"),
            points=3,
        ),
        Mistake(
            "no_emoji",
            "A function that loses emoji gets through. Their numbers are above 65,535, which those "
            "of letters such as `ü` aren't. Does one of your words have one?",
            [('"ñ🙂", [], "ñ|🙂"', '"ñ", [], "ñ"')],
            points=3,
        ),
        Mistake(
            "no_odd_characters",
            "All your words are made of lower-case letters. Capital letters, spaces and "
            "characters outside ASCII can be lost without being seen.",
            _without("capitals", "spaces", "unicode"),
            points=3,
        ),
        Mistake(
            "no_empty",
            "The empty word is not tried, or its result is not compared. Which list should come "
            "back?",
            _without("empty"),
            points=3,
        ),
        Mistake(
            "errors_forgiven",
            "A function that raises an error for the empty word gets through, though one that "
            "gives it a wrong list does not. Does your test catch the error? A right function "
            "raises none.",
            [
                (
                    '    expect(merge, "", [("a", "b")], "")\n',
                    "    try:\n"
                    '        expect(merge, "", [("a", "b")], "")\n'
                    "    except IndexError:\n"
                    "        pass\n",
                )
            ],
            points=3,
        ),
        Mistake(
            "no_long_word",
            "A function that cuts long words off gets through. Try one of a hundred characters: "
            "repeat a short one, and its right pieces are easy to write down.",
            _without("long_word"),
            points=3,
        ),
        Mistake(
            "no_long_list",
            "A function that looks at the first merges of a long list only gets through. Try a "
            "hundred of which the last one matters.",
            _without("long_list"),
            points=3,
        ),
        Mistake(
            "no_long",
            "Functions that cut off what is long get through: try a word of a hundred characters, "
            "and a list of a hundred merges of which the last one matters.",
            _without("long_word", "long_list"),
            points=3,
        ),
        Mistake(
            "any_sequence",
            "A function that returns an iterator gets through: your test makes a list of what "
            "comes back. A list must come back: compare it as it is.",
            [("assert apply_merges(word, given) ==", "assert list(apply_merges(word, given)) ==")],
            points=3,
        ),
        Mistake(
            "no_memory",
            "A function that remembers words gets through. Give it the same word twice, with "
            "different merges.",
            _without("memory"),
            points=3,
        ),
        Mistake(
            "no_memory_of_as_many",
            "A function that remembers a word and the number of merges gets through. Give it the "
            "same word twice, with as many, but different merges, and compare the pieces "
            "themselves.",
            [('    expect(merge, "tea", [("e", "a")], "t|ea")\n', "")],
            points=3,
        ),
        Mistake(
            "no_copies",
            "A function that changes the list of merges gets through. Compare the list afterwards "
            "with a *copy*; a second name for the same list changes with it.",
            [("    assert given == merges\n", "")],
            points=3,
        ),
        Mistake(
            "only_plain",
            "Only plain words are tried. Rule 1 speaks of unusual characters and the "
            "empty word, rule 4 of long ones, and rule 5 of memory and changed arguments.",
            [
                ("    assert given == merges\n", ""),
                *_without(
                    "capitals", "spaces", "unicode", "empty", "long_word", "long_list", "memory"
                ),
            ],
            points=3,
        ),
        Mistake(
            "only_single_places",
            "Only plain words are tried, in which a pair has one place. For rule 3, take a word in "
            "which a pair comes several times, and one letter five times in a row. Rule 1 speaks "
            "of unusual characters and the empty word, rule 4 of long words and lists, and rule 5 "
            "of memory and changed arguments.",
            [*_ONE_PLACE, *_without("alike", "memory")],
            other_forms=(
                [*_ONE_PLACE, *_without("alike")],
                [*_ONE_PLACE, *_without("memory")],
                _ONE_PLACE,
            ),
            points=2,
        ),
    ),
)
