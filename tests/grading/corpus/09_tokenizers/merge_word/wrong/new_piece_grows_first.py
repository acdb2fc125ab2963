# After a merge, the new piece goes on merging with its neighbours before smaller ranks elsewhere are looked at.
# points: 0
def merge_word(word, ranks):
    pieces = list(word)
    while True:
        places = [i for i in range(len(pieces) - 1) if pieces[i] + pieces[i + 1] in ranks]
        if not places:
            return pieces
        i = min(places, key=lambda k: ranks[pieces[k] + pieces[k + 1]])
        while True:
            pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
            if i + 1 < len(pieces) and pieces[i] + pieces[i + 1] in ranks:
                continue
            if i > 0 and pieces[i - 1] + pieces[i] in ranks:
                i -= 1
                continue
            break
