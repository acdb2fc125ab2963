# Only a to z and 0 to 9 stay together in words; every letter of another script is a word of its own.
# points: 0
import re
import unicodedata


def repaired_wordpiece(text, vocab, max_letters=100):
    split = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in split if unicodedata.category(c) != "Mn")
    pieces = []
    for word in re.findall(r"[a-z0-9]+|\S", plain):
        found, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            end = len(word)
            while end > start and prefix + word[start:end] not in vocab:
                end -= 1
            if end == start or len(word) > max_letters:
                found = ["[UNK]"]
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found
    return pieces
