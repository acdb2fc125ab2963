# the counts of the words are not used
# points: 0

def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = [list(w) for w in counts]
    merges = []
    while len(merges) < num_merges:
        freq = {}
        for w in words:
            for i in range(len(w) - 1):
                pair = (w[i], w[i + 1])
                freq[pair] = freq.get(pair, 0) + 1
        cand = [(-f, p) for p, f in freq.items() if f >= min_frequency and (max_length is None or len(p[0] + p[1]) <= max_length)]
        if not cand:
            break
        best = min(cand)[1]
        merges.append(best)
        for w in words:
            i = 0
            while i < len(w) - 1:
                if (w[i], w[i + 1]) == best:
                    w[i:i + 2] = [w[i] + w[i + 1]]
                i += 1
    return merges
