"""Our tokenizers against the library `tokenizers` and BERT's own, on texts in every script."""

import gettext
import gzip
import json
import random
import unicodedata
from pathlib import Path

import pytest
import sphinx
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from solutions import load_checkpoint
from solutions.corpus import load_names
from solutions.tokenizers import (
    BYTE_SYMBOLS,
    BytePairTokenizer,
    WordPieceTokenizer,
    clean_text,
    count_words,
    merge_pair,
    pre_tokenize,
    split_words,
    to_symbols,
    train_bpe,
)
from solutions.trained import read_plays

MODELS = Path(__file__).parents[2] / "models"
END = "<|endoftext|>"

# There are no shapes to check here, and each check of a type would come before our own.
pytestmark = pytest.mark.usefixtures("as_a_reader_runs_it")

# What breaks tokenizers: marks that pile up, joiners, directions, controls, spaces of every width,
# a final sigma, a dotted capital I, ligatures, runs, and words without end.
ADVERSARIAL = [
    "",
    " ",
    "\n\n\t \r\n",
    "a\u0300\u0301\u0302\u0303e\u0308 Z\u0351\u0349\u036b",
    "👩‍👩‍👧‍👦 family, 🏳️‍🌈 flag, 👋🏽 hand, 🇨🇭 land, 1️⃣ key",
    "\u200b\u200d\u200e\u202eright to left\u202c\ufeff",
    "\x00\x01\x07\x1b[0m\x7f\x80\x85\x9f�",
    "a\u00a0b\u1680c\u2003d\u2028e\u2029f\u3000g\u000bh\u000ci\u001cj",
    "ΟΔΥΣΣΕΥΣ ΟΔΟΣ Σ ς ὈΔΥΣΣΕΎΣ",
    "İstanbul ISPARTA ıĞ ǅ ǆ ß ẞ ŉ ﬁ ﬀ",
    "Köln Ångström naïve façade Ørsted Łódź đồng",
    "a" * 100,
    "a" * 101,
    "ä" * 100,
    "1" * 5000,
    "-" * 300 + " " * 300 + "=" * 77,
    "don't won't it's we'll I'd they've 'tis rock'n'roll ’s",
    "$1,234.56 + 7% ^_^ `code` <tag> ~user@host #1 a=b |c| \\n",
    "你好，世界。こんにちは世界 한국어 ㄱㅏ 豈 𠀀𪜀𫠞",
    "[CLS] [SEP][MASK] [mask] [UNK] [PAD]x [ CLS ] ##ing",
    f"one{END}two {END} <|endoftext| >",
    "𝕋𝕙𝕖 𝓆𝓊𝒾𝒸𝓀 𝟙𝟚𝟛 ½ ² Ⅷ ① ٣ ३ 三",
    "Ġ Ċ Ä ¡ ÿ Ā",  # that look like symbols of bytes
    "สวัสดี नमस्ते ཨོཾ မြန်မာ ខ្មែរ አማርኛ 𞤀𞤁𞤂",
]


@pytest.fixture(scope="module")
def shakespeare():
    return read_plays()


@pytest.fixture(scope="module")
def texts():
    """Twelve thousand texts in every script: names, messages of a program, sentences."""
    names = {name for each in load_names().values() for name in each.values()}
    names |= {name for each in load_names("languages").values() for name in each.values()}
    messages = set()
    for file in (Path(sphinx.__file__).parent / "locale").glob("*/LC_MESSAGES/*.mo"):
        with open(file, "rb") as stream:
            catalog = gettext.GNUTranslations(stream)._catalog
        messages |= {text for key, text in catalog.items() if key and isinstance(text, str)}
    with gzip.open(MODELS / "tatoeba_english_german.tsv.gz", "rt", encoding="utf-8") as lines:
        sentences = {text for line in lines for text in line.rstrip("\n").split("\t")[:2]}
    draw = random.Random(0)
    drawn = [draw.sample(sorted(each), 4000) for each in (names, messages, sentences)]
    return [text for each in drawn for text in each] + ADVERSARIAL


