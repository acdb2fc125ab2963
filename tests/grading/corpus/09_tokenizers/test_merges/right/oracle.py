# an implementation of its own, and many words
# points: 4

import itertools

def _oracle(word, merges):
    pieces = list(word)
    for l, r in merges:
        out, i = [], 0
        while i < len(pieces):
            if i + 1 < len(pieces) and pieces[i] == l and pieces[i + 1] == r:
                out.append(l + r)
                i += 2
            else:
                out.append(pieces[i])
                i += 1
        pieces = out
    return pieces

def test_merges(apply_merges):
    pool = [("a", "b"), ("b", "c"), ("a", "a"), ("ab", "c"), ("a", "bc"), ("c", "a"), ("aa", "a")]
    words = ["", "abc", "aaaaa", "cababc", "abcabc", "bcabca", "Abc ", " a", "äbc🙂", "abaab", "caab"]
    for word in words:
        for merges in itertools.permutations(pool, 3):
            merges = list(merges)
            before = list(merges)
            assert apply_merges(word, merges) == _oracle(word, before)
            assert merges == before
    long = "abc" * 34
    filler = [("z" * n, "z") for n in range(1, 99)]
    assert apply_merges(long, filler + [("a", "b")]) == _oracle(long, [("a", "b")])
