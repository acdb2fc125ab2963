# Other places of a rank wait if the new piece makes a smaller rank with its right neighbour, but not if it does so with its left one.
# points: 3
def merge_word(word, ranks):
    pieces = list(word)
    while True:
        known = [ranks[a + b] for a, b in zip(pieces, pieces[1:]) if a + b in ranks]
        if not known:
            return pieces
        smallest = min(known)
        i = 0
        while i < len(pieces) - 1:
            if ranks.get(pieces[i] + pieces[i + 1]) == smallest:
                pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
                if i + 1 < len(pieces):
                    rank = ranks.get(pieces[i] + pieces[i + 1])
                    if rank is not None and rank < smallest:
                        break
            i += 1
