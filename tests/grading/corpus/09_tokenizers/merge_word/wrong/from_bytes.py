# Begins with bytes as tiktoken does, so characters outside of ASCII fall apart or get lost.
# points: 3
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    """The pieces of a word, merged by the rank of what two pieces make."""
    pieces = [chr(byte) for byte in word.encode("utf-8")]
    while True:
        possible = [
            (ranks[left + right], place)
            for place, (left, right) in enumerate(pairwise(pieces))
            if left + right in ranks
        ]
        if not possible:
            return pieces
        _, place = min(possible)
        pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
