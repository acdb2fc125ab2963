"""The known mistakes of `decode_pieces`."""

from __future__ import annotations

import codecs
import re

from grading.content.common import kept_name
from grading.content.tokenizers.sections import COMMON, HALF, SPECIAL
from grading.content.tokenizers.shared import changed
from grading.exercise import Mistake


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


COMBINED = (
    "byte_by_byte",
    "prefix_kept",
    "lstrip",
    "strict",
    "ignored",
    "skipped_always",
    "inverted",
    "any_code",
)

MISTAKES = (
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
                    _WAIT.replace("waiting", "text").replace(")])", ')]).decode(errors="ignore")'),
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
        "The bytes all come at the end of the text. Decode a run before the piece that follows it.",
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
        "`▁` becomes a space only at the beginning of a piece. It stands for one wherever it is.",
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
    kept_name("=False", "text", "    return text", "len(pieces)"),
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
)
