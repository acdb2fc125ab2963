# The smallest rank starts at 100000, so larger ranks are never merged.
# points: 3
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    parts = [c for c in word]
    while len(parts) > 1:
        smallest = 100_000
        place = -1
        for i in range(len(parts) - 1):
            r = ranks.get(parts[i] + parts[i + 1], 100_000)
            if r < smallest:
                smallest = r
                place = i
        if place == -1:
            break
        parts = parts[:place] + [parts[place] + parts[place + 1]] + parts[place + 2 :]
    return parts
