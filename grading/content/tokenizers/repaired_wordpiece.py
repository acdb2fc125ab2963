"""Bug hunt: a WordPiece that runs, with four bugs."""

from __future__ import annotations

import functools
import re
import unicodedata
from itertools import combinations

import torch

from grading.content.common import kept
from grading.content.drawing import draw_integer, one_of
from grading.content.tokenizers.sections import CLEANING, LONGEST
from grading.content.tokenizers.shared import changed, draw_letters, draw_word
from grading.exercise import Case, Exercise, Mistake, Part


def repaired_wordpiece(text, vocab, max_letters=100):
    """The pieces of a text, cut as BERT's tokenizer does."""
    decomposed = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    spaced = "".join(c if c.isalnum() else f" {c} " for c in plain)
    pieces = []
    for word in spaced.split():
        found, start = [], 0
        while start < len(word) <= max_letters:
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                if prefix + word[start:end] in vocab:
                    break
            else:
                found = []
                break
            found.append(prefix + word[start:end])
            start = end
        pieces += found or ["[UNK]"]
    return pieces


def _vocabulary(generator: torch.Generator, words: list[str], whole: int = 0) -> dict[str, int]:
    """Draw a vocabulary that can cut these words, with pieces of one to four letters.

    Of a few words the ends are longer than their beginnings, so that it matters from which side a
    word is cut. The first ``whole`` words are pieces themselves.
    """
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *".,!?()-_'+$", *words[:whole]]
    for word in words:
        pieces += [word[0], *(f"##{letter}" for letter in word[1:])]
        for _ in range(5):
            start = draw_integer(generator, 0, max(0, len(word) - 2))
            end = min(len(word), start + draw_integer(generator, 2, 4))
            pieces.append(("##" if start else "") + word[start:end])
    return {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}


_ACCENTS = str.maketrans("aeioncu", "áèîöñçü")
_SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~€×°™←🙂«¿、“”–…"
_NAMES = ("text", "vocab", "max_letters")


def _wordpiece_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, text, vocab, *more, **options):
        arguments = tuple(zip(_NAMES, (text, vocab, *more), strict=False))
        return Case(title, part, arguments, **options)

    def words(count, low=5, high=9):
        letters = draw_letters(generator, 7, "aeiouclmnrst")
        return [draw_word(generator, letters, low, high) for _ in range(count)]

    def cut(title, part, text_of, count=3, whole=0, *more):
        found = words(count)
        return case(title, part, text_of(*found), _vocabulary(generator, found, whole), *more)

    def telling(count, wrong):
        """Words and a vocabulary for which some wrong ways to cut differ from the right one."""
        while True:
            found = words(count)
            vocab = _vocabulary(generator, found)
            right = [repaired_wordpiece(word, vocab) for word in found]
            if all(
                sum(way(word, vocab) != r for word, r in zip(found, right, strict=True)) > 1
                for way in wrong
            ):
                return found, vocab

    def called_again():
        found, vocab = telling(3, [_shortest])
        text = " ".join(found)
        kept_pieces = [piece for piece in vocab if len(piece.removeprefix("##")) == 1]
        others = [f"{number}" for number in range(len(vocab) - len(kept_pieces))]
        fewer = {piece: number for number, piece in enumerate([*kept_pieces, *others])}
        title = "called again, another vocabulary"
        return case(title, "core", text, vocab, 20, again=((text, fewer, 20),))

    def unknown():
        found = words(3)
        vocab = _vocabulary(generator, found)
        spoiled = found[1][:3] + "z" + found[1][3:]
        some = [found[0], spoiled, found[2], "z" + found[0], found[2] + "z"]
        # another cut would do, at the beginning of a word and within one
        some += ["ghb", found[2] + "ghb"]
        more = ["gh", "g", "##gh", "##g", "##hb"]
        # in the vocabulary, but not where the letter stands
        some += [found[0] + "w", "v" + found[0]]
        more += ["w", "##v"]
        return " ".join(some), dict.fromkeys([*vocab, *more], 7)

    def foreign():
        found, letter = words(2), one_of(generator, "ж", "đ", "λ", "ø")
        vocab = _vocabulary(generator, found)
        mixed = found[1][:2] + letter + found[1][2:]
        text = f"{letter} {found[0]} {mixed} ЖøΛĐΩβø 日本 {found[1]}字"
        longer = "##øλđωβø"  # than any first piece
        return text, dict.fromkeys([*vocab, letter, "ж", longer, "日本", "日"], 3)

    def crowded():
        found = words(3, 5, 6)
        one, two, three = found
        text = f"{one}-{two} {three}... ({one})"
        return text, _vocabulary(generator, found), max(map(len, found))

    found, vocab = telling(3, [_shortest, _from_the_end, _most_letters])
    long = words(1, 8, 8)[0]
    accented = words(2)
    once = one_of(generator, "e", "o", "a")
    return [
        case("words", "core", " ".join(found), vocab),
        case("words that cannot be cut", "core", *unknown()),
        cut("punctuation", "core", lambda a, b, c: f"{a}, {b}-{c}! ({a})", 3, 1),
        cut("punctuation side by side", "core", lambda a, b: f"{a}...{b}?!", 2),
        cut("capital letters", "core", lambda a, b: f"{a.upper()} {b.capitalize()}", 2),
        case(
            "accents",
            "core",
            " ".join(word.translate(_ACCENTS) for word in accented) + " Ẵőйά",
            _vocabulary(generator, [*accented, "aoиα"], 3),
        ),
        case(
            "accents that are characters of their own",
            "core",
            unicodedata.normalize("NFD", " ".join(accented).translate(_ACCENTS)) + " Ö",
            _vocabulary(generator, [*accented, "o"]),
        ),
        case("letters outside ASCII", "core", *foreign()),
        cut("digits", "core", lambda a, b: f"{a} 7 {b}7", 2),
        called_again(),
        case(
            "words of the greatest length",
            "limits",
            f"{long} {'ж' * 8} 한한 한한한",  # of three letters each
            _vocabulary(generator, [long, "жж", "\u1112\u1161\u11ab" * 2]),
            8,
        ),
        case(
            "a word that is too long",
            "limits",
            f"{long} {long[:3]}",
            _vocabulary(generator, [long[:3], long], 2),
            7,
        ),
        case(
            "called again, another limit",
            "limits",
            long,
            (whole := {long: 1}),
            8,
            again=((long, whole, 7), (long[:2], {long[:2]: 1}, 1)),
        ),
        case(
            "the greatest length, with accents",
            "limits",
            unicodedata.normalize("NFD", (once + long[1:]).translate(_ACCENTS)),
            _vocabulary(generator, [once + long[1:]]),
            8,
        ),
        case(
            "100 characters, and 101",
            "limits",
            "ab" * 50 + " a" + "ba" * 50,
            {"ab" * 40: 1, "##ab": 2, "a" + "ba" * 50: 3, "##a": 4},
        ),
        case("110 characters, if so many may be", "limits", "ab" * 55, {"ab" * 55: 1}, 120),
        case("a piece with the id 0", "limits", f"{long} {long[:2]}", {long: 1, long[:2]: 0}),
        case(
            "ß, ς and 한, and a mark that is no accent",
            "limits",
            f"{long}ß {long}Σ ❤\ufe0f {long} \u20e3 한",
            {
                long: 1,
                "##ß": 2,
                "##ss": 3,
                "##ς": 8,
                "##σ": 9,
                "❤": 4,
                "한": 5,
                "\u1112\u1161": 6,
                "##\u11ab": 7,
            },
        ),
        case(
            "marks beside letters, and alone",
            "limits",
            f"{long}\u20e3 {long}\u093e{long} {long}\u05b8 \u0301 {long}\u200d{long}\x07{long}",
            {long: 1, "\u20e3": 2, "\u093e": 3},
        ),
        case(
            "fractions and small digits",
            "limits",
            f"{long}½ {long}² 3{long}",
            {long: 1, "##½": 2, "##²": 3, "½": 4, "²": 5, "3": 6, f"##{long}": 7},
        ),
        case(
            "signs of every kind",
            "limits",
            "".join(f"{long[:2]}{sign}" for sign in _SIGNS),
            dict.fromkeys([long[:2], *_SIGNS], 1),
        ),
        case(
            "the names of special tokens",
            "limits",
            f"[CLS]{long}[UNK] [MASK]",
            dict.fromkeys(["[CLS]", "[UNK]", "[MASK]", "[", "]", "cls", "unk", "##k", long], 1),
        ),
        case("short words that punctuation keeps apart", "limits", *crowded()),
        cut(
            "white space of every kind",
            "limits",
            lambda a, b, c: f"\t{a}\n\n{b}\u00a0 {c}\x0b{a}\u2028{b}\x1d\r\n",
        ),
        case("an empty text", "limits", "", _vocabulary(generator, [long])),
        case("only white space", "limits", " \n ", _vocabulary(generator, [long])),
    ]


