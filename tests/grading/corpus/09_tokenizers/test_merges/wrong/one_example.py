# one word, one list
# points: 0

def test_merges(apply_merges):
    assert apply_merges("abc", [("a", "b"), ("b", "c")]) == ["ab", "c"]
