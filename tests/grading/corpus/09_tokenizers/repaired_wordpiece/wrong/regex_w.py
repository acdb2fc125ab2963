# a regular expression for which an underscore is a letter
# points: 3

import re
def repaired_wordpiece(text, vocab, max_letters=100):
    text = unicodedata.normalize("NFD", text.lower())
    text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    out = []
    for word in re.findall(r"\w+|[^\w\s]", text):
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
