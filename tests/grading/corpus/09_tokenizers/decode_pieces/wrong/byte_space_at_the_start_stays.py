# a space that comes as the very first byte piece stays
# points: 3
import re


def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    text, waiting = "", b""
    for piece in pieces:
        special = piece in special_tokens
        if not special and re.fullmatch("<0x[0-9A-F]{2}>", piece):
            waiting += bytes([int(piece[3:5], 16)])
            continue
        text += waiting.decode("utf-8", errors="replace")
        waiting = b""
        if special:
            text += "" if skip_special_tokens else piece
        else:
            text += piece.replace("▁", " ")
    text += waiting.decode("utf-8", errors="replace")
    return text if pieces[:1] == ["<0x20>"] else text.removeprefix(" ")
