"""Back to text: pieces with byte fallback, as Llama 2 has them."""

from __future__ import annotations

import codecs
import re
from itertools import groupby

import torch

from grading.content.common import kept
from grading.content.drawing import draw_integer, one_of
from grading.content.tokenizers import harnesses
from grading.content.tokenizers.sections import BYTES, COMMON, HALF, SPECIAL
from grading.content.tokenizers.shared import changed, draw_letters, draw_word
from grading.exercise import Case, Exercise, Mistake, Part


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


def _never_finished(pieces, special_tokens, skip_special_tokens=False):
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    text = ""
    for piece in pieces:
        if piece in special_tokens:
            text += "" if skip_special_tokens else piece
        elif re.fullmatch("<0x[0-9A-F]{2}>", piece):
            text += decoder.decode(bytes.fromhex(piece[3:5]))
        else:
            text += piece.replace("▁", " ")
    return text.removeprefix(" ")


_WAIT = "            waiting += bytes([int(piece[3:5], 16)])\n"
_FLUSH = '        text += waiting.decode("utf-8", errors="replace")\n        waiting = b""\n'
_LAST = '    text += waiting.decode("utf-8", errors="replace")\n    return'
_IS_BYTE = 're.fullmatch("<0x[0-9A-F]{2}>", piece)'
_RUN = 'waiting.decode("utf-8", errors="replace")'


def _decoding(how: str) -> list[tuple[str, str]]:
    """Decode the bytes that wait in another way, at both places."""
    return [
        (_FLUSH, f'        text += {how}\n        waiting = b""\n'),
        (_LAST, f"    text += {how}\n    return"),
    ]


