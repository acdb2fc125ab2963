# Leaves the shortest match in, and looks up with get(), so that the piece with the id 0 is not found.
# points: 0

def repaired_wordpiece(text, vocab, max_letters=100):
    decomposed = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() else f" {c} " for c in plain)
    pieces = []
    for word in spaced.split():
        found, start = [], 0
        while start < len(word) <= max_letters:
            prefix = "##" if start else ""
            for end in range(start + 1, len(word) + 1):
                if vocab.get(prefix + word[start:end]):
                    break
            else:
                found = []
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces
