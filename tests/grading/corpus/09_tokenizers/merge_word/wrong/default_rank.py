# missing rank counts as the length of ranks
# points: 0

def merge_word(word, ranks):
    parts = list(word)
    while len(parts) > 1:
        i = min(range(len(parts) - 1), key=lambda i: ranks.get(parts[i] + parts[i + 1], len(ranks)))
        if parts[i] + parts[i + 1] not in ranks:
            break
        parts[i:i+2] = [parts[i] + parts[i + 1]]
    return parts
