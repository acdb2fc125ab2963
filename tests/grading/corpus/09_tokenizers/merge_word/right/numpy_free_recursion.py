# a word is merged once, and then again
# points: 4

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
