# Good cases, but what is wrong is only printed; no exception is raised.
# points: 0
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
