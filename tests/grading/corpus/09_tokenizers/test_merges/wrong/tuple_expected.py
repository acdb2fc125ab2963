# compares with tuples
# points: 0

def test_merges(apply_merges):
    assert apply_merges("abc", [("a", "b"), ("b", "c")]) == ("ab", "c")
    assert apply_merges("abc", [("b", "c"), ("a", "b")]) == ("a", "bc")
