# the rank of what has none is infinite
# points: 4

def merge_word(word, ranks):
    pieces = list(word)
    while len(pieces) > 1:
        scores = [ranks.get(a + b, math.inf) for a, b in zip(pieces, pieces[1:])]
        i = min(range(len(scores)), key=scores.__getitem__)
        if scores[i] == math.inf:
            break
        pieces[i] += pieces.pop(i + 1)
    return pieces
