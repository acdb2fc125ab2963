# max_letters is held against what stands between white space, punctuation and all.
# points: 3
def repaired_wordpiece(
    text: str,
    vocab: dict[str, int],
    max_letters: int = 100,
) -> list[str]:
    """The pieces of a text, cut as BERT's tokenizer does."""
    text = unicodedata.normalize("NFD", text.lower())
    text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    pieces = []
    for chunk in text.split():
        if len(chunk) > max_letters:
            pieces.append("[UNK]")
            continue
        for word in "".join(c if c.isalnum() else f" {c} " for c in chunk).split():
            found, start = [], 0
            while start < len(word):
                prefix = "##" if start > 0 else ""
                end = next(
                    (e for e in range(len(word), start, -1) if prefix + word[start:e] in vocab),
                    None,
                )
                if end is None:
                    found = ["[UNK]"]
                    break
                found.append(prefix + word[start:end])
                start = end
            pieces += found
    return pieces
