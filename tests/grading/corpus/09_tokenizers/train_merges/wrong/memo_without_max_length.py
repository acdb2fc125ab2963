# a cache by words, number and least frequency forgets the length
# points: 3
_kept = {}

def merged(pieces, pair):
    result, place = [], 0
    while place < len(pieces):
        if tuple(pieces[place : place + 2]) == pair:
            result.append(pieces[place] + pieces[place + 1])
            place += 2
        else:
            result.append(pieces[place])
            place += 1
    return result


def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    key = (frozenset(counts.items()), num_merges, min_frequency)
    if key in _kept:
        return list(_kept[key])
    words = [(list(word), count) for word, count in counts.items()]
    merges = []
    for _ in range(num_merges):
        frequency = Counter()
        for pieces, count in words:
            for pair in pairwise(pieces):
                frequency[pair] += count
        possible = [
            pair
            for pair in frequency
            if frequency[pair] >= min_frequency
            and (max_length is None or len("".join(pair)) <= max_length)
        ]
        if not possible:
            break
        best = min(possible, key=lambda pair: (-frequency[pair], pair))
        merges.append(best)
        words = [(merged(pieces, best), count) for pieces, count in words]
    _kept[key] = merges
    return list(merges)
