"""Tokenizers: from a text to the ids that a model reads, and back again (chapter 9).

Two of them, in plain Python. `BytePairTokenizer` is what GPT-2 and most models since use: byte-pair
encoding (Sennrich et al. 2016) over bytes (Radford et al. 2019). `WordPieceTokenizer` is BERT's. A
piece is a string, an id a number, a merge a pair of pieces.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

import regex

Pair = tuple[str, str]


def _byte_symbols() -> dict[int, str]:
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    shifted = {byte: chr(256 + i) for i, byte in enumerate(others)}
    return {byte: chr(byte) for byte in printable} | shifted


# GPT-2's stand-ins for the 256 bytes, so that pieces can be printed: a byte that is a visible
# character in Latin-1 is that character, the others are those from U+0100 on ("Ġ" is the space).
BYTE_SYMBOLS = _byte_symbols()
_BYTES = {symbol: byte for byte, symbol in BYTE_SYMBOLS.items()}

# GPT-2's encoder.py: a contraction; letters, digits or other characters, each with the space before
# them; white space, whose last space is left to the word that follows.
_WORD = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


def pre_tokenize(text: str) -> list[str]:
    """Split a text into words as GPT-2 does; joined, they are the text again.

    A word keeps the space before it. Merges never cross the border between two words.

    Raises:
        TypeError: if it is not a text.
    """
    return _WORD.findall(_checked(text))


def to_symbols(text: str) -> str:
    """Write a text byte by byte (UTF-8), in the symbols of :data:`BYTE_SYMBOLS`.

    Raises:
        ValueError: if a character has no UTF-8, which is so for half a surrogate pair.
    """
    try:
        return "".join(BYTE_SYMBOLS[byte] for byte in text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise ValueError(
            f"Found {text[error.start]!r}, one half of a surrogate pair, which UTF-8 cannot write; "
            "expected whole characters."
        ) from error


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Count the words of some texts, written in byte symbols: what :func:`train_bpe` learns from.

    Raises:
        TypeError: if one of them is not a text, or ``texts`` is a single text.
    """
    if isinstance(texts, str):
        raise TypeError("Found one text, expected a list of texts: put it into brackets.")
    plain = Counter(word for text in texts for word in pre_tokenize(text))
    return Counter({to_symbols(word): count for word, count in plain.items()})


def merge_pair(pieces: Sequence[str], pair: Pair) -> list[str]:
    """Join a pair of neighbours wherever it occurs, from left to right, each piece used once."""
    merged = []
    i = 0
    while i < len(pieces):
        if tuple(pieces[i : i + 2]) == pair:
            merged.append(pieces[i] + pieces[i + 1])
            i += 2
        else:
            merged.append(pieces[i])
            i += 1
    return merged


