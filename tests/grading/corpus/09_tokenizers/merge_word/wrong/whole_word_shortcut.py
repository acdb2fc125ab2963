# tiktoken's shortcut: a word that is itself in ranks comes back whole, even where the merges do not lead to it.
# points: 0
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    if word in ranks:
        return [word]
    pieces = list(word)
    while True:
        possible = [
            (ranks[a + b], i) for i, (a, b) in enumerate(pairwise(pieces)) if a + b in ranks
        ]
        if not possible:
            return pieces
        i = min(possible)[1]
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
