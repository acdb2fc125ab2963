# a word of white space alone is taken for empty
# points: 3
def merge_word(word, ranks):
    if not word.strip():
        return []
    pieces = list(word)
    while True:
        together = [left + right for left, right in pairwise(pieces)]
        possible = [(ranks[made], place) for place, made in enumerate(together) if made in ranks]
        if not possible:
            break
        _rank, place = min(possible)
        pieces[place : place + 2] = [together[place]]
    return pieces
