# returns a comparison in place of asserting it
# points: 0

def test_merges(apply_merges):
    ok = apply_merges("abc", [("a", "b"), ("b", "c")]) == ["ab", "c"]
    ok = ok and apply_merges("aaa", [("a", "a")]) == ["aa", "a"]
    return ok
