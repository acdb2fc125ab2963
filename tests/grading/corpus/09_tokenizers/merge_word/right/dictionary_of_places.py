# dict of positions
# points: 4

def merge_word(word, ranks):
    parts = [[c] for c in word]
    while True:
        cands = {}
        for i in range(len(parts) - 1):
            s = "".join(parts[i] + parts[i + 1])
            if s in ranks:
                cands.setdefault(ranks[s], i)
        if not cands:
            return ["".join(p) for p in parts]
        i = cands[min(cands)]
        parts[i] = parts[i] + parts[i + 1]
        del parts[i + 1]
