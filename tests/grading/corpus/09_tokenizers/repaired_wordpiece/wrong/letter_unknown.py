# each letter that fits nothing is unknown
# points: 0

def repaired_wordpiece(text, vocab, max_letters=100):
    text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    words = "".join(c if c.isalnum() else f" {c} " for c in text).split()
    result = []
    for w in words:
        if len(w) > max_letters:
            result.append("[UNK]")
            continue
        i = 0
        while i < len(w):
            for j in range(len(w), i, -1):
                p = w[i:j] if i == 0 else "##" + w[i:j]
                if p in vocab:
                    result.append(p)
                    i = j
                    break
            else:
                result.append("[UNK]")
                i += 1
    return result
