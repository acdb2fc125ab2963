# a table of all 256 pieces
# points: 4

HEX = {f"<0x{i:02X}>": bytes([i]) for i in range(256)}

def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    chunks = []
    for p in pieces:
        if p in special_tokens:
            chunks.append(b"" if skip_special_tokens else p.encode())
        else:
            chunks.append(HEX.get(p) or p.replace("▁", " ").encode())
    text = b"".join(chunks).decode("utf8", "replace")
    return text[text.startswith(" "):]
