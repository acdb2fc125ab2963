# %% four_lines_changed | points 4 | the released code with four small repairs
def repaired_wordpiece(text, vocab, max_letters=100):
    composed = unicodedata.normalize("NFKD" if text is None else "NFD", text.lower())
    plain = "".join(c for c in composed if unicodedata.category(c) != "Mn")
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
                found = ["[UNK]"]
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces

# %% hugging_face_style | points 4 | as the slow tokenizer has it
def repaired_wordpiece(text, vocab, max_letters=100):
    output = []
    chars = [c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn"]
    words = [[]]
    for c in chars:
        if c.isspace():
            words.append([])
        elif not c.isalnum():
            words.append([c])
            words.append([])
        else:
            words[-1].append(c)
    for token in ("".join(w) for w in words if w):
        if len(token) > max_letters:
            output.append("[UNK]")
            continue
        is_bad, start, sub_tokens = False, 0, []
        while start < len(token):
            end, cur_substr = len(token), None
            while start < end:
                substr = token[start:end]
                if start > 0:
                    substr = "##" + substr
                if substr in vocab:
                    cur_substr = substr
                    break
                end -= 1
            if cur_substr is None:
                is_bad = True
                break
            sub_tokens.append(cur_substr)
            start = end
        output.extend(["[UNK]"] if is_bad else sub_tokens)
    return output

# %% lower_after | points 4 | lower case after the accents are gone
import re
def repaired_wordpiece(text, vocab, max_letters=100):
    text = unicodedata.normalize("NFD", text)
    text = "".join(c for c in text if unicodedata.category(c) != "Mn").lower()
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
