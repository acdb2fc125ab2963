# %% dictionary_of_places | points 4 | dict of positions
def merge_word(word, ranks):
    parts = [[c] for c in word]
    while True:
        cands = {}
        for i in range(len(parts) - 1):
            s = "".join(parts[i] + parts[i + 1])
            if s in ranks:
                cands.setdefault(ranks[s], i)
        if not cands:
            return ["".join(p) for p in parts]
        i = cands[min(cands)]
        parts[i] = parts[i] + parts[i + 1]
        del parts[i + 1]

# %% infinity | points 4 | the rank of what has none is infinite
def merge_word(word, ranks):
    pieces = list(word)
    while len(pieces) > 1:
        scores = [ranks.get(a + b, math.inf) for a, b in zip(pieces, pieces[1:])]
        i = min(range(len(scores)), key=scores.__getitem__)
        if scores[i] == math.inf:
            break
        pieces[i] += pieces.pop(i + 1)
    return pieces

# %% numpy_free_recursion | points 4 | a word is merged once, and then again
def _step(pieces, ranks):
    best = None
    for i, (a, b) in enumerate(zip(pieces, pieces[1:])):
        if a + b in ranks and (best is None or ranks[a + b] < best[0]):
            best = (ranks[a + b], i)
    return best

def merge_word(word, ranks):
    pieces = tuple(word)
    while (best := _step(pieces, ranks)) is not None:
        _, i = best
        pieces = pieces[:i] + (pieces[i] + pieces[i + 1],) + pieces[i + 2:]
    return list(pieces)
