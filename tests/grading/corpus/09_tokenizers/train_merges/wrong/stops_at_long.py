# breaks when the best pair is too long
# points: 3

def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) for w in counts}
    merges = []
    for _ in range(num_merges):
        stats = Counter()
        for w, pieces in words.items():
            for pair in zip(pieces, pieces[1:]):
                stats[pair] += counts[w]
        if not stats:
            break
        best = min(stats, key=lambda p: (-stats[p], p[0], p[1]))
        if stats[best] < min_frequency:
            break
        if max_length is not None and len(best[0]) + len(best[1]) > max_length:
            break
        merges.append(best)
        for w, pieces in words.items():
            i, out = 0, []
            while i < len(pieces):
                if i + 1 < len(pieces) and (pieces[i], pieces[i + 1]) == best:
                    out.append("".join(best)); i += 2
                else:
                    out.append(pieces[i]); i += 1
            words[w] = out
    return merges
