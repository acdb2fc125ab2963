# %% angle_brackets_are_special | points 2 | Takes everything in angle brackets for a special token, without looking at the list.
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    data = bytearray()
    for piece in pieces:
        if len(piece) == 6 and piece[:3] == "<0x" and piece[-1] == ">" and set(piece[3:5]) <= set("0123456789ABCDEF"):
            data.append(int(piece[3:5], 16))
        elif piece.startswith("<") and piece.endswith(">"):
            if not skip_special_tokens:
                data += piece.encode("utf-8")
        else:
            data += piece.replace("▁", " ").encode("utf-8")
    text = bytes(data).decode("utf-8", errors="replace")
    return text[1:] if text[:1] == " " else text

# %% any_white_space_at_the_beginning | points 3 | Takes one character of white space of any kind off the beginning, a line break too.
import re


def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    parts, waiting = [], bytearray()

    def flush():
        parts.append(waiting.decode("utf-8", errors="replace"))
        waiting.clear()

    for piece in pieces:
        if re.fullmatch(r"<0x[0-9A-F]{2}>", piece):
            waiting.append(int(piece[3:5], 16))
            continue
        flush()
        if piece in special_tokens:
            if not skip_special_tokens:
                parts.append(piece)
        else:
            parts.append(piece.replace("\u2581", " "))
    flush()
    text = "".join(parts)
    if text[:1].isspace():
        text = text[1:]
    return text

# %% byte_space_at_the_start_stays | points 3 | a space that comes as the very first byte piece stays
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

# %% dollar_allows_newline | points 3 | The pattern ends in $, which also matches before a line break, so "<0x41>\n" is read as a byte.
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    import re

    is_byte = re.compile(r"^<0x([0-9A-F]{2})>$")
    data = b""
    for piece in pieces:
        if piece in special_tokens:
            if not skip_special_tokens:
                data += piece.encode("utf-8")
        elif m := is_byte.search(piece):
            data += bytes.fromhex(m[1])
        else:
            data += piece.replace("\u2581", "\x20").encode("utf-8")
    return data.decode("utf-8", errors="replace").removeprefix(" ")

# %% first_character_of_nothing | points 3 | looks at the first character although special tokens may leave nothing
import re


def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    if not pieces:
        return ""
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
    return text[1:] if text[0] == " " else text

# %% flush_forgotten | points 0 | the bytes at the end are lost
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    text = ""
    buffer = []
    for piece in pieces:
        if piece.startswith("<0x") and len(piece) == 6:
            try:
                buffer.append(int(piece[3:5], 16))
                continue
            except ValueError:
                pass
        if buffer:
            text += bytes(buffer).decode("utf-8", errors="replace")
            buffer = []
        if piece in special_tokens:
            if not skip_special_tokens:
                text += piece
            continue
        text += piece.replace("▁", " ")
    if text.startswith(" "):
        text = text[1:]
    return text

# %% flush_on_valid | points 3 | tries to decode as soon as it can, drops at other pieces
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

# %% hf_byte_fallback | points 3 | Copied from the ByteFallback decoder of Hugging Face: a run that isn't valid becomes one � for each byte.
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

# %% int_is_generous_and_space_after_special | points 2 | Whatever int reads as two hexadecimal digits is a byte (also small letters), and after a special token that stays a space is taken off, too.
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    data = b""
    after_special = True
    for piece in pieces:
        if piece in special_tokens:
            if not skip_special_tokens:
                data += piece.encode()
            after_special = True
            continue
        if len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
            try:
                data += bytes([int(piece[3:5], 16)])
                after_special = False
                continue
            except ValueError:
                pass
        if after_special:
            piece = piece.removeprefix("▁")
        after_special = False
        data += piece.replace("▁", " ").encode("utf-8")
    return data.decode("utf-8", errors="replace")

# %% joined_and_replaced | points 3 | joins first, then replaces in the text
import re
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    if skip_special_tokens:
        pieces = [p for p in pieces if p not in special_tokens]
    text = "".join(pieces).replace("▁", " ")
    text = re.sub(r"(?:<0x[0-9A-F]{2}>)+", lambda m: bytes(int(h, 16) for h in re.findall(r"0x(..)", m.group())).decode("utf-8", errors="replace"), text)
    return text.removeprefix(" ")

# %% latin | points 0 | chr of each byte
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

# %% lstrip_all | points 3 | lstrip, and a pattern with small letters
import re
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    buf = bytearray()
    for p in pieces:
        if p in special_tokens:
            if skip_special_tokens:
                continue
            buf.extend(p.encode("utf-8"))
        elif re.fullmatch(r"<0x[0-9A-Fa-f]{2}>", p):
            buf.append(int(p[3:5], 16))
        else:
            buf.extend(p.replace("▁", " ").encode("utf-8"))
    return buf.decode("utf-8", errors="replace").lstrip()

# %% match_only | points 3 | re.match, which does not look at the end of a piece
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    import re
    data = b""
    for p in pieces:
        if p in special_tokens:
            if not skip_special_tokens: data += p.encode()
        elif re.match("<0x[0-9A-F]{2}>", p):
            data += bytes([int(p[3:5], 16)])
        else:
            data += p.replace("▁", " ").encode()
    t = data.decode("utf-8", errors="replace")
    return t[1:] if t[:1] == " " else t

# %% regex_per_run | points 3 | each run separately but per byte for invalid
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    import re
    out, run = [], []
    def end():
        if run:
            b = bytes(run)
            try: out.append(b.decode("utf-8"))
            except UnicodeDecodeError: out.append("\ufffd" * len(b))
            run.clear()
    for p in pieces:
        if p in special_tokens:
            end()
            if not skip_special_tokens: out.append(p)
        elif re.fullmatch("<0x[0-9A-F][0-9A-F]>", p):
            run.append(int(p[3:5], 16))
        else:
            end()
            out.append(p.replace("▁", " "))
    end()
    return "".join(out).removeprefix(" ")

# %% search_any | points 3 | re.search, which finds a byte anywhere in a piece
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    import re
    data = b""
    for p in pieces:
        if p in special_tokens:
            if not skip_special_tokens: data += p.encode()
        elif re.search("<0x[0-9A-F]{2}>", p):
            data += bytes([int(p[3:5], 16)])
        else:
            data += p.replace("▁", " ").encode()
    t = data.decode("utf-8", errors="replace")
    return t[1:] if t[:1] == " " else t

# %% skip_backwards | points 3 | the flag is read the wrong way round
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    hexes = {f"<0x{i:02X}>": bytes([i]) for i in range(256)}
    out = b""
    for p in pieces:
        if p in special_tokens and not skip_special_tokens:
            continue
        out += hexes.get(p, p.replace("▁", " ").encode())
    return out.decode(errors="replace").removeprefix(" ")

# %% special_or_default | points 3 | `special_tokens or […]` turns an empty list into tokens of its own.
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

# %% strict_decode | points 3 | no errors argument, and int of anything between <0x and >
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    data = b""
    for piece in pieces:
        if piece in special_tokens:
            if not skip_special_tokens:
                data += piece.encode()
        elif piece[:3] == "<0x" and piece[-1] == ">":
            data += bytes([int(piece[3:-1], 16)])
        else:
            data += piece.replace("▁", " ").encode()
    text = data.decode()
    if text and text[0] == " ":
        text = text[1:]
    return text

# %% strip_first_piece | points 3 | strip in the first piece only
def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    import re
    data = b""
    for i, p in enumerate(pieces):
        if p in special_tokens:
            if not skip_special_tokens: data += p.encode()
        elif re.fullmatch("<0x[0-9A-F][0-9A-F]>", p):
            data += bytes([int(p[3:5], 16)])
        else:
            t = p.replace("▁", " ")
            if i == 0 and t.startswith(" "): t = t[1:]
            data += t.encode()
    return data.decode(errors="replace")

# %% strips_all_and_ignores | points 3 | Two mistakes: all spaces at the beginning are stripped, and invalid bytes vanish.
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
