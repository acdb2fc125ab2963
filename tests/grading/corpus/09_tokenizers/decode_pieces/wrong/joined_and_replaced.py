# joins first, then replaces in the text
# points: 3

import re
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    if skip_special_tokens:
        pieces = [p for p in pieces if p not in special_tokens]
    text = "".join(pieces).replace("▁", " ")
    text = re.sub(r"(?:<0x[0-9A-F]{2}>)+", lambda m: bytes(int(h, 16) for h in re.findall(r"0x(..)", m.group())).decode("utf-8", errors="replace"), text)
    return text.removeprefix(" ")
