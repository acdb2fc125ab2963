# no errors argument, and int of anything between <0x and >
# points: 3

def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    data = b""
    for piece in pieces:
        if piece in special_tokens:
            if not skip_special_tokens:
                data += piece.encode()
        elif piece[:3] == "<0x" and piece[-1] == ">":
            data += bytes([int(piece[3:-1], 16)])
        else:
            data += piece.replace("▁", " ").encode()
    text = data.decode()
    if text and text[0] == " ":
        text = text[1:]
    return text
