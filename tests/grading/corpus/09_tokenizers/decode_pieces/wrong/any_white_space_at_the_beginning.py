# Takes one character of white space of any kind off the beginning, a line break too.
# points: 3
import re


def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    parts, waiting = [], bytearray()

    def flush():
        parts.append(waiting.decode("utf-8", errors="replace"))
        waiting.clear()

    for piece in pieces:
        if re.fullmatch(r"<0x[0-9A-F]{2}>", piece):
            waiting.append(int(piece[3:5], 16))
            continue
        flush()
        if piece in special_tokens:
            if not skip_special_tokens:
                parts.append(piece)
        else:
            parts.append(piece.replace("\u2581", " "))
    flush()
    text = "".join(parts)
    if text[:1].isspace():
        text = text[1:]
    return text
