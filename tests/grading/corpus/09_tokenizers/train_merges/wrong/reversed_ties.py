# max with the pair in the key: the largest pair of equals
# points: 3

def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    corpus = [(list(w), n) for w, n in counts.items()]
    result = []
    for _ in range(num_merges):
        freq = Counter()
        for seq, n in corpus:
            for a, b in zip(seq[:-1], seq[1:]):
                freq[(a, b)] += n
        ok = {p: f for p, f in freq.items() if f >= min_frequency and (not max_length or len("".join(p)) <= max_length)}
        if not ok:
            return result
        top = max(ok.items(), key=lambda kv: (kv[1], kv[0]))[0]
        result.append(top)
        nxt = []
        for seq, n in corpus:
            out = []
            for s in seq:
                if out and (out[-1], s) == top:
                    out[-1] = out[-1] + s
                else:
                    out.append(s)
            nxt.append((out, n))
        corpus = nxt
    return result
