# After a merge only the new piece and its right neighbour are looked up, never the left neighbour and the new piece.
# points: 0
def merge_word(word, ranks):
    pieces = list(word)
    found = [ranks.get(a + b) for a, b in pairwise(pieces)]
    while any(rank is not None for rank in found):
        i = min((rank, i) for i, rank in enumerate(found) if rank is not None)[1]
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
        del found[i]
        if i < len(found):
            found[i] = ranks.get(pieces[i] + pieces[i + 1])
        if i > 0:
            found[i - 1] = None
    return pieces
