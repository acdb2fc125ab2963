# re.match, which does not look at the end of a piece
# points: 3

def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    import re
    data = b""
    for p in pieces:
        if p in special_tokens:
            if not skip_special_tokens: data += p.encode()
        elif re.match("<0x[0-9A-F]{2}>", p):
            data += bytes([int(p[3:5], 16)])
        else:
            data += p.replace("▁", " ").encode()
    t = data.decode("utf-8", errors="replace")
    return t[1:] if t[:1] == " " else t
