# no test for an end: min of nothing raises an error
# points: 0

def merge_word(word, ranks):
    pieces = list(word)
    while len(pieces) > 1:
        i = min((i for i in range(len(pieces) - 1) if pieces[i] + pieces[i + 1] in ranks), key=lambda i: ranks[pieces[i] + pieces[i + 1]])
        pieces[i:i + 2] = [pieces[i] + pieces[i + 1]]
    return pieces
