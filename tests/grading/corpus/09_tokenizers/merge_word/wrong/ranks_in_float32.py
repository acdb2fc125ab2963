# Compares the ranks as float32, so large ranks that lie close together count as equal and the leftmost wins.
# points: 3
import math

import torch


def merge_word(word, ranks):
    pieces = list(word)
    while len(pieces) > 1:
        table = torch.tensor(
            [float(ranks.get(l + r, math.inf)) for l, r in zip(pieces, pieces[1:])],
            dtype=torch.float32,
        )
        best = int(table.argmin())
        if table[best] == math.inf:
            break
        pieces[best : best + 2] = [pieces[best] + pieces[best + 1]]
    return pieces
