# Lowers each letter by itself, which makes a Greek capital sigma at the end of a word σ, not ς as text.lower() does.
# points: 3
import unicodedata


def repaired_wordpiece(text, vocab, max_letters=100):
    split = unicodedata.normalize("NFD", "".join(c.lower() for c in text))
    plain = "".join(c for c in split if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() or c.isspace() else f" {c} " for c in plain)
    pieces = []
    for word in spaced.split():
        found, start = [], 0
        while start < len(word) <= max_letters:
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in vocab:
                    break
            else:
                found = ["[UNK]"]
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces
