"""The known mistakes of `repaired_wordpiece`."""

from __future__ import annotations

from grading.content.common import bugs_left, kept_name
from grading.content.tokenizers.sections import CLEANING, LONGEST
from grading.content.tokenizers.shared import changed
from grading.exercise import Mistake


def _backtracking(word, vocab):
    """The first cut that works, longest beginnings first."""

    def cut(start):
        if start == len(word):
            return []
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            more = cut(end) if prefix + word[start:end] in vocab else None
            if more is not None:
                return [prefix + word[start:end], *more]
        return None

    return cut(0) or ["[UNK]"]


_BUGS = {  # why it is one, and how it comes back
    "composed": (
        "in the form NFC an accent is part of its letter, so none is taken off: NFD has accents as "
        "characters of their own",
        [
            ('decomposed = unicodedata.normalize("NFD"', 'composed = unicodedata.normalize("NFC"'),
            ("c in decomposed if", "c in composed if"),
        ],
    ),
    "punctuation": (
        "punctuation becomes white space and is lost: each such character is a word of its own",
        [('f" {c} "', '" "')],
    ),
    "shortest": (
        "the shortest piece is taken, not the longest: begin with the end of the word and go back",
        [("range(len(word), start, -1)", "range(start + 1, len(word) + 1)")],
    ),
    "part_unknown": (
        "where a word cannot be cut to its end, the pieces found so far are kept in front of "
        "`[UNK]`: the word as a whole is unknown",
        [("                found = []\n", '                found.append("[UNK]")\n')],
    ),
}


_SPACED = '"".join(c if c.isalnum() else f" {c} " for c in plain)'


def _too_long(becomes: str) -> str:
    """What the text is with its words spaced, where the limit holds between white spaces."""
    return (
        '" ".join(\n        "".join(c if c.isalnum() else f" {c} " for c in chunk)\n'
        f"        if len(chunk) <= max_letters\n        else {becomes}\n"
        "        for chunk in plain.split()\n    )"
    )


_UNKNOWN = "                found = []\n                break\n"


COMBINED = (*_BUGS, "unknown_skipped", "runs_together", "not_lower", "no_prefix")

BROKEN = ("_and_".join(_BUGS),)

