# %% alias | points 3 | a second name for the list in place of a copy
def test_merges(apply_merges):
    cases = [
        ("abc", [("a", "b"), ("b", "c")], ["ab", "c"]),
        ("abc", [("b", "c"), ("a", "b")], ["a", "bc"]),
        ("abcd", [("a", "b"), ("ab", "c"), ("abc", "d")], ["abcd"]),
        ("abcd", [("ab", "c"), ("a", "b")], ["ab", "c", "d"]),
        ("aaaaa", [("a", "a")], ["aa", "aa", "a"]),
        ("ababab", [("a", "b")], ["ab", "ab", "ab"]),
        ("xab", [("a", "b")], ["x", "ab"]),
        ("cab", [("c", "a"), ("a", "b")], ["ca", "b"]),
        ("abc", [("b", "c"), ("ab", "c")], ["a", "bc"]),
        ("", [("a", "b")], []),
        ("A ü🙂", [], ["A", " ", "ü", "🙂"]),
        (" a ", [], [" ", "a", " "]),
        ("lo" * 50, [("l", "o")], ["lo"] * 50),
        ("zz", [(c, c) for c in map(chr, range(300, 399))] + [("z", "z")], ["zz"]),
        ("abc", [("q", "r"), ("r", "q")], ["a", "b", "c"]),
    ]
    for word, merges, expected in cases:
        before = merges
        assert apply_merges(word, merges) == expected
        assert before == merges

# %% anything_can_be_a_list | points 3 | Turns the result into a list before it compares, so that an iterator over the pieces passes.
import random


def _replay(word, merges):
    pieces = list(word)
    for left, right in merges:
        i = 0
        while i < len(pieces) - 1:
            if pieces[i] == left and pieces[i + 1] == right:
                pieces[i : i + 2] = [left + right]
            i += 1
    return pieces


def _cases():
    rng = random.Random(11)
    cases = [("", []), ("abc", []), ("abc", [("ab", "c"), ("a", "b")])]
    cases.append(("abcd", [("ab", "c"), ("a", "b"), ("ab", "c")]))
    for alphabet in ("abcdefgh", "aB1 ü😀.*x", "ab", "abc"):
        for _ in range(80):
            word = "".join(rng.choice(alphabet) for _ in range(rng.randint(1, 12)))
            known, merges = list(word), []
            for _ in range(8):
                pair = (rng.choice(known), rng.choice(known))
                merges.append(pair)
                known.append(pair[0] + pair[1])
            for i in range(len(word) - 1):
                merges.insert(rng.randint(0, len(merges)), (word[i], word[i + 1]))
            merges += rng.sample(merges, 4)
            cases.append((word, merges))
    word = "".join(chr(200 + i) for i in range(100))
    chain = [(word[:i], word[i]) for i in range(1, 100)]
    cases += [(word, [("x", "y")] + chain), (word, chain[::-1])]
    cases.append(("ab" * 50, [("a", "b")] * 99 + [("ab", "ab")]))
    return cases


def test_merges(apply_merges):
    cases = _cases()
    for order in (cases, cases[::-1]):
        for word, merges in order:
            before = list(merges)
            expected = _replay(word, merges)
            got = apply_merges(word, merges)
            assert list(got) == expected
            assert merges == before
    for word in ("abc", "aabb", "abcabc"):
        for merges in ([], [("a", "b")], [("b", "c"), ("a", "b")]):
            assert list(apply_merges(word, list(merges))) == _replay(word, merges)

# %% empty_word_by_truth | points 3 | Checks an empty word only by "not result", so an empty string or None passes for it.
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

# %% few | points 0 | typical first try
def test_merges(apply_merges):
    assert apply_merges("low", [("l", "o"), ("lo", "w")]) == ["low"]
    assert apply_merges("", []) == []
    assert apply_merges("aaa", [("a", "a")]) == ["aa", "a"]
    assert apply_merges("lower", [("e", "r"), ("l", "o")]) == ["lo", "w", "er"]

