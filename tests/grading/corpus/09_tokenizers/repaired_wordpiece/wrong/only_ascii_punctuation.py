# Only the punctuation of ASCII is set apart; "€", "…" and "“" stick to their words.
# points: 3
def repaired_wordpiece(
    text: str,
    vocab: dict[str, int],
    max_letters: int = 100,
) -> list[str]:
    """The pieces of a text, cut as BERT's tokenizer does."""
    import string

    decomposed = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    for sign in string.punctuation:
        plain = plain.replace(sign, f" {sign} ")
    pieces = []
    for word in plain.split():
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
