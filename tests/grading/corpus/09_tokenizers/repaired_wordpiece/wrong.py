# %% accents_left | points 3 | three bugs repaired, the normal form is not
def repaired_wordpiece(text, vocab, max_letters=100):
    composed = unicodedata.normalize("NFC", text.lower())
    plain = "".join(c for c in composed if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() else " " + c + " " for c in plain)
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

# %% ascii_encode | points 0 | accents are taken off by dropping all that is not ASCII
import re
def repaired_wordpiece(text, vocab, max_letters=100):
    text = unicodedata.normalize("NFD", text.lower())
    text = text.encode("ascii", "ignore").decode()
    out = []
    for word in "".join(c if c.isalnum() else f" {c} " for c in text).split():
        if len(word) > max_letters:
            out.append("[UNK]")
            continue
        sub, start = [], 0
        while start < len(word):
            end = len(word)
            while start < end:
                piece = ("##" if start > 0 else "") + word[start:end]
                if piece in vocab:
                    break
                end -= 1
            if start == end:
                sub = ["[UNK]"]
                break
            sub.append(piece)
            start = end
        out.extend(sub)
    return out

# %% ascii_punctuation | points 3 | Only the signs of ASCII become words; other signs such as “ vanish, as in the broken function.
def repaired_wordpiece(text, vocab, max_letters=100):
    signs = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    decomposed = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() else f" {c} " if c in signs else " " for c in plain)
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

# %% backtracking | points 0 | "Improved" by backtracking: if the longest beginning leads nowhere, a shorter one is tried.
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

# %% bert_punctuation | points 3 | BERT's own test for punctuation (ASCII signs and the categories P…), so €, ™ or an emoji stay in the word.
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

# %% casefold | points 3 | casefold instead of lower: ß becomes ss.
def repaired_wordpiece(text, vocab, max_letters=100):
    text = unicodedata.normalize("NFD", text.casefold())
    text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    text = "".join(c if c.isalnum() else " " + c + " " for c in text)
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

# %% combining | points 3 | accents are told by their combining class, which some characters of the category Mn lack
import re
def repaired_wordpiece(text, vocab, max_letters=100):
    text = unicodedata.normalize("NFD", text.lower())
    text = "".join(c for c in text if not unicodedata.combining(c))
    out = []
    for word in "".join(c if c.isalnum() else f" {c} " for c in text).split():
        if len(word) > max_letters:
            out.append("[UNK]")
            continue
        sub, start = [], 0
        while start < len(word):
            end = len(word)
            while start < end:
                piece = ("##" if start > 0 else "") + word[start:end]
                if piece in vocab:
                    break
                end -= 1
            if start == end:
                sub = ["[UNK]"]
                break
            sub.append(piece)
            start = end
        out.extend(sub)
    return out

# %% combining_class | points 3 | Takes off what has a combining class instead of the category Mn, so a variation selector after an emoji becomes a word.
def repaired_wordpiece(
    text: str,
    vocab: dict[str, int],
    max_letters: int = 100,
) -> list[str]:
    decomposed = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    spaced = "".join(c if c.isalnum() else f" {c} " for c in plain)
    pieces = []
    for word in spaced.split():
        found, start = [], 0
        while start < len(word) <= max_letters:
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in vocab:
                    break
            else:
                found = []
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces

# %% composed_again | points 3 | All four bugs repaired, but the text is composed again after the accents are off.
def repaired_wordpiece(text, vocab, max_letters=100):
    decomposed = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    plain = unicodedata.normalize("NFC", plain)
    spaced = "".join(c if c.isalnum() else f" {c} " for c in plain)
    pieces = []
    for word in spaced.split():
        found, start = [], 0
        while start < len(word) <= max_letters:
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in vocab:
                    break
            else:
                found = []
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces

# %% composed_limit | points 3 | letters are counted in composed form
def repaired_wordpiece(text, vocab, max_letters=100):
    decomposed = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() else f" {c} " for c in plain)
    pieces = []
    for word in spaced.split():
        found, start = [], 0
        while start < len(word) and len(unicodedata.normalize("NFC", word)) <= max_letters:
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in vocab:
                    break
            else:
                found = []
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces

# %% kept_pieces | points 2 | two bugs are left: accents, and the pieces before [UNK]
def repaired_wordpiece(text, vocab, max_letters=100):
    plain = unicodedata.normalize("NFC", text.lower())
    spaced = ""
    for c in plain:
        spaced += c if c.isalnum() else f" {c} " if unicodedata.category(c) != "Mn" else ""
    pieces = []
    for word in spaced.split():
        if len(word) > max_letters:
            pieces.append("[UNK]")
            continue
        start = 0
        while start < len(word):
            end = len(word)
            while end > start and ("##" * (start > 0) + word[start:end]) not in vocab:
                end -= 1
            if end == start:
                pieces.append("[UNK]")
                break
            pieces.append("##" * (start > 0) + word[start:end])
            start = end
    return pieces

# %% later_pieces_no_longer_than_first_ones | points 0 | Never tries a later piece that is longer than the longest first piece of the vocabulary.
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

# %% length_between_spaces | points 3 | max_letters is held against what stands between white space, punctuation and all.
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

