# accents are told by their combining class, which some characters of the category Mn lack
# points: 3

import re
def repaired_wordpiece(text, vocab, max_letters=100):
    text = unicodedata.normalize("NFD", text.lower())
    text = "".join(c for c in text if not unicodedata.combining(c))
    out = []
    for word in "".join(c if c.isalnum() else f" {c} " for c in text).split():
        if len(word) > max_letters:
            out.append("[UNK]")
            continue
        sub, start = [], 0
        while start < len(word):
            end = len(word)
            while start < end:
                piece = ("##" if start > 0 else "") + word[start:end]
                if piece in vocab:
                    break
                end -= 1
            if start == end:
                sub = ["[UNK]"]
                break
            sub.append(piece)
            start = end
        out.extend(sub)
    return out
