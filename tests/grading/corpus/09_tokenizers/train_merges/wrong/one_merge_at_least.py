# Asks whether there are enough merges only after a merge, so with num_merges 0 it never stops before the pairs run out.
# points: 3
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = [(list(word), count) for word, count in counts.items()]
    merges = []
    while True:
        pairs = Counter()
        for pieces, count in words:
            for pair in pairwise(pieces):
                pairs[pair] += count
        candidates = [
            (-n, pair)
            for pair, n in pairs.items()
            if n >= min_frequency and (max_length is None or len("".join(pair)) <= max_length)
        ]
        if not candidates:
            return merges
        best = min(candidates)[1]
        merges.append(best)
        if len(merges) == num_merges:
            return merges
        for pieces, _ in words:
            i = 0
            while i < len(pieces) - 1:
                if (pieces[i], pieces[i + 1]) == best:
                    pieces[i : i + 2] = [best[0] + best[1]]
                i += 1
