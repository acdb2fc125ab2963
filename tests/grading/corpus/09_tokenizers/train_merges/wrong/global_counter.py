# the frequencies are not reset
# points: 0

def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) for w in counts}
    freq = Counter()
    out = []
    for _ in range(num_merges):
        for w, p in words.items():
            for a, b in zip(p, p[1:]):
                freq[a, b] += counts[w]
        c = [(-n, p) for p, n in freq.items() if n >= min_frequency and (max_length is None or len(p[0]+p[1]) <= max_length)]
        if not c: break
        best = min(c)[1]
        out.append(best)
        for w, p in words.items():
            q, i = [], 0
            while i < len(p):
                if i < len(p)-1 and (p[i], p[i+1]) == best:
                    q.append(p[i]+p[i+1]); i += 2
                else:
                    q.append(p[i]); i += 1
            words[w] = q
    return out
