# smaller or equal: the rightmost place wins
# points: 3

def merge_word(word, ranks):
    parts = list(word)
    while True:
        best = (10**9, None)
        for i in range(len(parts) - 1):
            r = ranks.get(parts[i] + parts[i + 1], 10**9)
            if r <= best[0] and r < 10**9:
                best = (r, i)
        if best[1] is None:
            return parts
        i = best[1]
        parts = parts[:i] + [parts[i] + parts[i + 1]] + parts[i + 2:]
