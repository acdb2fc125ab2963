# Keeps what Unicode calls punctuation as words and drops symbols such as + and €.
# points: 3
import unicodedata


def repaired_wordpiece(text, vocab, max_letters=100):
    apart = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in apart if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() else f" {c} " if unicodedata.category(c)[0] == "P" else " " for c in plain)
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
