# Two mistakes: all spaces at the beginning are stripped, and invalid bytes vanish.
# points: 3
def decode_pieces(
    pieces: list[str],
    special_tokens: list[str],
    skip_special_tokens: bool = False,
) -> str:
    data = b""
    for piece in pieces:
        if piece in special_tokens:
            data += b"" if skip_special_tokens else piece.encode()
        elif len(piece) == 6 and piece[:3] == "<0x" and piece[5] == ">" and all(
            c in "0123456789ABCDEF" for c in piece[3:5]
        ):
            data += bytes([int(piece[3:5], 16)])
        else:
            data += piece.replace("▁", " ").encode()
    return data.decode("utf-8", errors="ignore").lstrip()
