# expects a run to be merged from the right
# points: 0

def test_merges(apply_merges):
    assert apply_merges("", []) == []
    assert apply_merges("abc", [("a", "b"), ("b", "c")]) == ["ab", "c"]
    assert apply_merges("aaa", [("a", "a")]) == ["a", "aa"]
