# Gets the characters with the regular expression ".", which leaves out line breaks.
# points: 3
import re


def merge_word(word, ranks):
    pieces = re.findall(".", word)
    while True:
        places = [
            (ranks[l + r], i) for i, (l, r) in enumerate(zip(pieces, pieces[1:])) if l + r in ranks
        ]
        if not places:
            return pieces
        _, i = min(places)
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
