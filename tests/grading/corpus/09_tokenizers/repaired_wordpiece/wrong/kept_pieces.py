# two bugs are left: accents, and the pieces before [UNK]
# points: 2

def repaired_wordpiece(text, vocab, max_letters=100):
    plain = unicodedata.normalize("NFC", text.lower())
    spaced = ""
    for c in plain:
        spaced += c if c.isalnum() else f" {c} " if unicodedata.category(c) != "Mn" else ""
    pieces = []
    for word in spaced.split():
        if len(word) > max_letters:
            pieces.append("[UNK]")
            continue
        start = 0
        while start < len(word):
            end = len(word)
            while end > start and ("##" * (start > 0) + word[start:end]) not in vocab:
                end -= 1
            if end == start:
                pieces.append("[UNK]")
                break
            pieces.append("##" * (start > 0) + word[start:end])
            start = end
    return pieces
