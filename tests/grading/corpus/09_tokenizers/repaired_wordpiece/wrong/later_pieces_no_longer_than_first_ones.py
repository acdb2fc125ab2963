# Never tries a later piece that is longer than the longest first piece of the vocabulary.
# points: 0
import unicodedata


def repaired_wordpiece(text, vocab, max_letters=100):
    apart = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in apart if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() or c.isspace() else f" {c} " for c in plain)
    pieces = []
    longest = max((len(piece) for piece in vocab if piece[:2] != "##"), default=0)
    for word in spaced.split():
        found, start = [], 0
        while start < len(word) <= max_letters:
            prefix = "##" if start else ""
            for end in range(min(len(word), start + longest), start, -1):
                if prefix + word[start:end] in vocab:
                    break
            else:
                found = ["[UNK]"]
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces
