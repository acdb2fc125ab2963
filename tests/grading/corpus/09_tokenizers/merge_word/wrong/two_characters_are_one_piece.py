# a word of two characters is returned as one piece without a look at its rank
# points: 3
def merge_word(word, ranks):
    if len(word) <= 2:
        return [word] if word else []
    pieces = list(word)
    while True:
        together = [left + right for left, right in pairwise(pieces)]
        possible = [(ranks[made], place) for place, made in enumerate(together) if made in ranks]
        if not possible:
            break
        _rank, place = min(possible)
        pieces[place : place + 2] = [together[place]]
    return pieces
