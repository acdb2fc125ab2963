# The sentinel 100000 hides larger ranks, and of several places of one rank the rightmost is merged.
# points: 3
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    pieces = list(word)
    while True:
        best, where = 100_000, -1
        for i in range(len(pieces) - 1):
            rank = ranks.get(pieces[i] + pieces[i + 1], 100_001)
            if rank <= best:
                best, where = rank, i
        if where < 0:
            return pieces
        pieces[where:where + 2] = ["".join(pieces[where:where + 2])]
