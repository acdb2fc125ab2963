# tries to decode as soon as it can, drops at other pieces
# points: 3

def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    out, buf = "", b""
    for p in pieces:
        if p in special_tokens:
            if not skip_special_tokens: out += p
        elif len(p) == 6 and p[:3] == "<0x":
            try:
                buf += bytes([int(p[3:5], 16)])
            except ValueError:
                out += p
                continue
            try:
                out += buf.decode()
                buf = b""
            except UnicodeDecodeError:
                pass
        else:
            buf = b""
            out += p.replace("▁", " ")
    return out[1:] if out[:1] == " " else out
