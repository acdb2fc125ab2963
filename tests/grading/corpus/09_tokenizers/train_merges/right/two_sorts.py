# sorted twice: by the pair, then by frequency
# points: 4

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
