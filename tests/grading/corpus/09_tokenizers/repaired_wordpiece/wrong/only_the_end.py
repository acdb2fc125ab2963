# only the order of the ends is repaired
# points: 1

def repaired_wordpiece(text, vocab, max_letters=100):
    composed = unicodedata.normalize("NFC", text.lower())
    plain = "".join(c for c in composed if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() else " " for c in plain)
    pieces = []
    for word in spaced.split():
        found, start = [], 0
        while start < len(word) <= max_letters:
            prefix = "##" if start else ""
            for end in reversed(range(start + 1, len(word) + 1)):
                if prefix + word[start:end] in vocab:
                    break
            else:
                found.append("[UNK]")
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces
