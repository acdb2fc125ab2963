# Returns False for a wrong function instead of raising an exception.
# points: 0
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
