# The merges are lists of two strings, not tuples, which right functions need not understand.
# points: 0
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
