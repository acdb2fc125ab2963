# letters are counted in composed form
# points: 3
def repaired_wordpiece(text, vocab, max_letters=100):
    decomposed = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() else f" {c} " for c in plain)
    pieces = []
    for word in spaced.split():
        found, start = [], 0
        while start < len(word) and len(unicodedata.normalize("NFC", word)) <= max_letters:
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in vocab:
                    break
            else:
                found = []
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces
