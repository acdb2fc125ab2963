# Whatever int reads as two hexadecimal digits is a byte (also small letters), and after a special token that stays a space is taken off, too.
# points: 2
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    data = b""
    after_special = True
    for piece in pieces:
        if piece in special_tokens:
            if not skip_special_tokens:
                data += piece.encode()
            after_special = True
            continue
        if len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
            try:
                data += bytes([int(piece[3:5], 16)])
                after_special = False
                continue
            except ValueError:
                pass
        if after_special:
            piece = piece.removeprefix("▁")
        after_special = False
        data += piece.replace("▁", " ").encode("utf-8")
    return data.decode("utf-8", errors="replace")
