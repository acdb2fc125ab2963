# "Improved" by backtracking: if the longest beginning leads nowhere, a shorter one is tried.
# points: 0
def repaired_wordpiece(text, vocab, max_letters=100):
    def cut(rest, prefix=""):
        if not rest:
            return []
        for end in range(len(rest), 0, -1):
            if prefix + rest[:end] in vocab:
                tail = cut(rest[end:], "##")
                if tail is not None:
                    return [prefix + rest[:end], *tail]
        return None

    text = unicodedata.normalize("NFD", text.lower())
    text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    text = "".join(c if c.isalnum() else f" {c} " for c in text)
    pieces = []
    for word in text.split():
        found = cut(word) if len(word) <= max_letters else None
        pieces += ["[UNK]"] if found is None else found
    return pieces
