# the flag is read the wrong way round
# points: 3

def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    hexes = {f"<0x{i:02X}>": bytes([i]) for i in range(256)}
    out = b""
    for p in pieces:
        if p in special_tokens and not skip_special_tokens:
            continue
        out += hexes.get(p, p.replace("▁", " ").encode())
    return out.decode(errors="replace").removeprefix(" ")