def _shortest(word, vocab):
    pieces, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        ends = range(start + 1, len(word) + 1)
        end = next((e for e in ends if prefix + word[start:e] in vocab), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(prefix + word[start:end])
        start = end
    return pieces


def _from_the_end(word, vocab):
    pieces, end = [], len(word)
    while end:
        starts = range(end)
        start = next((s for s in starts if ("##" if s else "") + word[s:end] in vocab), None)
        if start is None:
            return ["[UNK]"]
        pieces.insert(0, ("##" if start else "") + word[start:end])
        end = start
    return pieces


def _most_letters(word, vocab):
    """The fewest pieces."""

    @functools.cache
    def best(start):
        if start == len(word):
            return []
        prefix = "##" if start else ""
        ways = [
            [prefix + word[start:end], *best(end)]
            for end in range(len(word), start, -1)
            if prefix + word[start:end] in vocab and best(end) is not None
        ]
        return min(ways, key=len, default=None)

    return best(0) or ["[UNK]"]


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


def _recursive_wordpiece(text, vocab, max_letters=100):
    def plain(character):
        return "".join(
            c for c in unicodedata.normalize("NFD", character) if unicodedata.category(c) != "Mn"
        )

    def cut(rest, prefix=""):
        if not rest:
            return []
        size = max((n for n in range(1, len(rest) + 1) if prefix + rest[:n] in vocab), default=0)
        more = cut(rest[size:], "##") if size else None
        return None if more is None else [prefix + rest[:size], *more]

    words = re.findall(r"[^\W_]+|[^\w\s]|_", "".join(plain(c) for c in text).lower())
    found = [cut(word) if len(word) <= max_letters else None for word in words]
    return [piece for pieces in found for piece in (["[UNK]"] if pieces is None else pieces)]


def _by_characters(text, vocab, max_letters=100):
    """Words are collected character by character."""
    words, current = [], ""
    for c in unicodedata.normalize("NFD", text.lower()):
        if unicodedata.category(c) == "Mn":
            continue
        if c.isalnum():
            current += c
            continue
        words += [current] * (current != "")
        words += [c] * (not c.isspace())
        current = ""
    words += [current] * (current != "")
    result = []
    for word in words:
        pieces, rest = [], word
        while rest and pieces is not None:
            candidate = rest if not pieces else "##" + rest
            least = 0 if not pieces else 2
            while len(candidate) > least and candidate not in vocab:
                candidate = candidate[:-1]
            if len(candidate) == least:
                pieces = None
            else:
                pieces.append(candidate)
                rest = rest[len(candidate) - least :]
        result.extend(["[UNK]"] if pieces is None or len(word) > max_letters else pieces)
    return tuple(result)


def _by_library(text, vocab, max_letters=100):
    """The `tokenizers` library, with words as they are here: BERT's own leave out some signs.

    It makes each letter small by itself, also a Σ at the end of a word, so Python does it before.
    """
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    whole = {**vocab, "[UNK]": vocab.get("[UNK]", len(vocab) + 1)}
    model = models.WordPiece(whole, unk_token="[UNK]", max_input_chars_per_word=max_letters)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False)
    apart = pre_tokenizers.Split(Regex(r"[^\p{L}\p{N}]"), "isolated")
    spaces = pre_tokenizers.Split(Regex(r"[\s\x1c-\x1f]"), "removed")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([spaces, apart])
    return tokenizer.encode(text.lower(), add_special_tokens=False).tokens


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


def _left_over_mistakes() -> list[Mistake]:
    """One mistake for each set of bugs that may be left over."""
    words = {1: "One bug is", 2: "Two bugs are", 3: "Three bugs are", 4: "All four bugs are"}
    mistakes = []
    for count, word in words.items():
        for left in combinations(_BUGS, count):
            reasons = "; ".join(_BUGS[bug][0] for bug in left)
            mistakes.append(
                Mistake(
                    "_and_".join(left),
                    f"{word} still there: {reasons}.",
                    [edit for bug in left for edit in _BUGS[bug][1]],
                    points=4 - count,
                    by_bug=True,
                    section=LONGEST
                    if count > 1 or left[0] not in ("composed", "punctuation")
                    else CLEANING,
                )
            )
    return mistakes


_SPACED = '"".join(c if c.isalnum() else f" {c} " for c in plain)'


def _too_long(becomes: str) -> str:
    """What the text is with its words spaced, where the limit holds between white spaces."""
    return (
        '" ".join(\n        "".join(c if c.isalnum() else f" {c} " for c in chunk)\n'
        f"        if len(chunk) <= max_letters\n        else {becomes}\n"
        "        for chunk in plain.split()\n    )"
    )


_UNKNOWN = "                found = []\n                break\n"

EXERCISE = Exercise(
    id="repaired_wordpiece",
    title="Bug hunt: WordPiece",
    signature="repaired_wordpiece(text, vocab, max_letters=100)",
    reference=repaired_wordpiece,
    combined=(*_BUGS, "unknown_skipped", "runs_together", "not_lower", "no_prefix"),
    broken=("_and_".join(_BUGS),),
    cases=_wordpiece_cases,
    parts=(
        Part("core", "all four bugs are gone", 3),
        Part("limits", "long words, no words, white space and symbols", 1),
    ),
    minutes=20,
    difficulty=2,
    section=LONGEST,
    alternatives={
        "recursion and a regular expression": _recursive_wordpiece,
        "character by character": _by_characters,
        "library": _by_library,
    },
    mistakes=(
        *_left_over_mistakes(),
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
            "Nothing comes back for what follows a word that cannot be cut. Go on with the next "
            "word.",
            [(_UNKNOWN, '                return [*pieces, "[UNK]"]\n')],
        ),
        Mistake(
            "runs_together",
            "Punctuation marks side by side are one word. Each is a word of its own: `...` is "
            "three.",
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
                        "if c.isalnum() or not c.isascii() and "
                        'unicodedata.category(c)[0] != "P" else',
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
        kept(
            [
                ("max_letters=100):", "max_letters=100, kept={}):"),
                (
                    "        pieces += found or",
                    "        found = kept.setdefault((word, max_letters), found)\n"
                    "        pieces += found or",
                ),
            ],
        ),
        changed(
            "vocab",
            [("    pieces = []\n", '    pieces = []\n    vocab.setdefault("[MASK]", 0)\n')],
        ),
    ),
)
