# lstrip, and a pattern with small letters
# points: 3

import re
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    buf = bytearray()
    for p in pieces:
        if p in special_tokens:
            if skip_special_tokens:
                continue
            buf.extend(p.encode("utf-8"))
        elif re.fullmatch(r"<0x[0-9A-Fa-f]{2}>", p):
            buf.append(int(p[3:5], 16))
        else:
            buf.extend(p.replace("▁", " ").encode("utf-8"))
    return buf.decode("utf-8", errors="replace").lstrip()