# %% forgives_errors | points 3 | Lets a function pass that raises an exception for unusual words, to be on the safe side.
def test_merges(apply_merges) -> None:
    """Raise an exception if `apply_merges(word, merges)` breaks a rule."""
    examples = [
        ("abc", [("a", "b"), ("b", "c")], ["ab", "c"]),
        ("abc", [("b", "c"), ("a", "b")], ["a", "bc"]),
        ("abc", [("b", "c"), ("a", "b"), ("a", "bc")], ["abc"]),
        ("abc", [("a", "bc"), ("b", "c")], ["a", "bc"]),
        ("abcd", [("c", "d"), ("a", "b"), ("ab", "cd")], ["abcd"]),
        ("abc", [("ab", "c"), ("a", "b"), ("ab", "c")], ["abc"]),
        ("abc", [], ["a", "b", "c"]),
        ("aaaaa", [("a", "a")], ["aa", "aa", "a"]),
        ("aaaaa", [("a", "a"), ("aa", "a")], ["aa", "aaa"]),
        ("abxabyab", [("a", "b")], ["ab", "x", "ab", "y", "ab"]),
        ("cab", [("c", "a"), ("a", "b")], ["ca", "b"]),
        ("abc", [("b", "c"), ("ab", "c")], ["a", "bc"]),
    ]
    for word, merges, expected in examples:
        given = list(merges)
        assert apply_merges(word, given) == expected
        assert given == merges
    odd = [
        ("", [("a", "b")], []),
        ("", [], []),
        ("a", [("a", "b")], ["a"]),
        ("Ab 1ü🙂", [("A", "b"), ("ü", "🙂")], ["Ab", " ", "1", "ü🙂"]),
        (" A b ", [], [" ", "A", " ", "b", " "]),
    ]
    for word, merges, expected in odd:
        try:
            result = apply_merges(word, list(merges))
        except Exception:
            continue  # not every function can do such words
        assert result == expected
    word = "".join(chr(500 + i) for i in range(101))
    merges = [(word[:i], word[i]) for i in range(1, 101)]
    assert apply_merges(word, merges) == [word]
    assert apply_merges("ab" * 50, [("a", "b")]) == ["ab"] * 50

# %% joined_only | points 0 | only the joined pieces are looked at
def test_merges(apply_merges):
    for word in ["lower", "aaaa", "", "Ünï🙂", "x" * 100]:
        pieces = apply_merges(word, [("l", "o"), ("a", "a")])
        assert isinstance(pieces, list)
        assert "".join(pieces) == word

# %% lengths_only | points 0 | Looks only at the number of pieces and at the text they make, so merges in a wrong order pass.
def test_merges(apply_merges) -> None:
    """Raise an exception if `apply_merges(word, merges)` breaks a rule."""
    cases = [
        ("abc", [("a", "b"), ("b", "c")], ["ab", "c"]),
        ("abc", [("b", "c"), ("a", "b")], ["a", "bc"]),
        ("abc", [("a", "b"), ("ab", "c")], ["abc"]),
        ("abc", [("ab", "c"), ("a", "b")], ["ab", "c"]),
        ("abcd", [("c", "d"), ("a", "b"), ("ab", "cd")], ["abcd"]),
        ("abcd", [("b", "c")], ["a", "bc", "d"]),
        ("xyz", [("x", "q"), ("y", "z")], ["x", "yz"]),
        ("xyz", [], ["x", "y", "z"]),
        ("aaaaa", [("a", "a")], ["aa", "aa", "a"]),
        ("abxabxab", [("a", "b")], ["ab", "x", "ab", "x", "ab"]),
        ("abab", [("a", "b")], ["ab", "ab"]),
        ("cab", [("c", "a"), ("a", "b")], ["ca", "b"]),
        ("abc", [("b", "c"), ("ab", "c")], ["a", "bc"]),
        ("aaaaaa", [("a", "a"), ("aa", "a")], ["aa", "aa", "aa"]),
        ("aaaaaaa", [("a", "a"), ("aa", "aa")], ["aaaa", "aa", "a"]),
        ("", [("a", "b")], []),
        ("", [], []),
        ("Ab 7ü🙂", [("ü", "🙂"), ("b", " ")], ["A", "b ", "7", "ü🙂"]),
        ("aAa", [("a", "a"), ("A", "a")], ["a", "Aa"]),
        ("xy" * 50, [("x", "y")], ["xy"] * 50),
        ("a" * 101, [("a" * k, "a") for k in range(1, 101)], ["aa"] * 49 + ["aaa"]),
        ("".join(map(chr, range(300, 400))), [("".join(map(chr, range(300, 300 + k))), chr(300 + k)) for k in range(1, 100)], ["".join(map(chr, range(300, 400)))]),
    ]
    for word, merges, want in cases:
        given = list(merges)
        got = apply_merges(word, given)
        assert isinstance(got, list) and "".join(got) == word and len(got) == len(want)
        assert given == merges

# %% llm | points 3 | thorough but without alike and same-count memory
def test_merges(apply_merges):
    merges = [("l", "o"), ("lo", "w"), ("e", "r")]
    assert apply_merges("lower", merges) == ["low", "er"]
    assert merges == [("l", "o"), ("lo", "w"), ("e", "r")]
    assert apply_merges("", merges) == []
    assert apply_merges("lower", []) == list("lower")
    assert apply_merges("abc", [("a", "b"), ("b", "c")]) == ["ab", "c"]
    assert apply_merges("abc", [("b", "c"), ("a", "b")]) == ["a", "bc"]
    assert apply_merges("abc", [("ab", "c"), ("a", "b")]) == ["ab", "c"]
    assert apply_merges("aaaaa", [("a", "a")]) == ["aa", "aa", "a"]
    assert apply_merges("cab", [("c", "a"), ("a", "b")]) == ["ca", "b"]
    assert apply_merges("Ab aB", [("A", "b")]) == ["Ab", " ", "a", "B"]
    assert apply_merges(" ü😀 ", [("ü", "😀")]) == [" ", "ü😀", " "]
    assert apply_merges("ab" * 50, [("a", "b")]) == ["ab"] * 50
    many = [(chr(0x4e00 + i), chr(0x4e01 + i)) for i in range(99)] + [("x", "y")]
    assert apply_merges("xy", many) == ["xy"]
    assert isinstance(apply_merges("xy", many), list)

# %% merges_as_lists | points 0 | The merges are lists of two strings, not tuples, which right functions need not understand.
def test_merges(apply_merges) -> None:
    """Raise an exception if `apply_merges(word, merges)` breaks a rule."""
    examples = [
        ("", [("a", "b")], ""),
        ("Ü B🙂b", [("🙂", "b")], "Ü| |B|🙂b"),
        (" ab ", [], " |a|b| "),
        ("abc", [("a", "b"), ("b", "c")], "ab|c"),
        ("abc", [("b", "c"), ("a", "b")], "a|bc"),
        ("abc", [("b", "c"), ("a", "b"), ("a", "bc")], "abc"),
        ("abc", [("a", "bc"), ("b", "c")], "a|bc"),
        ("zabcabdab", [("a", "b"), ("ab", "c")], "z|abc|ab|d|ab"),
        ("aaaaa", [("a", "a")], "aa|aa|a"),
        ("aaaaa", [("a", "a"), ("aa", "a")], "aa|aaa"),
        ("ababx", [("a", "b")], "ab|ab|x"),
        ("cabab", [("c", "a"), ("a", "b")], "ca|b|ab"),
        ("abcab", [("b", "c"), ("a", "b")], "a|bc|ab"),
        ("abc", [("b", "c"), ("ab", "c")], "a|bc"),
        ("7A" * 50, [("7", "A")], "|".join(["7A"] * 50)),
    ]
    for word, merges, expected in examples:
        given = [list(pair) for pair in merges]
        pieces = expected.split("|") if expected else []
        assert apply_merges(word, given) == pieces
        assert given == [list(pair) for pair in merges]
    letters = [chr(number) for number in range(1000, 1100)]
    chain = [("".join(letters[:n]), letters[n]) for n in range(1, 100)]
    assert apply_merges("".join(letters), chain) == ["".join(letters)]

# %% no_copy_no_memory | points 3 | lacks changed arguments, the empty word and long lists
def test_merges(apply_merges):
    def same(word, merges, expected):
        assert apply_merges(word, merges) == expected, (word, merges)
    same("abc", [("a", "b"), ("b", "c")], ["ab", "c"])
    same("abc", [("b", "c"), ("a", "b")], ["a", "bc"])
    same("abcd", [("a", "b"), ("c", "d"), ("ab", "cd")], ["abcd"])
    same("abcd", [("ab", "cd"), ("a", "b"), ("c", "d")], ["ab", "cd"])
    same("aaa", [("a", "a")], ["aa", "a"])
    same("aaaa", [("a", "a")], ["aa", "aa"])
    same("cabab", [("c", "a"), ("a", "b")], ["ca", "b", "ab"])
    same("abc", [("b", "c"), ("ab", "c")], ["a", "bc"])
    same("A b", [("A", " ")], ["A ", "b"])
    same(" é🙂 ", [("é", "🙂")], [" ", "é🙂", " "])
    same("ab" * 50, [("a", "b")], ["ab"] * 50)

# %% no_other_split | points 3 | Merges that read like the pair but are other pieces are never tried; a space only within a word.
def test_merges(apply_merges) -> None:
    def expected(word, merges):
        pieces = list(word)
        for left, right in merges:
            out, i = [], 0
            while i < len(pieces):
                if i + 1 < len(pieces) and pieces[i] == left and pieces[i + 1] == right:
                    out.append(left + right)
                    i += 2
                else:
                    out.append(pieces[i])
                    i += 1
            pieces = out
        return pieces

    words = ["", "z", "ab", "aaaaa", "aaaaaa", "ababxab", "Ü 7🙂Ü 7", "xyzxyz", "xy" * 50]
    lists = [
        [],
        [("a", "a")],
        [("a", "b")],
        [("Ü", " "), ("7", "🙂")],
        [("x", "y"), ("y", "z")],
        [("y", "z"), ("x", "y")],
        [("x", "y"), ("xy", "z")],
        [("xy", "z"), ("x", "y")],
    ]
    for word in words:
        for merges in lists:
            given = list(merges)
            result = apply_merges(word, given)
            assert isinstance(result, list)
            assert result == expected(word, merges)
            assert given == merges
    letters = [chr(200 + n) for n in range(100)]
    chain = [("".join(letters[:n]), letters[n]) for n in range(1, 100)]
    assert apply_merges("".join(letters), chain) == ["".join(letters)]

# %% no_unusual | points 3 | order and places, but nothing unusual
def test_merges(apply_merges):
    assert apply_merges("abc", [("a", "b"), ("b", "c")]) == ["ab", "c"]
    assert apply_merges("abc", [("b", "c"), ("a", "b")]) == ["a", "bc"]
    assert apply_merges("lowest", [("e", "s"), ("es", "t"), ("l", "o"), ("lo", "w"), ("low", "est")]) == ["lowest"]
    assert apply_merges("lowest", [("low", "est"), ("lo", "w"), ("l", "o")]) == ["lo", "w", "e", "s", "t"]
    assert apply_merges("aaaaa", [("a", "a")]) == ["aa", "aa", "a"]
    assert apply_merges("abab", [("a", "b")]) == ["ab", "ab"]
    assert apply_merges("cab", [("c", "a"), ("a", "b")]) == ["ca", "b"]
    assert apply_merges("abc", [("b", "c"), ("ab", "c")]) == ["a", "bc"]
    assert apply_merges("xyz", [("a", "b")]) == ["x", "y", "z"]

# %% one_example | points 0 | one word, one list
def test_merges(apply_merges):
    assert apply_merges("abc", [("a", "b"), ("b", "c")]) == ["ab", "c"]

# %% only_prints | points 0 | Good cases, but what is wrong is only printed; no exception is raised.
def test_merges(apply_merges) -> None:
    """Raise an exception if `apply_merges(word, merges)` breaks a rule."""
    cases = [
        ("", [], []),
        ("abc", [("a", "b"), ("b", "c")], ["ab", "c"]),
        ("abc", [("b", "c"), ("a", "b")], ["a", "bc"]),
        ("aaaaa", [("a", "a")], ["aa", "aa", "a"]),
        ("cab", [("c", "a"), ("a", "b")], ["ca", "b"]),
        ("abab", [("a", "b")], ["ab", "ab"]),
        ("Ü 1", [("Ü", " ")], ["Ü ", "1"]),
        ("ab" * 50, [("a", "b")], ["ab"] * 50),
    ]
    ok = True
    for word, merges, expected in cases:
        result = apply_merges(word, list(merges))
        if result != expected:
            ok = False
            print(f"wrong: {word!r} with {merges} gives {result}, expected {expected}")
    return ok

# %% only_properties | points 0 | Checks only properties (nothing lost, no more pieces than before, each merge a step further, repeatable), so a function that never merges passes.
def test_merges(apply_merges) -> None:
    merges = [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "a"), ("aa", "a")]
    for word in ["", "a", "abc", "aaaaa", "cabab", "Ü 7🙂", "abcabc" * 16]:
        before = list(word)
        for n in range(len(merges) + 1):
            given = list(merges[:n])
            found = apply_merges(word, given)
            assert isinstance(found, list)
            assert given == merges[:n]
            assert "".join(found) == word
            assert len(found) <= len(before)
            allowed = set(word) | {a + b for a, b in given}
            assert all(piece in allowed for piece in found)
            assert apply_merges(word, list(given)) == found
            before = found

# %% only_the_letters | points 0 | Only looks whether the pieces, put together, are the word.
def test_merges(apply_merges) -> None:
    for word in ["", "a", "abcab", "aaaaa", "Ü 🙂7"]:
        for merges in [[], [("a", "b")], [("a", "b"), ("ab", "c")], [("a", "a")]]:
            pieces = apply_merges(word, list(merges))
            assert isinstance(pieces, list)
            assert "".join(pieces) == word

# %% plain_words_only | points 2 | No case for rule 3 (a letter five times, same text from other pieces), none for unusual words, rules 4, 5.
def test_merges(apply_merges) -> None:
    """Raise an exception if `apply_merges(word, merges)` breaks a rule."""
    assert list(apply_merges("abc", [])) == ["a", "b", "c"]
    assert list(apply_merges("abc", [("a", "b"), ("b", "c")])) == ["ab", "c"]
    assert list(apply_merges("abc", [("b", "c"), ("a", "b")])) == ["a", "bc"]
    assert list(apply_merges("abc", [("a", "bc"), ("b", "c")])) == ["a", "bc"]
    assert list(apply_merges("hug", [("u", "g"), ("h", "ug")])) == ["hug"]
    assert list(apply_merges("pun", [("u", "g"), ("u", "n"), ("h", "ug")])) == ["p", "un"]
    assert list(apply_merges("newest", [("e", "s"), ("es", "t"), ("n", "e")])) == ["ne", "w", "est"]
    many = [("l", "o"), ("lo", "w"), ("e", "r"), ("x", "y"), ("low", "er")]
    assert list(apply_merges("lower", many)) == ["lower"]

# %% prints | points 0 | prints in place of asserting
def test_merges(apply_merges):
    cases = [
        ("abc", [("a", "b"), ("b", "c")], ["ab", "c"]),
        ("abc", [("b", "c"), ("a", "b")], ["a", "bc"]),
        ("abcd", [("a", "b"), ("ab", "c"), ("abc", "d")], ["abcd"]),
        ("abcd", [("ab", "c"), ("a", "b")], ["ab", "c", "d"]),
        ("aaaaa", [("a", "a")], ["aa", "aa", "a"]),
        ("ababab", [("a", "b")], ["ab", "ab", "ab"]),
        ("xab", [("a", "b")], ["x", "ab"]),
        ("cab", [("c", "a"), ("a", "b")], ["ca", "b"]),
        ("abc", [("b", "c"), ("ab", "c")], ["a", "bc"]),
        ("", [("a", "b")], []),
        ("A ü🙂", [], ["A", " ", "ü", "🙂"]),
        (" a ", [], [" ", "a", " "]),
        ("lo" * 50, [("l", "o")], ["lo"] * 50),
        ("zz", [(c, c) for c in map(chr, range(300, 399))] + [("z", "z")], ["zz"]),
        ("abc", [("q", "r"), ("r", "q")], ["a", "b", "c"]),
    ]
    for word, merges, expected in cases:
        print(apply_merges(word, merges) == expected)

