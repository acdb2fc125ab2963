# Ties compare the text left-right with a hyphen, which is wrong where a left piece goes on with a sign below the hyphen (n, n').
# points: 3
from collections import Counter


def merged(pieces, pair):
    out, i = [], 0
    while i < len(pieces):
        if i + 1 < len(pieces) and (pieces[i], pieces[i + 1]) == pair:
            out.append(pieces[i] + pieces[i + 1])
            i += 2
        else:
            out.append(pieces[i])
            i += 1
    return out


def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {word: list(word) for word in counts}
    merges = []
    for _ in range(num_merges):
        frequency = Counter()
        for word, pieces in words.items():
            for pair in zip(pieces, pieces[1:]):
                frequency[pair] += counts[word]
        candidates = [
            pair
            for pair, number in frequency.items()
            if number >= min_frequency
            and (max_length is None or len(pair[0] + pair[1]) <= max_length)
        ]
        if not candidates:
            break
        best = min(candidates, key=lambda pair: (-frequency[pair], "-".join(pair)))
        merges.append(best)
        words = {word: merged(pieces, best) for word, pieces in words.items()}
    return merges
