# replays the ranks in order, as if they were a list of merges
# points: 3

def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    tokens = list(word)
    for piece, _ in sorted(ranks.items(), key=lambda kv: kv[1]):
        new, i = [], 0
        while i < len(tokens):
            if i + 1 < len(tokens) and tokens[i] + tokens[i + 1] == piece:
                new.append(piece)
                i += 2
            else:
                new.append(tokens[i])
                i += 1
        tokens = new
    return tokens
