# Ties go to the larger pair (max of frequency and pair), and a pair that occurs once is never merged, even with min_frequency 1.
# points: 2
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) for w in counts}
    merges = []
    for _ in range(num_merges):
        freq = Counter()
        for w, pieces in words.items():
            for pair in pairwise(pieces):
                freq[pair] += counts[w]
        good = [
            (n, p)
            for p, n in freq.items()
            if n >= max(2, min_frequency) and (max_length is None or len("".join(p)) <= max_length)
        ]
        if not good:
            return merges
        _, best = max(good)
        merges.append(best)
        for w, pieces in words.items():
            new, i = [], 0
            while i < len(pieces):
                if tuple(pieces[i : i + 2]) == best:
                    new.append(best[0] + best[1])
                    i += 2
                else:
                    new.append(pieces[i])
                    i += 1
            words[w] = new
    return merges
