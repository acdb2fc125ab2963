# `special_tokens or […]` turns an empty list into tokens of its own.
# points: 3
def decode_pieces(
    pieces: list[str],
    special_tokens: list[str],
    skip_special_tokens: bool = False,
) -> str:
    """The text that pieces with byte fallback stand for."""
    special_tokens = special_tokens or ["<s>", "</s>"]
    text, run = [], bytearray()

    def flush():
        if run:
            text.append(run.decode("utf-8", "replace"))
            run.clear()

    byte_names = {f"<0x{number:02X}>": number for number in range(256)}
    for piece in pieces:
        if piece in special_tokens:
            flush()
            if not skip_special_tokens:
                text.append(piece)
        elif piece in byte_names:
            run.append(byte_names[piece])
        else:
            flush()
            text.append(" ".join(piece.split("▁")))
    flush()
    result = "".join(text)
    return result[1:] if result[:1] == " " else result
