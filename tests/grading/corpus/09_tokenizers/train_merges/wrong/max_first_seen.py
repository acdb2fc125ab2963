# max of a Counter: ties go to what was counted first
# points: 3

def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    vocab = {tuple(w): c for w, c in counts.items()}
    merges = []
    for _ in range(num_merges):
        stats = Counter()
        for w, c in vocab.items():
            for a, b in zip(w, w[1:]):
                if max_length is None or len(a + b) <= max_length:
                    stats[a, b] += c
        if not stats:
            break
        best = max(stats, key=stats.get)
        if stats[best] < min_frequency:
            break
        merges.append(best)
        new = {}
        for w, c in vocab.items():
            out, i = [], 0
            while i < len(w):
                if w[i:i + 2] == best:
                    out.append(w[i] + w[i + 1]); i += 2
                else:
                    out.append(w[i]); i += 1
            new[tuple(out)] = c
        vocab = new
    return merges
