# A max_length of None becomes 16, as the default of a trainer that was used before.
# points: 3
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    max_length = max_length or 16
    words = [(tuple(w), n) for w, n in counts.items()]
    merges = []
    for _ in range(num_merges):
        freq = Counter()
        for pieces, n in words:
            for pair in zip(pieces, pieces[1:]):
                freq[pair] += n
        options = sorted((-f, p) for p, f in freq.items() if f >= min_frequency and len(p[0]) + len(p[1]) <= max_length)
        if not options:
            break
        left, right = options[0][1]
        merges.append((left, right))
        new_words = []
        for pieces, n in words:
            new = []
            rest = list(pieces)
            while rest:
                if rest[:2] == [left, right]:
                    new.append(left + right)
                    rest = rest[2:]
                else:
                    new.append(rest.pop(0))
            new_words.append((tuple(new), n))
        words = new_words
    return merges
