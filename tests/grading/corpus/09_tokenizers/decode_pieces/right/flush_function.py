# an inner function that empties the buffer
# points: 4

import string

def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    specials = set(special_tokens)
    result, buffer = [], []

    def flush():
        nonlocal buffer
        if buffer:
            result.append(bytes(buffer).decode("utf-8", errors="replace"))
            buffer = []

    for piece in pieces:
        if piece in specials:
            flush()
            if not skip_special_tokens:
                result.append(piece)
        elif len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">") and all(c in string.digits + "ABCDEF" for c in piece[3:5]):
            buffer.append(int(piece[3:5], 16))
        else:
            flush()
            result.append(piece.replace("▁", " "))
    flush()
    text = "".join(result)
    if text[:1] == " ":
        text = text[1:]
    return text
