# Stops where the most frequent pair of all is rare, and then merges rare pairs if that one is too long.
# points: 3
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = [(list(word), n) for word, n in counts.items()]
    merges = []
    for _ in range(num_merges):
        freq = Counter()
        for pieces, n in words:
            for pair in pairwise(pieces):
                freq[pair] += n
        if not freq or max(freq.values()) < min_frequency:
            break
        ok = [p for p in freq if (max_length is None or len(p[0] + p[1]) <= max_length)]
        if not ok:
            break
        best = min(ok, key=lambda p: (-freq[p], p))
        merges.append(best)
        new_words = []
        for pieces, n in words:
            new, i = [], 0
            while i < len(pieces):
                if tuple(pieces[i : i + 2]) == best:
                    new.append(pieces[i] + pieces[i + 1])
                    i += 2
                else:
                    new.append(pieces[i])
                    i += 1
            new_words.append((new, n))
        words = new_words
    return merges
