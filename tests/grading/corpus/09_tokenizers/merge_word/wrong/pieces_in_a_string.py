# Keeps the pieces in one string with spaces between them: a word with spaces falls apart.
# points: 3
def merge_word(word, ranks):
    text = " ".join(word)
    while True:
        pieces = text.split(" ")
        pairs = [(ranks[a + b], n) for n, (a, b) in enumerate(zip(pieces, pieces[1:])) if a + b in ranks]
        if not pairs:
            return pieces if word else []
        _, n = min(pairs)
        text = " ".join(pieces[:n] + [pieces[n] + pieces[n + 1]] + pieces[n + 2 :])