def train_bpe(
    word_counts: Mapping[str, int],
    vocab_size: int,
    alphabet: Iterable[str] = tuple(BYTE_SYMBOLS.values()),
    special_tokens: Sequence[str] = (),
    min_frequency: int = 1,
) -> tuple[dict[str, int], list[Pair]]:
    """Learn merges: join the most frequent pair of neighbours, and again, until there are enough.

    Sennrich et al. 2016, algorithm 1. Of several pairs that are equally frequent, the one with the
    smallest ids is taken: the smallest id on the left, then on the right. So does the library
    `tokenizers`, whose merges and ids these are.

    Args:
        word_counts: words, of which each character is a piece to begin with, and how often each
            occurs.
        vocab_size: how many pieces there should be, special tokens and alphabet included; there
            are fewer if nothing is left to be merged.
        alphabet: characters that get an id whether they occur or not.
        special_tokens: what gets the first ids.
        min_frequency: a pair that is rarer is not merged.

    Returns:
        The id of each piece (special tokens, then characters by code point, then what was merged),
        and the merges in order.

    Raises:
        ValueError: if the vocabulary would be empty, or too small for alphabet and special tokens.
    """
    characters = sorted(set(alphabet).union(*word_counts))
    vocab = {piece: i for i, piece in enumerate(dict.fromkeys([*special_tokens, *characters]))}
    if not vocab or vocab_size < len(vocab):
        raise ValueError(
            f"Found a vocab_size of {vocab_size} for {len(vocab)} special tokens and characters: "
            "expected at least one of these, and room for all of them."
        )
    words = [list(word) for word in word_counts]
    counts = list(word_counts.values())
    pair_counts: Counter[Pair] = Counter()
    where: defaultdict[Pair, set[int]] = defaultdict(set)  # the words in which a pair occurs

    def add(i: int, sign: int) -> None:
        for pair in pairwise(words[i]):
            pair_counts[pair] += sign * counts[i]
            where[pair].add(i)

    def entry(pair: Pair) -> tuple[int, int, int, Pair]:
        return -pair_counts[pair], vocab[pair[0]], vocab[pair[1]], pair  # the smallest is merged

    for i in range(len(words)):
        add(i, 1)
    queue = [entry(pair) for pair in pair_counts]
    heapify(queue)
    merges: list[Pair] = []
    while len(vocab) < vocab_size and queue:
        first = heappop(queue)
        best = first[-1]
        if first != entry(best):  # its count has changed since
            if pair_counts[best]:
                heappush(queue, entry(best))
            continue
        if pair_counts[best] < max(min_frequency, 1):
            break
        merges.append(best)
        joined = "".join(best)
        vocab.setdefault(joined, len(vocab))
        changed: set[Pair] = set()
        for i in where.pop(best):
            add(i, -1)
            words[i] = merge_pair(words[i], best)
            add(i, 1)
            changed.update(pair for pair in pairwise(words[i]) if joined in pair)
        for pair in changed:
            heappush(queue, entry(pair))
    return vocab, merges


class BytePairTokenizer:
    """Byte-pair encoding over bytes: every text has ids, and the ids give back the same text.

    Args:
        vocab: the id of each piece; pieces are written in the symbols of :data:`BYTE_SYMBOLS`.
        merges: pairs of pieces; the first has the lowest rank and is merged first.
        special_tokens: pieces that are found in a text before anything else is, and never cut.

    Raises:
        ValueError: if ``vocab`` is empty, or lacks a piece of a merge or a special token.
    """

    def __init__(
        self, vocab: Mapping[str, int], merges: Sequence[Pair], special_tokens: Sequence[str] = ()
    ) -> None:
        self.vocab = _checked_vocab(vocab)
        self.pieces = {i: piece for piece, i in vocab.items()}
        self.ranks = {(left, right): rank for rank, (left, right) in enumerate(merges)}
        self.special_tokens = tuple(special_tokens)
        self._special = _pattern_of(self.special_tokens)
        needed = [*special_tokens, *(p for a, b in merges for p in (a, b, a + b))]
        if missing := [piece for piece in needed if piece not in vocab]:
            raise ValueError(f"The vocabulary has no {missing[0]!r}, which merges or texts need.")
        self._known: dict[str, list[str]] = {}  # pieces of words that were seen before

    @classmethod
    def train(
        cls, texts: Iterable[str], vocab_size: int, special_tokens: Sequence[str] = ()
    ) -> BytePairTokenizer:
        """Learn a vocabulary of ``vocab_size`` pieces from some texts; see :func:`train_bpe`."""
        vocab, merges = train_bpe(count_words(texts), vocab_size, special_tokens=special_tokens)
        return cls(vocab, merges, special_tokens)

    def tokenize(self, text: str) -> list[str]:
        """Cut a text into pieces.

        Raises:
            TypeError: if it is not a text.
            ValueError: if it holds a character that UTF-8 cannot write.
        """
        pieces = []
        for part, is_special in _split_special(_checked(text), self._special):
            words = [part] if is_special else pre_tokenize(part)
            for word in words:
                pieces += [word] if is_special else self._merge(to_symbols(word))
        return pieces

    def _merge(self, word: str) -> list[str]:
        """Merge a word's pairs in order of rank, until no pair has one."""
        if word not in self._known:
            pieces = list(word)
            while len(pieces) > 1:
                best = min(pairwise(pieces), key=lambda pair: self.ranks.get(pair, math.inf))
                if best not in self.ranks:
                    break
                pieces = merge_pair(pieces, best)
            self._known[word] = pieces
        return self._known[word]

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids. Special tokens are not added; one in the text has its own id.

        Raises:
            TypeError: if it is not a text.
            ValueError: if the vocabulary lacks one of its bytes.
        """
        pieces = self.tokenize(text)
        if missing := [piece for piece in pieces if piece not in self.vocab]:
            raise ValueError(f"The vocabulary has no {missing[0]!r}: expected all 256 bytes.")
        return [self.vocab[piece] for piece in pieces]

    def decode(
        self, ids: Iterable[int], skip_special_tokens: bool = False, errors: str = "replace"
    ) -> str:
        """Turn ids into the text that they stand for.

        Args:
            ids: in order. All of a text's ids give the text; a part may begin or end inside a
                character.
            skip_special_tokens: leave them out.
            errors: what becomes of bytes that are not a character, as in ``bytes.decode``:
                ``"replace"`` writes "�", ``"strict"`` raises ``UnicodeDecodeError``.

        Raises:
            ValueError: if an id is not in the vocabulary.
        """
        found = b""
        for piece in _pieces_of(ids, self.pieces):
            if piece in self.special_tokens:
                found += b"" if skip_special_tokens else piece.encode("utf-8")
            else:
                found += bytes(_BYTES[symbol] for symbol in piece)
        return found.decode("utf-8", errors)


# What BERT's tokenization.py calls Chinese characters: these blocks of ideographs, not the other
# scripts of Japanese and Korean, which put spaces between words or are left whole.
_CHINESE = (
    range(0x4E00, 0xA000),
    range(0x3400, 0x4DC0),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B820, 0x2CEB0),
    range(0xF900, 0xFB00),
    range(0x2F800, 0x2FA20),
)


def clean_text(text: str) -> str:
    """Drop control characters and "�", and make every kind of white space a space.

    Raises:
        TypeError: if it is not a text.
    """
    dropped = ("Cc", "Cf", "Co", "Cs")  # controls, formats, private use, halves of surrogate pairs
    kept = (
        c
        for c in _checked(text)
        if c in "\t\n\r" or (c != "�" and unicodedata.category(c) not in dropped)
    )
    return "".join(" " if c.isspace() else c for c in kept)


def split_words(text: str, lowercase: bool = True) -> list[str]:
    """Clean a text and split it as BERT does, into words, Chinese characters and punctuation marks.

    Follows `BasicTokenizer` of BERT's tokenization.py (Devlin et al. 2019).

    Args:
        text: any text.
        lowercase: make capitals small and take accents away, as "uncased" models want it.

    Raises:
        TypeError: if it is not a text.
    """
    text = clean_text(text)
    if lowercase:
        decomposed = unicodedata.normalize("NFD", text)  # "ü" becomes "u" and two dots
        base = (c for c in decomposed if unicodedata.category(c) != "Mn")
        text = "".join(c.lower() for c in base)  # one by one: "Σ" at the end of a word is "σ" here
    return "".join(f" {c} " if _stands_alone(c) else c for c in text).split()


def _stands_alone(character: str) -> bool:
    """Say whether BERT makes a word of this one character: Chinese, or a punctuation mark.

    All signs of ASCII count as punctuation, "$" and "+" too.
    """
    code = ord(character)
    is_sign = 33 <= code < 127 and not character.isalnum()
    is_punctuation = unicodedata.category(character)[0] == "P"
    is_chinese = code >= 0x3400 and any(code in block for block in _CHINESE)
    return is_sign or is_punctuation or is_chinese


class WordPieceTokenizer:
    """BERT's tokenizer: words first, then for each the longest pieces that the vocabulary has.

    Args:
        vocab: the id of each piece; one that continues a word begins with ``prefix``.
        lowercase: see :func:`split_words`.
        unk_token: what stands for a word that cannot be put together from pieces.
        cls_token: what is put before a text.
        sep_token: what is put behind it.
        other_tokens: special tokens beside these; those that ``vocab`` lacks do not count.
        prefix: what a piece begins with that continues a word.
        max_characters: a longer word is unknown.

    Raises:
        ValueError: if ``vocab`` is empty or has no ``unk_token``, ``cls_token`` or ``sep_token``.
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        lowercase: bool = True,
        unk_token: str = "[UNK]",
        cls_token: str = "[CLS]",
        sep_token: str = "[SEP]",
        other_tokens: Sequence[str] = ("[PAD]", "[MASK]"),
        prefix: str = "##",
        max_characters: int = 100,
    ) -> None:
        self.vocab = _checked_vocab(vocab)
        self.pieces = {i: piece for piece, i in vocab.items()}
        self.lowercase = lowercase
        self.unk_token, self.cls_token, self.sep_token = unk_token, cls_token, sep_token
        needed = (unk_token, cls_token, sep_token)
        if missing := [token for token in needed if token not in vocab]:
            raise ValueError(f"The vocabulary has no {missing[0]!r}: add it, or name another one.")
        self.special_tokens = (*needed, *(token for token in other_tokens if token in vocab))
        self._special = _pattern_of(self.special_tokens)
        self.prefix = prefix
        self.max_characters = max_characters

    def tokenize(self, text: str) -> list[str]:
        """Cut a text into pieces, without ``[CLS]`` and ``[SEP]``.

        Raises:
            TypeError: if it is not a text.
        """
        pieces = []
        for part, is_special in _split_special(_checked(text), self._special):
            if is_special:
                pieces.append(part)
            else:
                for word in split_words(part, self.lowercase):
                    pieces += self.match(word)
        return pieces

    def match(self, word: str) -> list[str]:
        """Cut a word: the longest piece that it begins with, then the same with the rest.

        If at some point no piece fits, the whole word is unknown.
        """
        if len(word) > self.max_characters:
            return [self.unk_token]
        pieces = []
        start = 0
        while start < len(word):
            prefix = self.prefix if start else ""
            ends = range(len(word), start, -1)
            fits = (end for end in ends if prefix + word[start:end] in self.vocab)
            end = next(fits, None)
            if end is None:
                return [self.unk_token]
            pieces.append(prefix + word[start:end])
            start = end
        return pieces

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """Turn a text into ids, with ``[CLS]`` before and ``[SEP]`` behind unless told otherwise.

        Raises:
            TypeError: if it is not a text.
        """
        pieces = self.tokenize(text)
        if add_special_tokens:
            pieces = [self.cls_token, *pieces, self.sep_token]
        return [self.vocab[piece] for piece in pieces]

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """Join pieces to words and words with spaces. The text itself cannot be had back.

        Raises:
            ValueError: if an id is not in the vocabulary.
        """
        text = ""
        for piece in _pieces_of(ids, self.pieces):
            if piece in self.special_tokens and skip_special_tokens:
                continue
            if text and piece.startswith(self.prefix):
                text += piece.removeprefix(self.prefix)
            else:
                text += f" {piece}" if text else piece
        return text


def _checked(text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"Found {type(text).__name__}, expected a text (str).")
    return text


def _checked_vocab(vocab: Mapping[str, int]) -> dict[str, int]:
    if not vocab:
        raise ValueError("The vocabulary is empty: expected at least one piece with its id.")
    return dict(vocab)


def _pattern_of(special_tokens: Sequence[str]) -> regex.Pattern[str] | None:
    """Return what finds any of these tokens, the longest that fits; None if there are none."""
    if not special_tokens:
        return None
    longest_first = sorted(special_tokens, key=len, reverse=True)
    return regex.compile("(" + "|".join(map(regex.escape, longest_first)) + ")")


def _split_special(text: str, special: regex.Pattern[str] | None) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text, and whether each is a special token."""
    if special is None:
        yield text, False
        return
    for i, part in enumerate(special.split(text)):
        if part:
            yield part, i % 2 == 1  # split puts what matched between what did not


def _pieces_of(ids: Iterable[int], pieces: Mapping[int, str]) -> Iterator[str]:
    for i in ids:
        if i not in pieces:
            raise ValueError(
                f"There is no id {i} in this vocabulary of {len(pieces)} pieces: expected ids that "
                "the same tokenizer made."
            )
        yield pieces[i]
