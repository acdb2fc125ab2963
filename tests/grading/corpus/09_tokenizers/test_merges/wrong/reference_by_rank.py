# Compares with a reference that merges the pair of the lowest rank again and again, as GPT-2 does, and so rejects right functions.
# points: 0
def test_merges(apply_merges):
    import random

    def reference(word, merges):
        ranks = {pair: i for i, pair in reversed(list(enumerate(merges)))}
        pieces = list(word)
        while True:
            found = [(ranks[p], i) for i, p in enumerate(pairwise(pieces)) if p in ranks]
            if not found:
                return pieces
            _, i = min(found)
            pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]

    generator = random.Random(0)
    texts = ["a", "b", "c", "ab", "bc", "aa", "abc", "ca"]
    for _ in range(300):
        word = "".join(generator.choices("abc", k=generator.randint(0, 12)))
        merges = [tuple(generator.choices(texts, k=2)) for _ in range(generator.randint(0, 8))]
        given = merges.copy()
        assert apply_merges(word, given) == reference(word, merges)
        assert given == merges
