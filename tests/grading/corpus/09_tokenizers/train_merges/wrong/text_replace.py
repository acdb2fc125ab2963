# Sennrich's loop without its look-around
# points: 0

def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    vocab = {" ".join(w): c for w, c in counts.items()}
    merges = []
    for _ in range(num_merges):
        pairs = Counter()
        for word, freq in vocab.items():
            symbols = word.split()
            for i in range(len(symbols) - 1):
                pairs[symbols[i], symbols[i + 1]] += freq
        pairs = {p: f for p, f in pairs.items() if f >= min_frequency and (max_length is None or len(p[0]) + len(p[1]) <= max_length)}
        if not pairs:
            break
        best = sorted(pairs, key=lambda p: (-pairs[p], p))[0]
        merges.append(best)
        vocab = {w.replace(" ".join(best), "".join(best)): c for w, c in vocab.items()}
    return merges
