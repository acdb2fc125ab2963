# goes through the dictionary in its own order
# points: 0

def merge_word(word, ranks):
    pieces = list(word)
    changed = True
    while changed:
        changed = False
        for piece in ranks:
            for i in range(len(pieces) - 1):
                if pieces[i] + pieces[i + 1] == piece:
                    pieces[i:i + 2] = [piece]
                    changed = True
                    break
            if changed:
                break
    return pieces