# %% letter_unknown | points 0 | each letter that fits nothing is unknown
def repaired_wordpiece(text, vocab, max_letters=100):
    text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    words = "".join(c if c.isalnum() else f" {c} " for c in text).split()
    result = []
    for w in words:
        if len(w) > max_letters:
            result.append("[UNK]")
            continue
        i = 0
        while i < len(w):
            for j in range(len(w), i, -1):
                p = w[i:j] if i == 0 else "##" + w[i:j]
                if p in vocab:
                    result.append(p)
                    i = j
                    break
            else:
                result.append("[UNK]")
                i += 1
    return result

# %% lower_letter_by_letter | points 3 | Lowers each letter by itself, which makes a Greek capital sigma at the end of a word σ, not ς as text.lower() does.
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

# %% nfkd | points 3 | NFKD also changes other characters
def repaired_wordpiece(text, vocab, max_letters=100):
    d = unicodedata.normalize("NFKD", text.lower())
    plain = "".join(c for c in d if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() else f" {c} " for c in plain)
    pieces = []
    for word in spaced.split():
        found, start = [], 0
        while start < len(word) <= max_letters:
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in vocab:
                    break
            else:
                found = []
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces

# %% only_ascii_punctuation | points 3 | Only the punctuation of ASCII is set apart; "€", "…" and "“" stick to their words.
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

# %% only_punctuation_kept | points 3 | Keeps what Unicode calls punctuation as words and drops symbols such as + and €.
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

# %% only_the_end | points 1 | only the order of the ends is repaired
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

# %% punct_category | points 3 | only what Unicode calls punctuation is separated
import re
def repaired_wordpiece(text, vocab, max_letters=100):
    text = unicodedata.normalize("NFD", text.lower())
    text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    out = []
    for word in "".join(f" {c} " if unicodedata.category(c).startswith("P") else c for c in text).split():
        if len(word) > max_letters:
            out.append("[UNK]")
            continue
        sub, start = [], 0
        while start < len(word):
            end = len(word)
            while start < end:
                piece = ("##" if start > 0 else "") + word[start:end]
                if piece in vocab:
                    break
                end -= 1
            if start == end:
                sub = ["[UNK]"]
                break
            sub.append(piece)
            start = end
        out.extend(sub)
    return out

# %% regex_runs | points 0 | rewritten with a regular expression that joins punctuation
import re
def repaired_wordpiece(text, vocab, max_letters=100):
    text = unicodedata.normalize("NFD", text.lower())
    text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    out = []
    for word in re.findall(r"\w+|[^\w\s]+", text):
        if len(word) > max_letters:
            out.append("[UNK]")
            continue
        sub, start, bad = [], 0, False
        while start < len(word):
            end = len(word)
            cur = None
            while start < end:
                piece = word[start:end]
                if start > 0:
                    piece = "##" + piece
                if piece in vocab:
                    cur = piece
                    break
                end -= 1
            if cur is None:
                bad = True
                break
            sub.append(cur)
            start = end
        out.extend(["[UNK]"] if bad else sub)
    return out

# %% regex_w | points 3 | a regular expression for which an underscore is a letter
import re
def repaired_wordpiece(text, vocab, max_letters=100):
    text = unicodedata.normalize("NFD", text.lower())
    text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    out = []
    for word in re.findall(r"\w+|[^\w\s]", text):
        if len(word) > max_letters:
            out.append("[UNK]")
            continue
        sub, start = [], 0
        while start < len(word):
            end = len(word)
            while start < end:
                piece = ("##" if start > 0 else "") + word[start:end]
                if piece in vocab:
                    break
                end -= 1
            if start == end:
                sub = ["[UNK]"]
                break
            sub.append(piece)
            start = end
        out.extend(sub)
    return out

# %% shortest_and_id_zero | points 0 | Leaves the shortest match in, and looks up with get(), so that the piece with the id 0 is not found.
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

# %% strictly_shorter | points 3 | words of the greatest length are unknown, too
def repaired_wordpiece(text, vocab, max_letters=100):
    s = unicodedata.normalize("NFD", text.lower())
    s = "".join(ch for ch in s if unicodedata.category(ch) != "Mn")
    words, cur = [], ""
    for ch in s:
        if ch.isspace():
            if cur: words.append(cur)
            cur = ""
        elif ch.isalnum():
            cur += ch
        else:
            if cur: words.append(cur)
            words.append(ch)
            cur = ""
    if cur: words.append(cur)
    def cut(w):
        if len(w) >= max_letters:
            return ["[UNK]"]
        out, i = [], 0
        while i < len(w):
            for j in range(len(w), i, -1):
                p = ("##" if i else "") + w[i:j]
                if p in vocab:
                    out.append(p); i = j
                    break
            else:
                return ["[UNK]"]
        return out
    return [p for w in words for p in cut(w)]

# %% two_left | points 2 | shortest and unknown part left
def repaired_wordpiece(text, vocab, max_letters=100):
    composed = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in composed if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() else f" {c} " for c in plain)
    pieces = []
    for word in spaced.split():
        found, start = [], 0
        while start < len(word) <= max_letters:
            prefix = "##" if start else ""
            for end in range(start + 1, len(word) + 1):
                if prefix + word[start:end] in vocab:
                    break
            else:
                found.append("[UNK]")
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces

# %% unk_break_word | points 3 | appends UNK and loses flag; leftover keeps
def repaired_wordpiece(text, vocab, max_letters=100):
    d = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in d if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() else f" {c} " for c in plain)
    pieces = []
    for word in spaced.split(" "):
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
        if word:
            pieces += found or ["[UNK]"]
    return pieces

# %% words_of_latin_letters_only | points 0 | Only a to z and 0 to 9 stay together in words; every letter of another script is a word of its own.
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
