"""Bug hunt: a WordPiece that runs, with four bugs."""

from __future__ import annotations

import functools
import re
import unicodedata

import torch

from grading.content.drawing import draw_integer, one_of
from grading.content.tokenizers.sections import LONGEST
from grading.content.tokenizers.shared import draw_letters, draw_word
from grading.exercise import Case, Part, Question


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


QUESTION = Question(
    id="repaired_wordpiece",
    title="Bug hunt: WordPiece",
    signature="repaired_wordpiece(text, vocab, max_letters=100)",
    reference=repaired_wordpiece,
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
)
