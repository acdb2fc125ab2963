# a rank is taken out once it was used
# points: 2

def merge_word(word, ranks):
    parts = list(word)
    while True:
        c = [(ranks[a+b], i) for i,(a,b) in enumerate(zip(parts, parts[1:])) if a+b in ranks]
        if not c: return parts
        i = min(c)[1]
        ranks = {k: v for k, v in ranks.items() if k != parts[i]+parts[i+1]}
        parts[i:i+2] = [parts[i]+parts[i+1]]
