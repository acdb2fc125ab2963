# %% by_hand | points 4 | worked out by hand, one function for each rule
def test_merges(apply_merges):
    def check(word, merges, expected):
        given = [tuple(m) for m in merges]
        result = apply_merges(word, given)
        assert type(result) is list
        assert result == expected
        assert given == [tuple(m) for m in merges]

    # turns
    check("abc", [("a", "b"), ("b", "c")], ["ab", "c"])
    check("abc", [("b", "c"), ("a", "b")], ["a", "bc"])
    check("abc", [("b", "c"), ("a", "bc")], ["abc"])
    check("abc", [("a", "bc"), ("b", "c")], ["a", "bc"])
    check("bcd", [("c", "d"), ("b", "c")], ["b", "cd"])
    check("abcd", [("c", "d"), ("a", "b"), ("b", "c")], ["ab", "cd"])
    check("thing", [("i", "n"), ("in", "g"), ("t", "h"), ("th", "ing")], ["thing"])
    # places
    check("aaaaa", [("a", "a")], ["aa", "aa", "a"])
    check("ababab", [("a", "b")], ["ab", "ab", "ab"])
    check("abxab", [("a", "b")], ["ab", "x", "ab"])
    check("cab", [("c", "a"), ("a", "b")], ["ca", "b"])
    check("abc", [("b", "c"), ("ab", "c")], ["a", "bc"])
    # characters
    check("", [], [])
    check("", [("a", "b")], [])
    check("Ab", [("a", "b")], ["A", "b"])
    check(" a ", [("a", " ")], [" ", "a "])
    check("ü🙂", [("ü", "🙂")], ["ü🙂"])
    check("??", [], ["?", "?"])
    # sizes
    check("a" * 99 + "b", [("a", "b")], ["a"] * 98 + ["ab"])
    check("yz", [("q", "q" * n) for n in range(99)] + [("y", "z")], ["yz"])
    check("a", [], ["a"])

# %% copy_kept | points 4 | a table, with a copy of the list for each call
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
        given = list(merges)
        assert apply_merges(word, given) == expected
        assert given == merges

# %% inner_space | points 4 | Examples by hand, with a list as it was and a second call.
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
        assert isinstance(got, list) and all(isinstance(p, str) for p in got)
        assert got == want
        assert given == merges
        assert apply_merges(word, given) == want

# %% oracle | points 4 | an implementation of its own, and many words
import itertools

def _oracle(word, merges):
    pieces = list(word)
    for l, r in merges:
        out, i = [], 0
        while i < len(pieces):
            if i + 1 < len(pieces) and pieces[i] == l and pieces[i + 1] == r:
                out.append(l + r)
                i += 2
            else:
                out.append(pieces[i])
                i += 1
        pieces = out
    return pieces

def test_merges(apply_merges):
    pool = [("a", "b"), ("b", "c"), ("a", "a"), ("ab", "c"), ("a", "bc"), ("c", "a"), ("aa", "a")]
    words = ["", "abc", "aaaaa", "cababc", "abcabc", "bcabca", "Abc ", " a", "äbc🙂", "abaab", "caab"]
    for word in words:
        for merges in itertools.permutations(pool, 3):
            merges = list(merges)
            before = list(merges)
            assert apply_merges(word, merges) == _oracle(word, before)
            assert merges == before
    long = "abc" * 34
    filler = [("z" * n, "z") for n in range(1, 99)]
    assert apply_merges(long, filler + [("a", "b")]) == _oracle(long, [("a", "b")])