# %% properties_only | points 0 | Checks only properties (type, no lost characters, not more pieces), never which pieces come back.
def test_merges(apply_merges) -> None:
    """Raise an exception if `apply_merges(word, merges)` breaks a rule."""
    words = ["", "a", "aaaaa", "abcab", "Ü B🙂b", "ab" * 50, "lowest newest"]
    rules = [[], [("a", "b")], [("b", "c"), ("a", "b")], [("a", "a"), ("aa", "a")]]
    for word in words:
        for merges in rules:
            given = list(merges)
            first = apply_merges(word, given)
            second = apply_merges(word, given)
            assert isinstance(first, list)
            assert all(isinstance(piece, str) and piece for piece in first)
            assert "".join(first) == word
            assert len(first) <= len(word)
            assert first == second
            assert given == merges
            allowed = set(word) | {left + right for left, right in merges}
            assert set(first) <= allowed

# %% reference_by_rank | points 0 | Compares with a reference that merges the pair of the lowest rank again and again, as GPT-2 does, and so rejects right functions.
def test_merges(apply_merges):
    import random

    def reference(word, merges):
        ranks = {pair: i for i, pair in reversed(list(enumerate(merges)))}
        pieces = list(word)
        while True:
            found = [(ranks[p], i) for i, p in enumerate(pairwise(pieces)) if p in ranks]
            if not found:
                return pieces
            _, i = min(found)
            pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]

    generator = random.Random(0)
    texts = ["a", "b", "c", "ab", "bc", "aa", "abc", "ca"]
    for _ in range(300):
        word = "".join(generator.choices("abc", k=generator.randint(0, 12)))
        merges = [tuple(generator.choices(texts, k=2)) for _ in range(generator.randint(0, 8))]
        given = merges.copy()
        assert apply_merges(word, given) == reference(word, merges)
        assert given == merges

# %% returns_a_bool | points 0 | Returns False for a wrong function instead of raising an exception.
def test_merges(apply_merges):
    ab, bc = ("a", "b"), ("b", "c")
    table = [
        ("", [ab], []),
        ("a", [], ["a"]),
        ("abc", [ab, bc], ["ab", "c"]),
        ("abc", [bc, ab], ["a", "bc"]),
        ("abc", [bc, ("a", "bc")], ["abc"]),
        ("abc", [("a", "bc"), bc], ["a", "bc"]),
        ("abc", [bc, ("ab", "c")], ["a", "bc"]),
        ("cab", [("c", "a"), ab], ["ca", "b"]),
        ("abxabab", [ab], ["ab", "x", "ab", "ab"]),
        ("aaaaa", [("a", "a")], ["aa", "aa", "a"]),
        ("aaaa", [("a", "a"), ("aa", "aa")], ["aaaa"]),
        ("A ü🙂7", [("A", " "), ("🙂", "7")], ["A ", "ü", "🙂7"]),
        ("xy" * 50, [("x", "y")], ["xy"] * 50),
        ("abc", [("q", chr(200 + i)) for i in range(99)] + [bc], ["a", "bc"]),
    ]
    for word, merges, expected in table:
        before = list(merges)
        result = apply_merges(word, merges)
        if result != expected:
            return False
        if merges != before:
            return False

# %% returns_bool | points 0 | returns a comparison in place of asserting it
def test_merges(apply_merges):
    ok = apply_merges("abc", [("a", "b"), ("b", "c")]) == ["ab", "c"]
    ok = ok and apply_merges("aaa", [("a", "a")]) == ["aa", "a"]
    return ok

# %% right_to_left_expected | points 0 | expects a run to be merged from the right
def test_merges(apply_merges):
    assert apply_merges("", []) == []
    assert apply_merges("abc", [("a", "b"), ("b", "c")]) == ["ab", "c"]
    assert apply_merges("aaa", [("a", "a")]) == ["a", "aa"]

# %% tuple_expected | points 0 | compares with tuples
def test_merges(apply_merges):
    assert apply_merges("abc", [("a", "b"), ("b", "c")]) == ("ab", "c")
    assert apply_merges("abc", [("b", "c"), ("a", "b")]) == ("a", "bc")
