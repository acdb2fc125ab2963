# with a marker at the end of each word
# points: 0

def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) + ['</w>'] for w in counts}
    out = []
    for _ in range(num_merges):
        freq = Counter()
        for w, p in words.items():
            for a, b in zip(p, p[1:]):
                freq[a, b] += counts[w]
        c = [p for p, n in freq.items() if n >= min_frequency and (max_length is None or len(p[0]+p[1]) <= max_length)]
        if not c: break
        best = min(c, key=lambda p: (-freq[p], p))
        out.append(best)
        for w, p in words.items():
            i = 0
            while i < len(p) - 1:
                if (p[i], p[i+1]) == best: p[i:i+2] = [p[i]+p[i+1]]
                i += 1
    return out
