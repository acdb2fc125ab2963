# worked out by hand, one function for each rule
# points: 4

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
