# Lets a function pass that raises an exception for unusual words, to be on the safe side.
# points: 3
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
