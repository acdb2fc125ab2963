# shortest and unknown part left
# points: 2

def repaired_wordpiece(text, vocab, max_letters=100):
    composed = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in composed if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() else f" {c} " for c in plain)
    pieces = []
    for word in spaced.split():
        found, start = [], 0
        while start < len(word) <= max_letters:
            prefix = "##" if start else ""
            for end in range(start + 1, len(word) + 1):
                if prefix + word[start:end] in vocab:
                    break
            else:
                found.append("[UNK]")
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces
