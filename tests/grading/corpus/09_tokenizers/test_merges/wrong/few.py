# typical first try
# points: 0

def test_merges(apply_merges):
    assert apply_merges("low", [("l", "o"), ("lo", "w")]) == ["low"]
    assert apply_merges("", []) == []
    assert apply_merges("aaa", [("a", "a")]) == ["aa", "a"]
    assert apply_merges("lower", [("e", "r"), ("l", "o")]) == ["lo", "w", "er"]
