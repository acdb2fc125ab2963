"""The known mistakes of `test_merges`."""

from __future__ import annotations

import textwrap

from grading.content.tokenizers.sections import ORDER
from grading.exercise import Mistake
from grading.exercise.edits import Edits

from .question import CHECKS

_NAMES = tuple(one.__name__.removeprefix("check_") for one in CHECKS)
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


COMBINED = ("no_run", "no_alike", "no_memory", "no_copies")

MISTAKES = (
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
        "The empty word is not tried, or its result is not compared. Which list should come back?",
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
            *_without("capitals", "spaces", "unicode", "empty", "long_word", "long_list", "memory"),
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
)
