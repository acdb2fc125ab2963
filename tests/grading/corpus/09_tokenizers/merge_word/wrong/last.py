# the last place that can be merged, whatever its rank
# points: 0

def merge_word(word, ranks):
    parts = list(word)
    while True:
        c = [(ranks[a+b], i) for i,(a,b) in enumerate(zip(parts, parts[1:])) if a+b in ranks]
        if not c: return parts
        i = c[-1][1]
        parts[i:i+2] = [parts[i]+parts[i+1]]
