# strip in the first piece only
# points: 3

def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    import re
    data = b""
    for i, p in enumerate(pieces):
        if p in special_tokens:
            if not skip_special_tokens: data += p.encode()
        elif re.fullmatch("<0x[0-9A-F][0-9A-F]>", p):
            data += bytes([int(p[3:5], 16)])
        else:
            t = p.replace("▁", " ")
            if i == 0 and t.startswith(" "): t = t[1:]
            data += t.encode()
    return data.decode(errors="replace")
