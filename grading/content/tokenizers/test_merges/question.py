"""Exercise 5: a test that accepts right ways to apply merges and rejects wrong ones."""

from __future__ import annotations

import random

import torch

from grading import check
from grading.content.drawing import one_of
from grading.content.tokenizers.sections import COMMON
from grading.exercise import Case, Part, Question

from .versions import ACCEPTED, WRONG


def _test_cases(generator: torch.Generator) -> list[Case]:
    def case(title: str, part: str, source: str, hidden: bool = False) -> Case:
        name = one_of(generator, "apply_merges", "merge", "cut_word")
        source = source.strip().replace("NAME", name) + "\n"
        arguments = (("name", name), ("source", source))
        return Case(title, part, arguments, harness=check.run_test, hidden=hidden)

    accepted = [case(f"right: {title}", "core", source) for title, source in ACCEPTED.items()]
    rejected, again = [], []
    for title, part, ways in WRONG:  # each way when it counts, one of them to practise
        order = torch.randperm(len(ways), generator=generator).tolist()
        first, *others = (ways[place] for place in order)
        rejected.append(case(f"wrong: {title}", part, first))
        title = f"wrong: {title}, in another way"
        again += [case(title, part, source, hidden=True) for source in others]
    again += [
        case(f"right: {title}, once more", "core", source, hidden=True)
        for title, source in ACCEPTED.items()
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


CHECKS = (
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


QUESTION = Question(
    id="test_merges",
    mixed=True,
    title="Write the test that catches it",
    signature="test_merges(apply_merges)",
    reference=test_merges,
    helpers=(expect, *CHECKS),
    cases=_test_cases,
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
)
