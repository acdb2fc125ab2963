# max_length is compared with the number of bytes instead of characters, as in a byte-level trainer.
# points: 3
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {word: list(word) for word in counts}
    merges = []
    for _ in range(num_merges):
        freq = Counter()
        for word, pieces in words.items():
            for pair in pairwise(pieces):
                freq[pair] += counts[word]
        ok = [
            p for p in freq
            if freq[p] >= min_frequency and (max_length is None or len((p[0] + p[1]).encode()) <= max_length)
        ]
        if not ok:
            break
        best = min(ok, key=lambda p: (-freq[p], p))
        merges.append(best)
        for word, pieces in words.items():
            new, i = [], 0
            while i < len(pieces):
                if tuple(pieces[i : i + 2]) == best:
                    new.append(pieces[i] + pieces[i + 1])
                    i += 2
                else:
                    new.append(pieces[i])
                    i += 1
            words[word] = new
    return merges
