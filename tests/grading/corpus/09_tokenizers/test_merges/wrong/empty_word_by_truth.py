# Checks an empty word only by "not result", so an empty string or None passes for it.
# points: 3
import random


def _reference(word, merges):
    pieces = list(word)
    for left, right in merges:
        out, i = [], 0
        while i < len(pieces):
            if pieces[i : i + 2] == [left, right]:
                out.append(left + right)
                i += 2
            else:
                out.append(pieces[i])
                i += 1
        pieces = out
    return pieces


def _cases(long=True):
    yield "", []
    yield "", [("a", "b")]
    yield "x", [("a", "b")]
    yield "abc", []
    for merges in (
        [("a", "b"), ("ab", "c")],
        [("ab", "c"), ("a", "b")],
        [("b", "c"), ("a", "b"), ("ab", "c")],
        [("a", "b"), ("b", "c")],
        [("c", "a"), ("a", "b")],
    ):
        for word in ("abc", "cab", "abcab", "ccabcc", "ababab"):
            yield word, merges
    for n in range(2, 10):
        yield "a" * n, [("a", "a")]
        yield "a" * n, [("a", "a"), ("aa", "a")]
        yield "a" * n, [("a", "a"), ("aa", "aa")]
    yield "Ab aB AB", [("A", "b"), (" ", "A"), ("a", "B")]
    yield "  112 21", [(" ", " "), ("1", "2"), ("2", "1")]
    yield "über Ü", [("ü", "b"), (" ", "Ü")]
    yield "🙂🙂🙂", [("🙂", "🙂")]
    luck = random.Random(3)
    for _ in range(200):
        word = "".join(luck.choices("abc", k=luck.randrange(12)))
        known, merges = list("abc"), []
        for _ in range(luck.randrange(6)):
            pair = (luck.choice(known), luck.choice(known))
            if pair not in merges:
                merges.append(pair)
                known.append(pair[0] + pair[1])
        yield word, merges
    if long:
        signs = "".join(chr(0x4E00 + i) for i in range(100))
        yield signs, [(signs[: i + 1], signs[i + 1]) for i in range(99)]
        yield "ab" * 50, [("x", s) for s in signs[:99]] + [("a", "b")]


def test_merges(apply_merges):
    for word, merges in _cases():
        given = list(merges)
        result = apply_merges(word, given)
        assert given == merges
        if not word:
            assert not result
            continue
        expected = _reference(word, merges)
        assert isinstance(result, list)
        assert result == expected
        assert apply_merges(word, given) == expected
