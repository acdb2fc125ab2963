# Turns the result into a list before it compares, so that an iterator over the pieces passes.
# points: 3
import random


def _replay(word, merges):
    pieces = list(word)
    for left, right in merges:
        i = 0
        while i < len(pieces) - 1:
            if pieces[i] == left and pieces[i + 1] == right:
                pieces[i : i + 2] = [left + right]
            i += 1
    return pieces


def _cases():
    rng = random.Random(11)
    cases = [("", []), ("abc", []), ("abc", [("ab", "c"), ("a", "b")])]
    cases.append(("abcd", [("ab", "c"), ("a", "b"), ("ab", "c")]))
    for alphabet in ("abcdefgh", "aB1 ü😀.*x", "ab", "abc"):
        for _ in range(80):
            word = "".join(rng.choice(alphabet) for _ in range(rng.randint(1, 12)))
            known, merges = list(word), []
            for _ in range(8):
                pair = (rng.choice(known), rng.choice(known))
                merges.append(pair)
                known.append(pair[0] + pair[1])
            for i in range(len(word) - 1):
                merges.insert(rng.randint(0, len(merges)), (word[i], word[i + 1]))
            merges += rng.sample(merges, 4)
            cases.append((word, merges))
    word = "".join(chr(200 + i) for i in range(100))
    chain = [(word[:i], word[i]) for i in range(1, 100)]
    cases += [(word, [("x", "y")] + chain), (word, chain[::-1])]
    cases.append(("ab" * 50, [("a", "b")] * 99 + [("ab", "ab")]))
    return cases


def test_merges(apply_merges):
    cases = _cases()
    for order in (cases, cases[::-1]):
        for word, merges in order:
            before = list(merges)
            expected = _replay(word, merges)
            got = apply_merges(word, merges)
            assert list(got) == expected
            assert merges == before
    for word in ("abc", "aabb", "abcabc"):
        for merges in ([], [("a", "b")], [("b", "c"), ("a", "b")]):
            assert list(apply_merges(word, list(merges))) == _replay(word, merges)
