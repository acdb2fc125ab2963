# does not stop when no pair is left
# points: 3

def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    corpus = {w: tuple(w) for w in counts}
    merges = []
    while len(merges) < num_merges:
        freq = Counter()
        for w, seq in corpus.items():
            for p in zip(seq, seq[1:]):
                if max_length is None or len(p[0] + p[1]) <= max_length:
                    freq[p] += counts[w]
        m = max(freq.values())
        if m < min_frequency:
            break
        best = min(p for p in freq if freq[p] == m)
        merges.append(best)
        for w, seq in corpus.items():
            out = []
            it = iter(range(len(seq)))
            for i in it:
                if seq[i:i + 2] == best:
                    out.append(seq[i] + seq[i + 1]); next(it)
                else:
                    out.append(seq[i])
            corpus[w] = tuple(out)
    return merges
