# neither limit, default tie
# points: 2

def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) for w in counts}
    out = []
    for _ in range(num_merges):
        freq = Counter()
        for w, p in words.items():
            for a, b in zip(p, p[1:]):
                freq[a, b] += counts[w]
        if not freq: break
        best, n = freq.most_common(1)[0]
        if n < min_frequency: break
        out.append(best)
        for w, p in words.items():
            i = 0
            while i < len(p) - 1:
                if (p[i], p[i+1]) == best: p[i:i+2] = [p[i]+p[i+1]]
                i += 1
    return out