def of_library(texts, vocab_size, special_tokens=(), min_frequency=0):
    """Train byte-level BPE with the library."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=list(special_tokens),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def merges_of(library):
    return [tuple(pair) for pair in json.loads(library.to_str())["model"]["merges"]]


# --- byte-pair encoding ---------------------------------------------------------------------------


def test_merges_vocabulary_and_ids_are_the_librarys(shakespeare, texts):
    ours = BytePairTokenizer.train([shakespeare], 1000, [END])
    library = of_library([shakespeare], 1000, [END])
    assert list(ours.ranks) == merges_of(library)
    assert ours.vocab == library.get_vocab()
    found = [ours.encode(text) for text in texts]
    expected = [each.ids for each in library.encode_batch(texts, add_special_tokens=False)]
    assert found == expected
    assert [ours.decode(ids) for ids in found] == texts
    with_end = found[-3 * len(ADVERSARIAL) :]
    skipping = [library.decode(ids, skip_special_tokens=True) for ids in with_end]
    assert [ours.decode(ids, skip_special_tokens=True) for ids in with_end] == skipping


def test_merges_are_the_librarys_where_nearly_every_count_is_tied():
    draw = random.Random(1)
    for letters in ("ab", "abc", "a-", " a", "aé日", "a b\n", "aAbB12 ") * 12:
        lengths = [draw.randrange(1, 60) for _ in range(draw.randrange(1, 8))]
        texts = ["".join(draw.choices(letters, k=length)) for length in lengths]
        size, least = 256 + draw.randrange(5, 40), draw.randrange(1, 3)
        ours = train_bpe(count_words(texts), size, min_frequency=least)
        library = of_library(texts, size, min_frequency=least)
        assert ours[1] == merges_of(library), (texts, size)
        assert ours[0] == library.get_vocab()
        tokenizer = BytePairTokenizer(*ours)
        assert [tokenizer.encode(t) for t in texts] == [library.encode(t).ids for t in texts]


def test_a_merge_uses_each_piece_once_from_left_to_right():
    assert merge_pair(list("aaaaa"), ("a", "a")) == ["aa", "aa", "a"]
    assert merge_pair(["a", "b", "ab"], ("a", "b")) == ["ab", "ab"]
    assert merge_pair([], ("a", "b")) == []


def test_ranks_decide_and_not_the_order_in_the_word_or_the_longest_piece():
    vocab = {piece: i for i, piece in enumerate([*BYTE_SYMBOLS.values(), "bc", "ab", "bcd"])}
    tokenizer = BytePairTokenizer(vocab, [("b", "c"), ("a", "b"), ("bc", "d")])
    assert tokenizer.tokenize("abcd") == ["a", "bcd"]
    assert tokenizer.tokenize("abc") == ["a", "bc"]


def test_training_stops_when_no_pair_is_left_or_all_are_rarer_than_asked():
    vocab, merges = train_bpe({"aab": 1}, 1000, alphabet=())
    assert merges == [("a", "a"), ("aa", "b")]
    assert vocab == {"a": 0, "b": 1, "aa": 2, "aab": 3}
    assert train_bpe({"aab": 1}, 1000, alphabet=(), min_frequency=2)[1] == []
    assert train_bpe({"aab": 1, "ab": 1}, 1000, (), min_frequency=2)[1] == [("a", "b")]


def test_words_keep_their_space_and_joined_they_are_the_text(texts):
    words = pre_tokenize("Time flies,  like 2 arrows!\n\nIt's")
    assert words == [
        *("Time", " flies", ",", " ", " like", " 2", " arrows", "!", "\n", "\n", "It", "'s")
    ]
    assert all("".join(pre_tokenize(text)) == text for text in texts)


def test_a_part_of_the_ids_can_end_inside_a_character():
    ids = (tokenizer := BytePairTokenizer.train(["a"], 256)).encode("é")
    assert len(ids) == 2
    assert tokenizer.decode(ids) == "é"
    assert tokenizer.decode(ids[:1]) == "�"
    with pytest.raises(UnicodeDecodeError):
        tokenizer.decode(ids[:1], errors="strict")


def test_of_two_special_tokens_the_longer_is_found():
    tokenizer = BytePairTokenizer.train(["ab"], 258, ["<s>", "<s>>"])
    assert tokenizer.tokenize("a<s>>b<s>") == ["a", "<s>>", "b", "<s>"]
    assert tokenizer.decode(tokenizer.encode("a<s>>b"), skip_special_tokens=True) == "ab"


# --- WordPiece ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bert():
    tokenizer = load_checkpoint().tokenizer
    tokenizer.backend_tokenizer.no_padding()
    tokenizer.backend_tokenizer.no_truncation()
    return tokenizer


@pytest.fixture(scope="module")
def wordpiece(bert):
    return WordPieceTokenizer(bert.get_vocab())


def test_ids_are_those_of_berts_tokenizer_in_every_script(bert, wordpiece, texts):
    expected = [each.ids for each in bert.backend_tokenizer.encode_batch(texts)]
    assert [wordpiece.encode(text) for text in texts] == expected
    assert len(texts) > 12_000
    scripts = {unicodedata.name(c, "?").split()[0] for text in texts for c in text if c.isalpha()}
    assert len(scripts) > 40


def test_a_cased_vocabulary_keeps_capitals_and_accents(texts):
    letters = {c for text in texts for c in text if c.isprintable() and not c.isspace()}
    pieces = ["[UNK]", "[CLS]", "[SEP]", *sorted(letters), *(f"##{c}" for c in sorted(letters))]
    vocab = {piece: i for i, piece in enumerate(pieces)}
    library = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=100))
    library.normalizer = normalizers.BertNormalizer(lowercase=False)
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    library.add_special_tokens(["[UNK]", "[CLS]", "[SEP]"])
    ours = WordPieceTokenizer(vocab, lowercase=False)
    expected = [each.ids for each in library.encode_batch(texts)]
    assert [ours.encode(text, add_special_tokens=False) for text in texts] == expected


def test_decoding_is_the_librarys_without_its_cleaning_up(bert, wordpiece, texts):
    library = decoders.WordPiece(prefix="##", cleanup=False)
    for text in texts[::10]:
        ids = wordpiece.encode(text)
        pieces = bert.convert_ids_to_tokens(ids)
        assert wordpiece.decode(ids) == library.decode(pieces)
        plain = [piece for piece in pieces if piece not in bert.all_special_tokens]
        assert wordpiece.decode(ids, skip_special_tokens=True) == library.decode(plain)


def test_the_longest_piece_wins_though_it_may_lead_nowhere():
    vocab = dict.fromkeys(["[UNK]", "[CLS]", "[SEP]", "ab", "a", "##b", "##cd", "##bcd"], 0)
    tokenizer = WordPieceTokenizer(vocab)
    assert tokenizer.tokenize("abcd") == ["ab", "##cd"]
    del vocab["##cd"]  # "a ##bcd" would do, but the search does not go back
    assert WordPieceTokenizer(vocab).tokenize("abcd") == ["[UNK]"]


def test_ideographs_that_the_library_forgets_stand_alone_as_in_berts_own_code(bert):
    """The library's table begins at U+2B920 where BERT's begins at U+2B820: 256 are left out."""
    apart = [chr(c) for c in range(0x2B820, 0x2B920)]
    normalizer = bert.backend_tokenizer.normalizer
    assert all(split_words(f"a{c}b") == ["a", c, "b"] for c in apart)
    assert all(normalizer.normalize_str(f"a{c}b") == f"a{c}b" for c in apart)
    assert normalizer.normalize_str(f"a{chr(0x2B920)}b").split() == ["a", chr(0x2B920), "b"]


def test_texts_are_cleaned_split_and_stripped_of_accents():
    assert clean_text("a\u200bb\x00\tc\u00a0d�") == "ab c d"
    assert split_words("Zürich's CAFÉ, naïvely…") == [
        *("zurich", "'", "s", "cafe", ",", "naively", "…")
    ]
    assert split_words("Zürich's CAFÉ", lowercase=False) == ["Zürich", "'", "s", "CAFÉ"]


# --- bad input ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def byte_pairs():
    return BytePairTokenizer.train(["time flies"], 260, [END])


@pytest.mark.parametrize("kind", ["byte_pairs", "wordpiece"])
def test_what_is_not_a_text_is_refused(kind, request):
    tokenizer = request.getfixturevalue(kind)
    for given, name in ((None, "NoneType"), (3, "int"), (["a"], "list"), (b"a", "bytes")):
        with pytest.raises(TypeError, match=rf"Found {name}, expected a text \(str\)\."):
            tokenizer.encode(given)


@pytest.mark.parametrize("kind", ["byte_pairs", "wordpiece"])
def test_an_unknown_id_is_refused(kind, request):
    tokenizer = request.getfixturevalue(kind)
    for bad in (-1, 10**6):
        with pytest.raises(ValueError, match=rf"There is no id {bad} in this vocabulary of \d+"):
            tokenizer.decode([0, bad])


def test_an_empty_or_incomplete_vocabulary_is_refused():
    for tokenizer in (lambda: BytePairTokenizer({}, []), lambda: WordPieceTokenizer({})):
        with pytest.raises(ValueError, match="The vocabulary is empty"):
            tokenizer()
    with pytest.raises(ValueError, match=r"has no '\[UNK\]'"):
        WordPieceTokenizer({"a": 0})
    with pytest.raises(ValueError, match="has no 'ab'"):
        BytePairTokenizer({"a": 0, "b": 1}, [("a", "b")])
    with pytest.raises(ValueError, match="has no 'c': expected all 256 bytes"):
        BytePairTokenizer({"a": 0, "b": 1}, []).encode("abc")


def test_training_refuses_one_text_and_a_vocabulary_that_is_too_small():
    with pytest.raises(TypeError, match="Found one text, expected a list of texts"):
        count_words("time flies")
    with pytest.raises(ValueError, match="vocab_size of 100 for 256 special tokens and characters"):
        train_bpe(count_words(["time flies"]), 100)
    with pytest.raises(ValueError, match="for 0 special tokens"):
        train_bpe({}, 10, alphabet=())


def test_half_a_surrogate_pair_is_refused_where_bytes_are_needed(byte_pairs, wordpiece):
    with pytest.raises(ValueError, match=r"Found '\\ud800', one half of a surrogate pair"):
        byte_pairs.encode("a\ud800")
    assert wordpiece.tokenize("a\ud800b") == wordpiece.tokenize("ab")


def test_every_byte_has_a_symbol_of_its_own_that_is_no_space():
    assert sorted(BYTE_SYMBOLS) == list(range(256))
    assert len(set(BYTE_SYMBOLS.values())) == 256
    assert not any(symbol.isspace() for symbol in BYTE_SYMBOLS.values())
    assert to_symbols(" é\n") == "ĠÃ©Ċ"
