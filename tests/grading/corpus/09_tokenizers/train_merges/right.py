# %% returns_tuple_of_lists | points 4 | tuples and lists the other way round
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) for w in counts}
    out = []
    for _ in range(num_merges):
        freq = Counter()
        for w, p in words.items():
            for a, b in zip(p, p[1:]):
                freq[a, b] += counts[w]
        c = [p for p, n in freq.items() if n >= min_frequency and (max_length is None or len(p[0]+p[1]) <= max_length)]
        if not c: break
        best = min(c, key=lambda p: (-freq[p], p))
        out.append(best)
        for w, p in words.items():
            i = 0
            while i < len(p) - 1:
                if (p[i], p[i+1]) == best: p[i:i+2] = [p[i]+p[i+1]]
                i += 1
    return tuple(list(p) for p in out)

# %% separator | points 4 | pieces between zero bytes, split and joined
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = [["\0".join(w), n] for w, n in counts.items()]
    found = []
    for _ in range(num_merges):
        freq = Counter()
        for text, n in words:
            parts = text.split("\0")
            for i in range(1, len(parts)):
                freq[parts[i - 1], parts[i]] += n
        limit = max_length or float("inf")
        ok = sorted((p for p in freq if len(p[0] + p[1]) <= limit and freq[p] >= min_frequency), key=lambda p: (-freq[p], p[0], p[1]))
        if not ok:
            break
        left, right = ok[0]
        found.append([left, right])
        for entry in words:
            parts, out = entry[0].split("\0"), []
            while parts:
                if parts[:2] == [left, right]:
                    out.append(left + right)
                    parts = parts[2:]
                else:
                    out.append(parts.pop(0))
            entry[0] = "\0".join(out)
    return found

# %% two_sorts | points 4 | sorted twice: by the pair, then by frequency
class Trainer:
    def __init__(self, counts):
        self.words = {w: [*w] for w in counts}
        self.counts = dict(counts)

    def pairs(self):
        c = Counter()
        for w, pieces in self.words.items():
            for i in range(len(pieces) - 1):
                c[pieces[i], pieces[i + 1]] += self.counts[w]
        return c

    def apply(self, a, b):
        for pieces in self.words.values():
            i = 0
            while i < len(pieces) - 1:
                if pieces[i] == a and pieces[i + 1] == b:
                    pieces[i] = a + b
                    del pieces[i + 1]
                i += 1

def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    trainer, merges = Trainer(counts), []
    while len(merges) != num_merges:
        items = [(p, f) for p, f in sorted(trainer.pairs().items()) if f >= min_frequency]
        if max_length is not None:
            items = [(p, f) for p, f in items if len(p[0]) + len(p[1]) <= max_length]
        items.sort(key=lambda item: item[1], reverse=True)
        if not items:
            break
        merges.append(items[0][0])
        trainer.apply(*items[0][0])
    return merges
