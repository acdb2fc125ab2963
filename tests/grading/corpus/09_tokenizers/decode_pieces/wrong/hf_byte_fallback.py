# Copied from the ByteFallback decoder of Hugging Face: a run that isn't valid becomes one � for each byte.
# points: 3
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    import re

    text, run = "", b""

    def flush():
        nonlocal text, run
        try:
            text += run.decode("utf-8")
        except UnicodeDecodeError:
            text += "\ufffd" * len(run)
        run = b""

    for piece in pieces:
        if re.fullmatch("<0x[0-9A-F]{2}>", piece):
            run += bytes.fromhex(piece[3:5])
            continue
        flush()
        if piece in special_tokens:
            text += "" if skip_special_tokens else piece
        else:
            text += piece.replace("\u2581", " ")
    flush()
    return text.removeprefix(" ")
