# Takes everything in angle brackets for a special token, without looking at the list.
# points: 2
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    data = bytearray()
    for piece in pieces:
        if len(piece) == 6 and piece[:3] == "<0x" and piece[-1] == ">" and set(piece[3:5]) <= set("0123456789ABCDEF"):
            data.append(int(piece[3:5], 16))
        elif piece.startswith("<") and piece.endswith(">"):
            if not skip_special_tokens:
                data += piece.encode("utf-8")
        else:
            data += piece.replace("▁", " ").encode("utf-8")
    text = bytes(data).decode("utf-8", errors="replace")
    return text[1:] if text[:1] == " " else text
