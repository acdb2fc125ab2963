# No case for rule 3 (a letter five times, same text from other pieces), none for unusual words, rules 4, 5.
# points: 2
def test_merges(apply_merges) -> None:
    """Raise an exception if `apply_merges(word, merges)` breaks a rule."""
    assert list(apply_merges("abc", [])) == ["a", "b", "c"]
    assert list(apply_merges("abc", [("a", "b"), ("b", "c")])) == ["ab", "c"]
    assert list(apply_merges("abc", [("b", "c"), ("a", "b")])) == ["a", "bc"]
    assert list(apply_merges("abc", [("a", "bc"), ("b", "c")])) == ["a", "bc"]
    assert list(apply_merges("hug", [("u", "g"), ("h", "ug")])) == ["hug"]
    assert list(apply_merges("pun", [("u", "g"), ("u", "n"), ("h", "ug")])) == ["p", "un"]
    assert list(apply_merges("newest", [("e", "s"), ("es", "t"), ("n", "e")])) == ["ne", "w", "est"]
    many = [("l", "o"), ("lo", "w"), ("e", "r"), ("x", "y"), ("low", "er")]
    assert list(apply_merges("lower", many)) == ["lower"]
