# The pattern ends in $, which also matches before a line break, so "<0x41>\n" is read as a byte.
# points: 3
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    import re

    is_byte = re.compile(r"^<0x([0-9A-F]{2})>$")
    data = b""
    for piece in pieces:
        if piece in special_tokens:
            if not skip_special_tokens:
                data += piece.encode("utf-8")
        elif m := is_byte.search(piece):
            data += bytes.fromhex(m[1])
        else:
            data += piece.replace("\u2581", "\x20").encode("utf-8")
    return data.decode("utf-8", errors="replace").removeprefix(" ")
