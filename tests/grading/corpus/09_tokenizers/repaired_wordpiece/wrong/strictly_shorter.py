# words of the greatest length are unknown, too
# points: 3

def repaired_wordpiece(text, vocab, max_letters=100):
    s = unicodedata.normalize("NFD", text.lower())
    s = "".join(ch for ch in s if unicodedata.category(ch) != "Mn")
    words, cur = [], ""
    for ch in s:
        if ch.isspace():
            if cur: words.append(cur)
            cur = ""
        elif ch.isalnum():
            cur += ch
        else:
            if cur: words.append(cur)
            words.append(ch)
            cur = ""
    if cur: words.append(cur)
    def cut(w):
        if len(w) >= max_letters:
            return ["[UNK]"]
        out, i = [], 0
        while i < len(w):
            for j in range(len(w), i, -1):
                p = ("##" if i else "") + w[i:j]
                if p in vocab:
                    out.append(p); i = j
                    break
            else:
                return ["[UNK]"]
        return out
    return [p for w in words for p in cut(w)]
