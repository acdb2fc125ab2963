# only the joined pieces are looked at
# points: 0

def test_merges(apply_merges):
    for word in ["lower", "aaaa", "", "Ünï🙂", "x" * 100]:
        pieces = apply_merges(word, [("l", "o"), ("a", "a")])
        assert isinstance(pieces, list)
        assert "".join(pieces) == word
