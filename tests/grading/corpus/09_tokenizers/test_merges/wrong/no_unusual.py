# order and places, but nothing unusual
# points: 3

def test_merges(apply_merges):
    assert apply_merges("abc", [("a", "b"), ("b", "c")]) == ["ab", "c"]
    assert apply_merges("abc", [("b", "c"), ("a", "b")]) == ["a", "bc"]
    assert apply_merges("lowest", [("e", "s"), ("es", "t"), ("l", "o"), ("lo", "w"), ("low", "est")]) == ["lowest"]
    assert apply_merges("lowest", [("low", "est"), ("lo", "w"), ("l", "o")]) == ["lo", "w", "e", "s", "t"]
    assert apply_merges("aaaaa", [("a", "a")]) == ["aa", "aa", "a"]
    assert apply_merges("abab", [("a", "b")]) == ["ab", "ab"]
    assert apply_merges("cab", [("c", "a"), ("a", "b")]) == ["ca", "b"]
    assert apply_merges("abc", [("b", "c"), ("ab", "c")]) == ["a", "bc"]
    assert apply_merges("xyz", [("a", "b")]) == ["x", "y", "z"]
