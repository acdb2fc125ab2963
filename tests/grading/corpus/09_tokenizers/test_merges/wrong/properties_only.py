# Checks only properties (type, no lost characters, not more pieces), never which pieces come back.
# points: 0
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
