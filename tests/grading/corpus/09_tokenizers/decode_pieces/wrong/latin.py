# chr of each byte
# points: 0

def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    out = ""
    for p in pieces:
        if p in special_tokens:
            if not skip_special_tokens:
                out += p
        elif len(p) == 6 and p.startswith("<0x") and p.endswith(">"):
            out += chr(int(p[3:5], 16))
        else:
            out += p.replace("\u2581", " ")
    return out[1:] if out.startswith(" ") else out
