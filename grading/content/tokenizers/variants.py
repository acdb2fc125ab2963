"""Variants of the exercises of assignment 9."""

from __future__ import annotations

from grading.exercise.variants import Variant

_PLAUSIBLE = (
    "It runs, every piece that it returns is in the vocabulary or `[UNK]`, and for the example it "
    "gives something that looks plausible.",
    "It runs, and every piece that it returns is in the vocabulary or `[UNK]`.",
)
_SKETCH = (
    "the form in which accents can be seen, what becomes of punctuation, the order in which the "
    "ends are tried, and what is left of a word once it turns out that it can't be cut."
)

VARIANTS = {
    "repaired_wordpiece": (
        Variant(
            bugs={
                "not_lower": "capital letters stay as they are",
                "punctuation": "punctuation becomes white space and is lost: each such character "
                "is a word of its own",
                "last_letter": "the whole rest of a word is never tried, so its last letter is "
                "always a piece of its own",
                "rest_dropped": "where a word cannot be cut to its end, the pieces found so far "
                "are kept, as if they were all of it",
            },
            text=[
                _PLAUSIBLE,
                (
                    _SKETCH,
                    "what is done to the letters, what becomes of punctuation, which ends are "
                    "tried, and what is left of a word once it turns out that it can't be cut.",
                ),
                (
                    "lower case; which normal form has accents as characters of their own? "
                    "without those",
                    "what becomes of capital letters, and of accents?",
                ),
            ],
        ),
        Variant(
            bugs={
                "composed": "in the form NFC an accent is part of its letter, so none is taken "
                "off: NFD has accents as characters of their own",
                "digits_apart": "digits are taken for punctuation, but they belong to words",
                "prefix_of_the_text": "`##` is put in front of every piece but the first of the "
                "*text*, but each word has a first piece of its own",
                "unknown_twice": "a word that cannot be cut becomes two `[UNK]`, but one is for "
                "the whole word",
            },
            text=[
                _PLAUSIBLE,
                (
                    ", and which is missing altogether?",
                    "?",
                ),
                (
                    _SKETCH,
                    "the form in which accents can be seen, which characters make a word, when "
                    "`##` stands in front, and what a word becomes that can't be cut.",
                ),
            ],
        ),
    ),
}
