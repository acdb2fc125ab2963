# merges whatever it finds first from the left
# points: 0

def merge_word(word, ranks):
    pieces = list(word)
    i = 0
    while i < len(pieces) - 1:
        pair = pieces[i] + pieces[i + 1]
        if pair in ranks:
            pieces = pieces[:i] + [pair] + pieces[i + 2:]
            i = 0
        else:
            i += 1
    return pieces
