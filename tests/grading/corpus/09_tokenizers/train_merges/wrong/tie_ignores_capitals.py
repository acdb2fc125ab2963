# Ties are broken without regard to capital letters, not as Python compares strings.
# points: 3
from collections import Counter


def merged(pieces, left, right):
    out = []
    for piece in pieces:
        if out and out[-1] == left and piece == right:
            out[-1] = left + right
        else:
            out.append(piece)
    return out


def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = [(list(word), times) for word, times in counts.items()]
    merges = []
    while len(merges) < num_merges:
        table = Counter()
        for pieces, times in words:
            for pair in zip(pieces, pieces[1:]):
                table[pair] += times
        candidates = [
            pair
            for pair in table
            if table[pair] >= min_frequency
            and (max_length is None or len(pair[0] + pair[1]) <= max_length)
        ]
        if not candidates:
            break
        best = min(candidates, key=lambda p: (-table[p], p[0].lower(), p[1].lower()))
        merges.append(best)
        words = [(merged(pieces, *best), times) for pieces, times in words]
    return merges
