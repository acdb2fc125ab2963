# thorough but without alike and same-count memory
# points: 3

def test_merges(apply_merges):
    merges = [("l", "o"), ("lo", "w"), ("e", "r")]
    assert apply_merges("lower", merges) == ["low", "er"]
    assert merges == [("l", "o"), ("lo", "w"), ("e", "r")]
    assert apply_merges("", merges) == []
    assert apply_merges("lower", []) == list("lower")
    assert apply_merges("abc", [("a", "b"), ("b", "c")]) == ["ab", "c"]
    assert apply_merges("abc", [("b", "c"), ("a", "b")]) == ["a", "bc"]
    assert apply_merges("abc", [("ab", "c"), ("a", "b")]) == ["ab", "c"]
    assert apply_merges("aaaaa", [("a", "a")]) == ["aa", "aa", "a"]
    assert apply_merges("cab", [("c", "a"), ("a", "b")]) == ["ca", "b"]
    assert apply_merges("Ab aB", [("A", "b")]) == ["Ab", " ", "a", "B"]
    assert apply_merges(" ü😀 ", [("ü", "😀")]) == [" ", "ü😀", " "]
    assert apply_merges("ab" * 50, [("a", "b")]) == ["ab"] * 50
    many = [(chr(0x4e00 + i), chr(0x4e01 + i)) for i in range(99)] + [("x", "y")]
    assert apply_merges("xy", many) == ["xy"]
    assert isinstance(apply_merges("xy", many), list)
