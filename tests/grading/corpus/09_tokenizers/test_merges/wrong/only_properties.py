# Checks only properties (nothing lost, no more pieces than before, each merge a step further, repeatable), so a function that never merges passes.
# points: 0
def test_merges(apply_merges) -> None:
    merges = [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "a"), ("aa", "a")]
    for word in ["", "a", "abc", "aaaaa", "cabab", "Ü 7🙂", "abcabc" * 16]:
        before = list(word)
        for n in range(len(merges) + 1):
            given = list(merges[:n])
            found = apply_merges(word, given)
            assert isinstance(found, list)
            assert given == merges[:n]
            assert "".join(found) == word
            assert len(found) <= len(before)
            allowed = set(word) | {a + b for a, b in given}
            assert all(piece in allowed for piece in found)
            assert apply_merges(word, list(given)) == found
            before = found
