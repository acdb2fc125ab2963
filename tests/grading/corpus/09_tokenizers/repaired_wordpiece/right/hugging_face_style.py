# as the slow tokenizer has it
# points: 4

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
