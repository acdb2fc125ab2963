# Compares ranks as floats, so that two very large ones count as equal.
# points: 3
def merge_word(word, ranks):
    pieces = list(word)
    while True:
        best, place = math.inf, None
        for i in range(len(pieces) - 1):
            together = pieces[i] + pieces[i + 1]
            if together in ranks and float(ranks[together]) < best:
                best, place = float(ranks[together]), i
        if place is None:
            return pieces
        pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
