# Only looks whether the pieces, put together, are the word.
# points: 0
def test_merges(apply_merges) -> None:
    for word in ["", "a", "abcab", "aaaaa", "Ü 🙂7"]:
        for merges in [[], [("a", "b")], [("a", "b"), ("ab", "c")], [("a", "a")]]:
            pieces = apply_merges(word, list(merges))
            assert isinstance(pieces, list)
            assert "".join(pieces) == word
