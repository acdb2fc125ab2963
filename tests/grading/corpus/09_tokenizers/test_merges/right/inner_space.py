# Examples by hand, with a list as it was and a second call.
# points: 4
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
