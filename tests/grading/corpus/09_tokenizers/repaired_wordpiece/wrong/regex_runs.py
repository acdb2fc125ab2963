# rewritten with a regular expression that joins punctuation
# points: 0

import re
def repaired_wordpiece(text, vocab, max_letters=100):
    text = unicodedata.normalize("NFD", text.lower())
    text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    out = []
    for word in re.findall(r"\w+|[^\w\s]+", text):
        if len(word) > max_letters:
            out.append("[UNK]")
            continue
        sub, start, bad = [], 0, False
        while start < len(word):
            end = len(word)
            cur = None
            while start < end:
                piece = word[start:end]
                if start > 0:
                    piece = "##" + piece
                if piece in vocab:
                    cur = piece
                    break
                end -= 1
            if cur is None:
                bad = True
                break
            sub.append(cur)
            start = end
        out.extend(["[UNK]"] if bad else sub)
    return out
