# BERT's own test for punctuation (ASCII signs and the categories P…), so €, ™ or an emoji stay in the word.
# points: 3
def repaired_wordpiece(text, vocab, max_letters=100):
    text = unicodedata.normalize("NFD", text.lower())
    text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    text = "".join(" " + c + " " if (33 <= ord(c) <= 126 and not c.isalnum()) or unicodedata.category(c).startswith("P") else c for c in text)
    pieces = []
    for word in text.split():
        found, start = [], 0
        if len(word) > max_letters:
            pieces.append("[UNK]")
            continue
        while start < len(word):
            end = len(word)
            while end > start and ("##" * (start > 0) + word[start:end]) not in vocab:
                end -= 1
            if end == start:
                found = ["[UNK]"]
                break
            found.append("##" * (start > 0) + word[start:end])
            start = end
        pieces += found
    return pieces
