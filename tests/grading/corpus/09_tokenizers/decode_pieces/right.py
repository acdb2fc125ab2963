# %% flush_function | points 4 | an inner function that empties the buffer
import string

def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    specials = set(special_tokens)
    result, buffer = [], []

    def flush():
        nonlocal buffer
        if buffer:
            result.append(bytes(buffer).decode("utf-8", errors="replace"))
            buffer = []

    for piece in pieces:
        if piece in specials:
            flush()
            if not skip_special_tokens:
                result.append(piece)
        elif len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">") and all(c in string.digits + "ABCDEF" for c in piece[3:5]):
            buffer.append(int(piece[3:5], 16))
        else:
            flush()
            result.append(piece.replace("▁", " "))
    flush()
    text = "".join(result)
    if text[:1] == " ":
        text = text[1:]
    return text

# %% table_of_bytes | points 4 | a table of all 256 pieces
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
