# the merges come back as texts, as in merges.txt
# points: 0

def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    corpus = [(list(w), n) for w, n in counts.items()]
    result = []
    for _ in range(num_merges):
        freq = Counter()
        for seq, n in corpus:
            for a, b in zip(seq, seq[1:]):
                freq[(a, b)] += n
        ok = [p for p, f in freq.items() if f >= min_frequency and (max_length is None or len("".join(p)) <= max_length)]
        if not ok:
            break
        top = min(ok, key=lambda p: (-freq[p], p))
        result.append(" ".join(top))
        corpus = [(join(seq, top), n) for seq, n in corpus]
    return result

def join(seq, pair):
    out, i = [], 0
    while i < len(seq):
        if tuple(seq[i:i + 2]) == pair:
            out.append(pair[0] + pair[1]); i += 2
        else:
            out.append(seq[i]); i += 1
    return out