EXERCISE = Exercise(
    id="decode_pieces",
    title="Back to text, without a loss",
    signature="decode_pieces(pieces, special_tokens, skip_special_tokens=False)",
    reference=decode_pieces,
    combined=(
        "byte_by_byte",
        "prefix_kept",
        "lstrip",
        "strict",
        "ignored",
        "skipped_always",
        "inverted",
        "any_code",
    ),
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
    mistakes=(
        Mistake(
            "own_special_tokens",
            "With an empty list of special tokens some pieces are special nevertheless, as with "
            "`special_tokens or ['<s>', '</s>']`. Only what the list holds is special.",
            [("piece in special_tokens", 'piece in (special_tokens or ["<s>", "</s>"])')],
            points=3,
            section=SPECIAL,
        ),
        Mistake(
            "byte_by_byte",
            "Each byte is decoded by itself. A character outside ASCII has two to four bytes, and "
            "none of them is a character alone: collect them, and decode them together.",
            [
                (
                    _WAIT,
                    '            text += bytes([int(piece[3:5], 16)]).decode("utf-8", "replace")\n',
                )
            ],
            other_forms=(
                [(_WAIT, '            text += bytes([int(piece[3:5], 16)]).decode("utf-8")\n')],
                [
                    (
                        _WAIT,
                        _WAIT.replace("waiting", "text").replace(
                            ")])", ')]).decode(errors="ignore")'
                        ),
                    )
                ],
            ),
            section=HALF,
        ),
        Mistake(
            "as_characters",
            "Each byte is taken for a character of its own, by its number (`chr`, or Latin-1). The "
            "bytes of a run are UTF-8, and are decoded together.",
            [(_WAIT, "            text += chr(int(piece[3:5], 16))\n")],
        ),
        Mistake(
            "bytes_as_text",
            "Pieces such as `<0xE2>` are left in the text as they are. Each of them is one byte.",
            [(_WAIT, "            text += piece\n")],
        ),
        Mistake(
            "end_lost",
            "Bytes at the end of the list are lost: they are decoded when another piece comes, and "
            "none does. What is left to do after the loop?",
            [(_LAST, "    return")],
        ),
        Mistake(
            "all_at_the_end",
            "The bytes all come at the end of the text. Decode a run before the piece that follows "
            "it.",
            [(_FLUSH, "")],
        ),
        Mistake(
            "not_cleared",
            "Bytes come more than once: those that have been decoded are still kept when the next "
            "run begins.",
            [(_FLUSH, f"        text += {_RUN}\n")],
        ),
        Mistake(
            "no_spaces",
            "`▁` stays in the text. It stands for a space.",
            [('piece.replace("▁", " ")', "piece")],
        ),
        Mistake(
            "no_spaces_at_all",
            "`▁` is taken out, and nothing comes in its place. It stands for a space.",
            [('piece.replace("▁", " ")', 'piece.replace("▁", "")')],
        ),
        Mistake(
            "one_space",
            "Only the first `▁` of a piece becomes a space. A piece may have several, even in the "
            "middle.",
            [('piece.replace("▁", " ")', 'piece.replace("▁", " ", 1)')],
        ),
        Mistake(
            "leading_only",
            "`▁` becomes a space only at the beginning of a piece. It stands for one wherever it "
            "is.",
            [
                (
                    'piece.replace("▁", " ")',
                    '" " * (len(piece) - len(piece.lstrip("▁"))) + piece.lstrip("▁")',
                )
            ],
            other_forms=(
                [('piece.replace("▁", " ")', '(" " + piece[1:] if piece[0] == "▁" else piece)')],
            ),
        ),
        Mistake(
            "spaces_between",
            "There is a space between all pieces. Where one belongs, a `▁` says so.",
            [('text += piece.replace("▁", " ")', 'text += " " + piece.replace("▁", "")')],
            other_forms=([('piece.replace("▁", " ")', 'piece.replace("▁", " ") + " "')],),
        ),
        Mistake(
            "prefix_kept",
            "The space at the beginning of the text is still there. The tokenizer had put it "
            "there, so one is taken off.",
            [('.removeprefix(" ")', "")],
        ),
        Mistake(
            "every_space",
            "One space is taken off every piece, or every run of text. Only the one at the "
            "beginning of the *whole* text goes.",
            [('piece.replace("▁", " ")', 'piece.replace("▁", " ").removeprefix(" ")')],
        ),
        Mistake(
            "lstrip",
            "More than one space is taken off, or other white space, or some at the end: `strip` "
            "and `lstrip` take all there is. Only one space at the beginning was put there by the "
            "tokenizer.",
            [('removeprefix(" ")', "lstrip()")],
            other_forms=(
                [('removeprefix(" ")', 'lstrip(" ")')],
                [('removeprefix(" ")', "strip()")],
                [('removeprefix(" ")', 'strip(" ")')],
                [('text.removeprefix(" ")', "text[1:] if text[:1].isspace() else text")],
            ),
            points=3,
        ),
        Mistake(
            "first_character",
            "The first character is taken off, whatever it is. A text that begins with something "
            "other than a space stays as it is.",
            [('text.removeprefix(" ")', "text[1:]")],
        ),
        Mistake(
            "first_piece",
            "The space is taken off the first *piece*, so it stays where special tokens that are "
            "left out come before. Take it off the finished text.",
            [
                ("    for piece in pieces:\n", "    for place, piece in enumerate(pieces):\n"),
                (
                    'piece.replace("▁", " ")',
                    '(piece if place else piece.removeprefix("▁")).replace("▁", " ")',
                ),
                ('.removeprefix(" ")', ""),
            ],
            points=3,
        ),
        Mistake(
            "first_ordinary",
            "The space is taken off the first piece that is no special token, even where special "
            "tokens stay before it. Only a space at the beginning of the finished text goes.",
            [
                (
                    '    return text.removeprefix(" ")',
                    "    begin = 0\n"
                    "    for piece in pieces:\n"
                    "        if piece not in special_tokens:\n"
                    "            break\n"
                    "        begin += 0 if skip_special_tokens else len(piece)\n"
                    '    return text[:begin] + text[begin:].removeprefix(" ")',
                )
            ],
            points=3,
        ),
        Mistake(
            "after_special",
            "A space after a special token is taken off, too. Only one at the very beginning of "
            "the text is.",
            [
                ('    text, waiting = "", b""\n', '    text, waiting, begins = "", b"", True\n'),
                ("        if special:\n", "        if special:\n            begins = True\n"),
                (
                    'text += piece.replace("▁", " ")',
                    'piece = piece.replace("▁", " ")\n'
                    '            text += piece.removeprefix(" ") if begins else piece\n'
                    "            begins = False",
                ),
                (_WAIT, f"{_WAIT}            begins = False\n"),
                ('.removeprefix(" ")', ""),
            ],
            points=3,
        ),
        Mistake(
            "never_finished",
            "A decoder that is given one byte after the other waits for the rest of a character, "
            "and nothing says that the run is over. Bytes of an incomplete character are lost, or "
            "come out behind another piece: finish with `decode(b'', final=True)`.",
            _never_finished,
            points=3,
            section=HALF,
        ),
        Mistake(
            "strict",
            "Bytes that are not valid UTF-8 raise an error. They come from texts that are cut "
            'within a character: `errors="replace"`.',
            _decoding('waiting.decode("utf-8")'),
            points=3,
            section=HALF,
        ),
        Mistake(
            "ignored",
            "Bytes that are not valid UTF-8 are left out. They should be seen, as `�`: "
            '`errors="replace"`.',
            _decoding('waiting.decode("utf-8", errors="ignore")'),
            points=3,
            section=HALF,
        ),
        Mistake(
            "whole_run",
            "One invalid byte spoils all the bytes beside it: the valid characters of the run are "
            'lost. Only what is invalid becomes `�`, as `errors="replace"` does it.',
            [
                (
                    '    text, waiting = "", b""\n',
                    _VALID := (
                        "    def decoded(run):\n"
                        "        try:\n"
                        '            return run.decode("utf-8")\n'
                        "        except UnicodeDecodeError:\n"
                        '            return "�" * len(run)\n\n'
                        '    text, waiting = "", b""\n'
                    ),
                ),
                *_decoding("decoded(waiting)"),
            ],
            other_forms=(
                [
                    ('    text, waiting = "", b""\n', _VALID.replace('"�" * len(run)', '"�"')),
                    *_decoding("decoded(waiting)"),
                ],
            ),
            points=3,
            section=HALF,
        ),
        Mistake(
            "skip_ignored",
            "Special tokens are kept, whatever `skip_special_tokens` says.",
            [('"" if skip_special_tokens else piece', "piece")],
            points=3,
            section=SPECIAL,
        ),
        Mistake(
            "skipped_always",
            "Special tokens are left out, whatever `skip_special_tokens` says.",
            [('"" if skip_special_tokens else piece', '""')],
            points=3,
            section=SPECIAL,
        ),
        Mistake(
            "inverted",
            "Special tokens are left out if `skip_special_tokens` is False, and kept if it is "
            "True. It should be the other way round.",
            [('"" if skip_special_tokens else piece', 'piece if skip_special_tokens else ""')],
            points=3,
            section=SPECIAL,
        ),
        Mistake(
            "spaced_specials",
            "There are spaces around special tokens that no piece stands for.",
            [("skip_special_tokens else piece", 'skip_special_tokens else f" {piece} "')],
            points=3,
            section=SPECIAL,
        ),
        Mistake(
            "removed_from_text",
            "Special tokens are taken out of the finished text, and with them text that reads the "
            "same: the pieces `</`, `s>` aren't a special token. Decide piece by piece.",
            [
                ('"" if skip_special_tokens else piece', "piece"),
                (
                    "    return text",
                    "    for token in special_tokens if skip_special_tokens else []:\n"
                    '        text = text.replace(token, "")\n'
                    "    return text",
                ),
            ],
            points=3,
            section=SPECIAL,
        ),
        Mistake(
            "in_brackets",
            "Everything in angle brackets is taken for a special token. Those in `special_tokens` "
            "are, and no others.",
            [
                (
                    "special = piece in special_tokens",
                    "special = piece in special_tokens or (\n"
                    '            piece[:1] == "<" and piece[-1:] == ">" and piece[:3] != "<0x"\n'
                    "        )",
                )
            ],
            points=3,
            section=SPECIAL,
        ),
        Mistake(
            "brackets_decide",
            "Angle brackets decide what a special token is, and `special_tokens` is not looked at. "
            "`[INST]` is one if it is in the list, and `<b>` is none if it isn't.",
            [
                (
                    "special = piece in special_tokens",
                    'special = piece[:1] == "<" and piece[-1:] == ">" and piece[:3] != "<0x"',
                )
            ],
            points=2,
            section=SPECIAL,
        ),
        Mistake(
            "end_of_line",
            "`$` also fits before a line break at the end, so `<0x41>` with a line break behind it "
            "is taken for a byte. `re.fullmatch` looks at the whole piece.",
            [(_IS_BYTE, 're.match("<0x[0-9A-F]{2}>$", piece)')],
            points=3,
        ),
        Mistake(
            "any_code",
            "A piece that only resembles a byte is taken for one, such as `<0x1F642>`, `<0xc3>` or "
            "`<0x4>`. A byte has exactly two digits of 0123456789ABCDEF between `<0x` and `>`.",
            [(_IS_BYTE, '(piece.startswith("<0x") and piece.endswith(">"))')],
            other_forms=(
                [(_IS_BYTE, 'piece.startswith("<0x")')],
                [(_IS_BYTE, 're.fullmatch("<0x[0-9A-Fa-f]{2}>", piece)')],
                [(_IS_BYTE, '(piece[:3] == "<0x" and piece[5:] == ">")')],
                [
                    (_IS_BYTE, '(piece.startswith("<0x") and piece.endswith(">"))'),
                    ("int(piece[3:5], 16)", "int(piece[3:-1], 16)"),
                ],
                [
                    (_IS_BYTE, 're.match("<0x[0-9A-F]+>", piece)'),
                    ("int(piece[3:5], 16)", "int(piece[3:-1], 16)"),
                ],
                [
                    (_IS_BYTE, 're.fullmatch("<0x[0-9A-Fa-f]+>", piece)'),
                    ("int(piece[3:5], 16)", "int(piece[3:-1], 16)"),
                ],
            ),
            any_error=True,
            points=3,
        ),
        Mistake(
            "found_inside",
            "Bytes are looked for in the text of the pieces, so `a<0x41>`, `<0x41>b`, or the three "
            "pieces `<0x`, `41`, `>`, become one. A byte is a piece of its own, as a whole.",
            [
                (_WAIT, "            text += piece\n"),
                (
                    "    return text",
                    '    text = re.sub("(?:<0x[0-9A-F]{2}>)+", lambda run: bytes.fromhex('
                    "re.sub('<0x|>', '', run[0])).decode('utf-8', 'replace'), text)\n"
                    "    return text",
                ),
            ],
            other_forms=(
                [(_IS_BYTE, 're.search("<0x[0-9A-F]{2}>", piece)')],
                [(_IS_BYTE, 're.match("<0x[0-9A-F]{2}>", piece)')],
            ),
            any_error=True,
            points=3,
        ),
        Mistake(
            "spaces_last",
            "`▁` is replaced in the finished text, so one that was written in bytes is lost. It "
            "stands for a space only in pieces that are text.",
            [
                ('piece.replace("▁", " ")', "piece"),
                ("    return text", '    return text.replace("▁", " ")'),
            ],
            points=3,
            section=COMMON,
        ),
        Mistake(
            "empty",
            "An empty list of pieces raises an error. Its text is empty.",
            [("    text, waiting", "    pieces[0]\n    text, waiting")],
            any_error=True,
            points=3,
        ),
        Mistake(
            "as_a_list",
            "A list of strings comes back. The exercise asks for one string: join them.",
            [("    return text", "    return [text]"), ('.removeprefix(" ")', "")],
            other_forms=(
                [('    return text.removeprefix(" ")', '    return list(text.removeprefix(" "))')],
            ),
        ),
        kept(
            [
                ("=False):", "=False, kept={}):"),
                (
                    "    return text",
                    "    text = kept.setdefault(len(pieces), text)\n    return text",
                ),
            ],
        ),
        Mistake(
            "begins_with_the_last",
            "What a call returns begins with what an earlier call has left over: an argument with "
            "a default such as `[]`, or a global variable, is not new in each call.",
            [
                ("=False):", "=False, whole=[]):"),
                (
                    "    return text",
                    '    whole.append(text)\n    text = "".join(whole)\n    return text',
                ),
            ],
        ),
        changed(
            "pieces",
            [("    return text", "    pieces.clear()\n    return text")],
        ),
    ),
)
