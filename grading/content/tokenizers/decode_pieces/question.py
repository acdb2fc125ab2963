"""Back to text: pieces with byte fallback, as Llama 2 has them."""

from __future__ import annotations

import codecs
import re
from itertools import groupby

import torch

from grading.content.drawing import draw_integer, one_of
from grading.content.tokenizers import harnesses
from grading.content.tokenizers.sections import BYTES
from grading.content.tokenizers.shared import draw_letters, draw_word
from grading.exercise import Case, Part, Question


def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    """The text that pieces with byte fallback stand for."""
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
    return text.removeprefix(" ")


def _bytes(character: str) -> list[str]:
    """The pieces of a character that a vocabulary lacks."""
    return _codes(*character.encode())


def _codes(*numbers: int) -> list[str]:
    return [f"<0x{number:02X}>" for number in numbers]


def _pieces(generator: torch.Generator, text: str) -> list[str]:
    """Cut a text at random; what is not ASCII becomes bytes. A space comes before it."""
    found: list[str] = []
    for space, word in re.findall(r"( *)([^ ]+)", f" {text}"):
        plain = ""
        for character in word:
            if character.isascii():
                plain += character
                continue
            found += [plain] * bool(plain) + _bytes(character)
            plain = ""
            if space:  # it stands before the word, whatever the word begins with
                place = len(found) - len(_bytes(character))
                found.insert(place, "▁" * len(space))
                space = ""
        if plain:
            cut = draw_integer(generator, 1, len(plain))
            found += [piece for piece in ("▁" * len(space) + plain[:cut], plain[cut:]) if piece]
    return found


_TWO, _THREE, _FOUR = "äßéжΩ", "€日क–", "🙂🚀𝄞"  # by their bytes


def _decode_cases(generator: torch.Generator) -> list[Case]:
    letters = draw_letters(generator, 8, "adeilmnortu")  # no piece is a part of a special token

    def word():
        return draw_word(generator, letters, 3, 6)

    def cut(text):
        return _pieces(generator, text)

    special = ["<s>", "</s>", "[INST]", "[/INST]"]
    begin, end, opening, closing = special
    two, three, four = (one_of(generator, *some) for some in (_TWO, _THREE, _FOUR))

    def case(title, part, pieces, skip=False, **options):
        names = ("pieces", "special_tokens", "skip_special_tokens")
        values = (pieces, special) if skip is None else (pieces, special, skip)
        arguments = tuple(zip(names, values, strict=False))
        return Case(title, part, arguments, harness=harnesses.in_full, **options)

    def called_again():
        one, other, third = ([f"▁{word()}", *_bytes(c), word()] for c in ("ü", "ñ", "д"))
        again = ((other, special, False), (third[:1], special, True))
        return case("called again, other pieces", "core", one, again=again)

    def called_with_others():
        pieces = [begin, f"▁{word()}", opening]
        again = ((pieces, special, True), (pieces, [begin], True), ([begin, end], special, True))
        title = "called again, the same pieces, other special tokens"
        return case(title, "special", pieces, again=again)

    first, last = _bytes(three), _bytes(four)
    halves = [f"▁{word()}", *last[:2], word()], [first[-1], f"▁{word()}", *first[:2]]
    return [
        case("words", "core", cut(f"{word()} {word()} {word()}")),
        case("from the middle of a word on", "core", [word(), f"▁{word()}", word()]),
        case("a character of three bytes", "core", cut(f"{word()} {three}{word()}")),
        case("characters side by side", "core", cut(f"{word()} {four}{two}{three}{word()}")),
        case("bytes at the end", "core", cut(f"{word()} {word()}{two}")),
        case("bytes twice", "core", cut(f"{two}{word()} {word()}{three} {word()}")),
        case(
            "several spaces in a piece",
            "core",
            [f"▁{word()}", f"▁▁▁{word()}", f"{word()}▁{word()}", "▁▁", word()],
        ),
        case(
            "pieces outside ASCII, beside bytes",
            "core",
            [f"▁ü{word()}ñ", *_bytes(four), "日本", *_bytes(two), f"🙂▁{word()}é"],
        ),
        called_again(),
        Case(
            "no special tokens at all, the byte of a space at the beginning",
            "special",
            (
                ("pieces", ["<0x20>", word(), "▁", *_bytes(two)]),
                ("special_tokens", []),
                ("skip_special_tokens", True),
            ),
            harness=harnesses.in_full,
        ),
        case("special tokens are kept", "special", [begin, *cut(f"{word()} {word()}"), end]),
        case(
            "special tokens are left out",
            "special",
            [begin, *cut(f"{word()} {three}{word()}"), end],
            True,
        ),
        case(
            "a special token is left out, the byte of a space follows",
            "special",
            [begin, "<0x20>", word(), f"▁{word()}"],
            True,
        ),
        case("the last argument is left out", "special", [begin, *cut(word()), end], None),
        *(
            case(
                f"special tokens between texts, {title}",
                "special",
                [opening, *cut(f"{word()} {two}"), closing, end, begin, *cut(word()), end],
                skip,
            )
            for title, skip in (("kept", False), ("left out", True))
        ),
        called_with_others(),
        case("the beginning of a character", "odd", halves[0]),
        case("a character is cut at both ends", "odd", halves[1]),
        case(
            "bytes that are no character",
            "odd",
            [
                *(f"▁{word()}", *_bytes(two), "<0xFF>", *_bytes(three), "<0x41>", "<0x00>"),
                *_codes(0xC0, 0xAF, 0x42, 0xF4, 0x90, 0x80, 0x80, 0x43),
                first[0],
            ],
        ),
        case(
            "bytes that UTF-8 has no place for",
            "odd",
            ["▁", *_bytes(three), *_codes(0x41, 0xED, 0xA0, 0x80, 0x42)],
        ),
        case("a text begins with two spaces", "odd", [f"▁▁{word()}", f"▁{word()}"]),
        case("nothing but a space", "odd", ["▁"]),
        case("a text ends with a space and a new line", "odd", [f"▁{word()}", "▁", "<0x0A>"]),
        case("a text begins with a new line", "odd", ["<0x0A>", word(), f"▁{word()}"]),
        case(
            "text that reads like a special token",
            "odd",
            [f"▁{word()}", end[:2], end[2:], f"▁{end}", f"{word()}{end}", f"{end}{word()}", "</S>"],
            True,
        ),
        Case(
            "text that reads like a special token, and no special tokens at all",
            "odd",
            (
                ("pieces", [f"▁{word()}", end, opening]),
                ("special_tokens", []),
                ("skip_special_tokens", True),
            ),
            harness=harnesses.in_full,
        ),
        case("text in angle brackets", "odd", [f"▁{word()}", "<b>", word(), "</b>"], True),
        case(
            "text that reads like a byte",
            "odd",
            [f"▁{word()}", "<0x", "41", ">", "a<0x41>b", "<0x42>c"],
        ),
        case(
            "codes of another form",
            "odd",
            [f"▁{word()}", "<0x1F642>", "<0x4>", "<0xc3>", "<0xZZ>", "<0x+4>"],
        ),
        case(
            "almost bytes",
            "odd",
            [
                f"▁{word()}",
                "<0X41>",
                "▁<0x42>",
                "<0x４１>",
                "<0x44> ",
                "<0x45>\n",
                word(),
            ],
        ),
        case("bytes that make a ▁", "odd", [f"▁{word()}", *_bytes("▁"), word()]),
        case(
            "white space and marks in a piece",
            "odd",
            [
                "<0xEF>",
                "<0xBB>",
                "<0xBF>",
                f"{word()} \t{word()}\u00a0▁",
                "e\u0301",
                "\r\n",
                word(),
            ],
        ),
        case("no pieces", "odd", []),
    ]


def _all_bytes(pieces, special_tokens, skip_special_tokens=False):
    """Everything is turned into bytes, and these into text at the end."""
    digits = "0123456789ABCDEF"
    found = bytearray()
    for piece in pieces:
        if piece in special_tokens:
            if not skip_special_tokens:
                found += piece.encode()
        elif (
            len(piece) == 6
            and (piece[:3], piece[5]) == ("<0x", ">")
            and set(piece[3:5]) <= set(digits)
        ):
            found.append(16 * digits.index(piece[3]) + digits.index(piece[4]))
        else:
            found += piece.encode().replace("▁".encode(), b" ")
    text = found.decode(errors="replace")
    return text[1:] if text[:1] == " " else text


def _in_groups(pieces, special_tokens, skip_special_tokens=False):
    """Runs of pieces of one kind, one after the other."""
    codes = {f"<0x{number:02X}>": number for number in range(256)}

    def kind(piece):
        return "special" if piece in special_tokens else "byte" if piece in codes else "text"

    texts = []
    for name, run in groupby(pieces, kind):
        if name == "special":
            texts += [] if skip_special_tokens else run
        elif name == "byte":
            texts.append(bytes(codes[piece] for piece in run).decode("utf-8", "replace"))
        else:
            texts.append(" ".join("".join(run).split("▁")))
    whole = "".join(texts)
    return re.sub(r"\A ", "", whole)


def _step_by_step(pieces, special_tokens, skip_special_tokens=False):
    """A decoder that is fed byte by byte, as texts are shown while they are generated."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    shown = []
    for piece in pieces:
        if piece in special_tokens:
            data = "" if skip_special_tokens else piece
        elif match := re.match(r"<0x([0-9A-F][0-9A-F])>\Z", piece):
            shown.append(decoder.decode(bytes.fromhex(match[1])))
            continue
        else:
            data = "".join(" " if character == "▁" else character for character in piece)
        shown += [decoder.decode(b"", final=True), data]
        decoder.reset()
    text = "".join([*shown, decoder.decode(b"", final=True)])
    if text.startswith(" "):
        text = text[1:]
    return text


QUESTION = Question(
    id="decode_pieces",
    title="Back to text, without a loss",
    signature="decode_pieces(pieces, special_tokens, skip_special_tokens=False)",
    reference=decode_pieces,
    cases=_decode_cases,
    parts=(
        Part("core", "spaces, and characters of several bytes", 2),
        Part("special", "special tokens", 1),
        Part("odd", "invalid bytes, text that looks like something else, white space", 1),
    ),
    minutes=20,
    difficulty=2,
    section=BYTES,
    alternatives={
        "everything as bytes": _all_bytes,
        "runs of one kind": _in_groups,
        "an incremental decoder": _step_by_step,
    },
)