MISTAKES = (
    *bugs_left(_BUGS, 4, LONGEST, {"composed": CLEANING, "punctuation": CLEANING}),
    Mistake(
        "unknown_skipped",
        "Where a word cannot be cut, one letter becomes `[UNK]` and the cutting goes on behind "
        "it. The word as a whole is unknown: one `[UNK]` in place of all its pieces.",
        [
            (
                _UNKNOWN,
                '                found.append("[UNK]")\n'
                "                start += 1\n"
                "                continue\n",
            )
        ],
    ),
    Mistake(
        "unknown_dropped",
        "Words that cannot be cut vanish. Each becomes one `[UNK]`.",
        [('found or ["[UNK]"]', "found")],
    ),
    Mistake(
        "rest_dropped",
        "Where a word cannot be cut to its end, the pieces found so far are kept, as if they "
        "were all of it. The word as a whole is unknown: one `[UNK]`.",
        [(_UNKNOWN, "                break\n")],
    ),
    Mistake(
        "unknown_twice",
        "The pieces of a word that cannot be cut are replaced, but there is an `[UNK]` too "
        "many: one is for the whole word.",
        [(_UNKNOWN, '                found = ["[UNK]", "[UNK]"]\n                break\n')],
    ),
    Mistake(
        "text_unknown",
        "One word that cannot be cut makes the whole text unknown. Only that word is.",
        [(_UNKNOWN, '                return ["[UNK]"]\n')],
    ),
    Mistake(
        "stops",
        "Nothing comes back for what follows a word that cannot be cut. Go on with the next word.",
        [(_UNKNOWN, '                return [*pieces, "[UNK]"]\n')],
    ),
    Mistake(
        "runs_together",
        "Punctuation marks side by side are one word. Each is a word of its own: `...` is three.",
        [
            (
                '"".join(c if c.isalnum() else f" {c} " for c in plain)',
                're.sub(r"([^\\w\\s]+)", r" \\1 ", plain)',
            )
        ],
    ),
    Mistake(
        "stays_attached",
        "Punctuation is not separated from the words beside it. Every character that is "
        "neither a letter nor a digit is a word of its own.",
        [('f" {c} "', "c")],
        other_forms=([('f" {c} "', 'f" {c}"')], [('f" {c} "', 'f"{c} "')]),
    ),
    Mistake(
        "ascii_punctuation",
        "Only ASCII punctuation is separated from words, and not “, ” or …. What is neither a "
        "letter nor a digit (`isalnum`) is a word of its own.",
        [("if c.isalnum() else", "if c.isalnum() or not c.isascii() else")],
        points=3,
    ),
    Mistake(
        "other_signs_lost",
        "Only ASCII punctuation is kept, and others, such as “, ” or …, become white space. "
        "What is neither a letter nor a digit (`isalnum`) is a word of its own.",
        [('f" {c} " for', 'f" {c} " if c.isascii() else " " for')],
        points=3,
    ),
    Mistake(
        "id_zero",
        "A piece with the id 0 is taken for none: 0 counts as false. Ask whether the piece is "
        "`in vocab`.",
        [("if prefix + word[start:end] in vocab:", "if vocab.get(prefix + word[start:end]):")],
        points=3,
    ),
    Mistake(
        "casefold",
        "`casefold` makes “ss” of ß. Lower case, which rule 1 asks for, is `lower`.",
        [("text.lower()", "text.casefold()")],
        points=3,
        section=CLEANING,
    ),
    Mistake(
        "letter_by_letter",
        "Each letter becomes lower case by itself, which makes σ of a Σ at the end of a word. "
        "There it becomes ς: `lower` sees that if it's given the whole text.",
        [("text.lower()", "''.join(c.lower() for c in text)")],
        points=3,
        section=CLEANING,
    ),
    Mistake(
        "combining_class",
        "Accents are told by `unicodedata.combining`, which is 0 for some characters of the "
        "category `Mn`. The category decides.",
        [('if unicodedata.category(c) != "Mn"', "if not unicodedata.combining(c)")],
        points=3,
        section=CLEANING,
    ),
    Mistake(
        "all_marks",
        "Marks of every kind are taken off, those that take room or enclose a letter as well. "
        "Only the category `Mn` is meant.",
        [('unicodedata.category(c) != "Mn"', 'unicodedata.category(c)[0] != "M"')],
        points=3,
        section=CLEANING,
    ),
    Mistake(
        "only_punctuation",
        "Symbols such as € stay with the words beside them, as if only punctuation were to be "
        "parted from words. What is neither a letter nor a digit is a word of its own.",
        [
            (
                "if c.isalnum() else",
                'if c.isalnum() or unicodedata.category(c)[0] != "P" else',
            )
        ],
        other_forms=(
            [
                (
                    "if c.isalnum() else",
                    'if c.isalnum() or not c.isascii() and unicodedata.category(c)[0] != "P" else',
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "symbols_lost",
        "Symbols such as + and €, whose category is not that of punctuation, become white "
        "space. What is neither a letter nor a digit is a word of its own.",
        [
            (
                'f" {c} " for c in plain',
                'f" {c} " if unicodedata.category(c)[0] == "P" else " " for c in plain',
            )
        ],
        points=3,
    ),
    Mistake(
        "ascii_only",
        "Everything outside ASCII is lost, letters such as ß and marks such as “. Only accents "
        "are to be taken off: what is of the category `Mn`.",
        [
            (
                '"".join(c for c in decomposed if unicodedata.category(c) != "Mn")',
                'decomposed.encode("ascii", "ignore").decode()',
            )
        ],
        section=CLEANING,
    ),
    Mistake(
        "digits_apart",
        "Digits are taken for punctuation. They belong to words, as letters do: ask "
        "`isalnum`, not `isalpha`.",
        [("c.isalnum()", "c.isalpha()")],
    ),
    Mistake(
        "underscore",
        "`_` is taken for a letter, as `\\w` in a regular expression does. It is neither a "
        "letter nor a digit, so it is a word of its own.",
        [("if c.isalnum() else", 'if c.isalnum() or c == "_" else')],
        points=3,
    ),
    Mistake(
        "compatible",
        "The normal form is NFKD, which also takes characters apart that have no accent: … "
        "becomes three dots. NFD leaves them alone.",
        [('"NFD"', '"NFKD"')],
        points=3,
        section=CLEANING,
    ),
    Mistake(
        "recomposed",
        "Once the accents are off, the text is composed again (NFC), so 한 is one letter. It "
        "stays in the form NFD, in which 한 is three.",
        [
            (
                'plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")',
                'plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")\n'
                '    plain = unicodedata.normalize("NFC", plain)',
            )
        ],
        points=3,
        section=CLEANING,
    ),
    Mistake(
        "accents_apart",
        "Accents are still there when words are separated from punctuation, and are taken for "
        "words. Take them off first.",
        [
            (' if unicodedata.category(c) != "Mn")', ")"),
        ],
    ),
    Mistake(
        "accented_letters_lost",
        "Letters with accents vanish as a whole. Only the accent goes: decompose first (NFD), "
        "then leave out what is a character of the category `Mn`.",
        [
            ("c for c in decomposed if", "c for c in text.lower() if"),
            (
                'unicodedata.category(c) != "Mn"',
                'c.isascii() or not c.isalpha() and unicodedata.category(c) != "Mn"',
            ),
        ],
    ),
    Mistake(
        "not_lower",
        "Capital letters stay as they are. The text is made lower case first.",
        [("text.lower()", "text")],
        section=CLEANING,
    ),
    Mistake(
        "no_prefix",
        "Pieces within a word are looked up without `##`. All but the first piece of a word "
        "have it in front.",
        [('"##" if start else ""', '""')],
    ),
    Mistake(
        "prefix_everywhere",
        "The first piece of a word is looked up with `##`. Only those that follow have it.",
        [('"##" if start else ""', '"##"')],
    ),
    Mistake(
        "prefix_of_the_text",
        "`##` is put in front of every piece but the first of the *text*. Each word has a "
        "first piece of its own.",
        [('"##" if start else ""', '"##" if pieces or found else ""')],
    ),
    Mistake(
        "prefix_lost",
        "Pieces are looked up with `##`, but come back without. It is part of the piece.",
        [("found.append(prefix + word[start:end])", "found.append(word[start:end])")],
    ),
    Mistake(
        "from_the_end",
        "Words are cut from their end. The longest *beginning* comes first, then the longest "
        "beginning of what is left.",
        [
            (
                "        pieces += found or",
                "        if len(word) <= max_letters:\n"
                "            found = _from_the_end(word, vocab)\n"
                "        pieces += found or",
            )
        ],
    ),
    Mistake(
        "fewest",
        "Words are cut into as few pieces as possible. WordPiece is greedy: it takes the "
        "longest beginning, even if that makes more pieces.",
        [
            (
                "        pieces += found or",
                "        if len(word) <= max_letters:\n"
                "            found = _most_letters(word, vocab)\n"
                "        pieces += found or",
            )
        ],
    ),
    Mistake(
        "backtracks",
        "Where the longest beginning leads nowhere, a shorter one is tried. WordPiece is "
        "greedy: it never takes a piece back, and the word is unknown.",
        [
            (
                "        pieces += found or",
                "        if len(word) <= max_letters:\n"
                "            found = _backtracking(word, vocab)\n"
                "        pieces += found or",
            )
        ],
    ),
    Mistake(
        "prefix_optional",
        "A piece within a word is also looked up without `##`, or the first one with it. Each "
        "is looked up in one form: the first as it is, those that follow with `##`.",
        [
            (
                "if prefix + word[start:end] in vocab:",
                "if prefix + word[start:end] in vocab or word[start:end] in vocab:",
            )
        ],
        other_forms=(
            [
                (
                    "if prefix + word[start:end] in vocab:",
                    "if {prefix + word[start:end], '##' + word[start:end]} & {*vocab}:",
                )
            ],
        ),
    ),
    Mistake(
        "ascii_words",
        "Only a to z and 0 to 9 make words, and each letter of another script is a word of its "
        "own. Letters and digits of all scripts belong to words: `isalnum` decides.",
        [("if c.isalnum() else", "if c.isalnum() and c.isascii() else")],
    ),
    Mistake(
        "chinese_apart",
        "Each Chinese character is a word of its own, as in BERT's tokenizer. By rule 2 it is "
        "a letter like others (`isalnum`), and belongs to the word that it stands in.",
        [("if c.isalnum() else", "if c.isalnum() and not '\u4e00' <= c <= '\u9fff' else")],
    ),
    Mistake(
        "table_of_accents",
        "Accents are taken off by a list of letters or marks that isn't complete. The category "
        "`Mn` decides, after the form NFD.",
        [
            ('unicodedata.category(c) != "Mn"', 'not "\u0300" <= c <= "\u036f"'),
        ],
        points=3,
        section=CLEANING,
    ),
    Mistake(
        "marks_attached",
        "Marks that take room or enclose a letter stay with it. Only those of the category "
        "`Mn` are taken off; the others, no letters and no digits, are words of their own.",
        [("if c.isalnum() else", 'if c.isalnum() or unicodedata.category(c)[0] == "M" else')],
        points=3,
    ),
    Mistake(
        "control_lost",
        "Characters that aren't seen, such as control characters, are taken off. Only those of "
        "the category `Mn` are; all others that aren't white space make words.",
        [
            (
                '"".join(c if c.isalnum() else f" {c} " for c in plain)',
                '"".join(\n        c if c.isalnum() else f" {c} " for c in plain\n'
                '        if c.isspace() or unicodedata.category(c)[0] != "C"\n    )',
            )
        ],
        points=3,
        section=CLEANING,
    ),
    Mistake(
        "not_numeric",
        "½, or ², is taken for a sign. `isalnum` is true of it, as of all digits and numbers: "
        "`isalpha` with `isdigit` or `isdecimal` leaves some out.",
        [("c.isalnum()", "(c.isalpha() or c.isdigit())")],
        other_forms=(
            [("c.isalnum()", "(c.isalpha() or c.isdecimal())")],
            [("c.isalnum()", "(c.isalpha() or c in '0123456789')")],
        ),
        points=3,
    ),
    Mistake(
        "whole_words",
        "Words are only looked up as a whole, and are unknown otherwise. A word that is not in "
        "the vocabulary is cut into pieces that are.",
        [
            (
                "            for end in range(len(word), start, -1):\n",
                "            for end in [len(word)] * (start == 0):\n",
            )
        ],
    ),
    Mistake(
        "last_letter",
        "The whole rest of a word is never tried, so its last letter is always a piece of its "
        "own. The first end to be tried is `len(word)`.",
        [("range(len(word), start, -1)", "range(max(start + 1, len(word) - 1), start, -1)")],
    ),
    Mistake(
        "no_single_letters",
        "Pieces of a single letter are never tried. The last end to be tried is `start + 1`.",
        [("range(len(word), start, -1)", "range(len(word), start + 1, -1)")],
    ),
    Mistake(
        "no_limit",
        "`max_letters` is not used any more. A word of more characters is `[UNK]`.",
        [("len(word) <= max_letters", "len(word)")],
        other_forms=(
            [("len(word) <= max_letters", "len(word) <= 100")],
            [("len(word) <= max_letters", "len(word) <= min(max_letters, 100)")],
        ),
        points=3,
    ),
    Mistake(
        "limit_too_small",
        "A word of exactly `max_letters` characters becomes `[UNK]`. Only longer ones do.",
        [("<= max_letters", "< max_letters")],
        points=3,
    ),
    Mistake(
        "length_between_spaces",
        "The length is that of everything between two white spaces, with its punctuation. "
        "Rule 2 comes first: `(ok)` is three words, and each has a length of its own.",
        [(_SPACED, _too_long('"\\0"'))],
        other_forms=(
            [
                (
                    _SPACED,
                    _too_long('"".join("\\0" if c.isalnum() else f" {c} " for c in chunk)'),
                )
            ],
            [(_SPACED, _too_long('"".join("\\0" if c.isalnum() else " \\0 " for c in chunk)'))],
        ),
        points=3,
    ),
    Mistake(
        "cut_off",
        "A word of more than `max_letters` characters is cut off there. It becomes `[UNK]`.",
        [
            (
                "for word in spaced.split():",
                "for word in (w[:max_letters] for w in spaced.split()):",
            ),
        ],
        points=3,
    ),
    Mistake(
        "spaces_only",
        "Words are separated at spaces only, so empty words, tabs or line breaks are among "
        "them. `split()` without an argument takes all white space, however much of it.",
        [("spaced.split()", 'spaced.split(" ")')],
    ),
    Mistake(
        "white_space_words",
        "White space other than the space itself, such as a tab or the end of a line, is taken "
        "for a word. `split()` without an argument takes all of it.",
        [("spaced.split()", '[word for word in spaced.split(" ") if word]')],
        points=3,
    ),
    Mistake(
        "length_with_accents",
        "The length of a word is taken with its accents as characters of their own. They are "
        "not counted.",
        [
            (
                "len(word) <= max_letters",
                "len(word) and len(word) + len(decomposed) - len(plain) <= max_letters",
            )
        ],
        points=3,
        section=CLEANING,
    ),
    Mistake(
        "ids",
        "The ids come back. The exercise asks for the pieces, as strings.",
        [("    return pieces", "    return [vocab.get(piece, 1) for piece in pieces]")],
    ),
    Mistake(
        "joined",
        "One string comes back. The exercise asks for the list of the pieces.",
        [("    return pieces", '    return " ".join(pieces)')],
    ),
    Mistake(
        "by_word",
        "There is a list for each word. The exercise asks for one list with the pieces of all "
        "words.",
        [('pieces += found or ["[UNK]"]', 'pieces.append(found or ["[UNK]"])')],
    ),
    kept_name("max_letters=100", "found", "        pieces += found or", "(word, max_letters)"),
    changed(
        "vocab",
        [("    pieces = []\n", '    pieces = []\n    vocab.setdefault("[MASK]", 0)\n')],
    ),
)
