# a table, with a copy of the list for each call
# points: 4

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
