# GPT-2's loop: the best pair is merged at all its places
# points: 3

def get_pairs(word):
    return set(zip(word[:-1], word[1:]))

def merge_word(word, ranks):
    word = tuple(word)
    pairs = get_pairs(word)
    while pairs:
        bigram = min(pairs, key=lambda p: ranks.get(p[0] + p[1], float("inf")))
        if bigram[0] + bigram[1] not in ranks:
            break
        first, second = bigram
        new_word = []
        i = 0
        while i < len(word):
            if i < len(word) - 1 and word[i] == first and word[i + 1] == second:
                new_word.append(first + second)
                i += 2
            else:
                new_word.append(word[i])
                i += 1
        word = tuple(new_word)
        pairs = get_pairs(word)
    return list(word)
