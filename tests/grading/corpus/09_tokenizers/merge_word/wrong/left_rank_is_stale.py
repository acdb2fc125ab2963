# Keeps the ranks in a list, as tiktoken does, but renews only the right one after a merge.
# points: 0
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    """The pieces of a word, merged by the rank of what two pieces make."""
    nothing = float("inf")
    pieces = list(word)
    rank_of = [ranks.get(a + b, nothing) for a, b in pairwise(pieces)]
    while rank_of and min(rank_of) < nothing:
        i = rank_of.index(min(rank_of))
        pieces[i] += pieces.pop(i + 1)
        rank_of.pop(i)
        if i < len(rank_of):
            rank_of[i] = ranks.get(pieces[i] + pieces[i + 1], nothing)
    return pieces
