# the bytes at the end are lost
# points: 0

def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    text = ""
    buffer = []
    for piece in pieces:
        if piece.startswith("<0x") and len(piece) == 6:
            try:
                buffer.append(int(piece[3:5], 16))
                continue
            except ValueError:
                pass
        if buffer:
            text += bytes(buffer).decode("utf-8", errors="replace")
            buffer = []
        if piece in special_tokens:
            if not skip_special_tokens:
                text += piece
            continue
        text += piece.replace("▁", " ")
    if text.startswith(" "):
        text = text[1:]
    return text
