# Remembers results by the word and the pieces of ranks, so the same pieces with other ranks give the old answer.
# points: 0
_seen = {}


def merge_word(word, ranks):
    key = (word, frozenset(ranks))
    if key not in _seen:
        pieces = list(word)
        while True:
            found = [
                (ranks[a + b], i)
                for i, (a, b) in enumerate(zip(pieces, pieces[1:]))
                if a + b in ranks
            ]
            if not found:
                break
            _, i = min(found)
            pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
        _seen[key] = pieces
    return list(_seen[key])
