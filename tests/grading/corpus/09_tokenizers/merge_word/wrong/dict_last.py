# the place of a rank is overwritten by the next
# points: 3

def merge_word(word, ranks):
    parts = list(word)
    while True:
        cands = {}
        for i in range(len(parts) - 1):
            s = parts[i] + parts[i + 1]
            if s in ranks:
                cands[ranks[s]] = i
        if not cands:
            return parts
        i = cands[min(cands)]
        parts[i:i+2] = [parts[i] + parts[i + 1]]
