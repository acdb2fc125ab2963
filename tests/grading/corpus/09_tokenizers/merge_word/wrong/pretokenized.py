# Splits at white space first, as GPT tokenizers do, so spaces are lost and never merged.
# points: 3
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    result = []
    for part in word.split():
        pieces = list(part)
        while True:
            best = None
            for i in range(len(pieces) - 1):
                rank = ranks.get(pieces[i] + pieces[i + 1])
                if rank is not None and (best is None or rank < best[0]):
                    best = (rank, i)
            if best is None:
                break
            i = best[1]
            pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
        result += pieces
    return result
