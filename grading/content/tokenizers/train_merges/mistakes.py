"""The known mistakes of `train_merges`."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from grading.content.common import kept
from grading.content.tokenizers.sections import COMMON, TIES
from grading.content.tokenizers.shared import changed
from grading.exercise import Mistake


def _counted_once(counts, num_merges, min_frequency=2, max_length=None):
    frequency = Counter()
    for word, count in counts.items():
        for pair in pairwise(word):
            frequency[pair] += count
    ranked = sorted(frequency, key=lambda pair: (-frequency[pair], pair))
    return [pair for pair in ranked if frequency[pair] >= min_frequency][:num_merges]


_ANY_LENGTH = [('\n            and (max_length is None or len("".join(pair)) <= max_length)', "")]
_LIMIT = '(max_length is None or len("".join(pair)) <= max_length)'
_TOO_LONG = (
    "        if max_length is not None and len(''.join(best)) > max_length:\n"
    "            WHAT\n"
    "        merges.append(best)"
)
_KEY = "(-frequency[pair], pair)"
_MERGE = "merged(pieces, best), count"
_RANK = "([*sorted(set(''.join(counts))), *map(''.join, merges)]).index"


COMBINED = (
    "unweighted",
    "replaced",
    "first_seen",
    "largest",
    "by_id",
    "strictly",
    "at_least_two",
    "too_long_stops",
    "runs_out",
)

MISTAKES = (
    Mistake(
        "unweighted",
        "Every word counts once, however often it occurs. A place counts as often as its word.",
        [("frequency[pair] += count", "frequency[pair] += 1")],
    ),
    Mistake(
        "per_word",
        "A pair that has two places in a word is counted once there. Every place counts.",
        [("in pairwise(pieces):", "in dict.fromkeys(pairwise(pieces)):")],
    ),
    Mistake(
        "per_word_unweighted",
        "What is counted is in how many different words a pair is. Every place counts, and as "
        "often as its word occurs.",
        [
            ("in pairwise(pieces):", "in dict.fromkeys(pairwise(pieces)):"),
            ("frequency[pair] += count", "frequency[pair] += 1"),
        ],
    ),
    Mistake(
        "counted_apart",
        "In `aaa` the pair (`a`, `a`) is counted once, as if its places could not share a "
        "letter. Count every two neighbours: it has two places.",
        [
            (
                "for pair in pairwise(pieces):",
                "last = None\n"
                "            for place, pair in enumerate(pairwise(pieces)):\n"
                "                if pair[0] == pair[1] and last == (place - 1, pair):\n"
                "                    continue\n"
                "                last = place, pair",
            )
        ],
    ),
    Mistake(
        "across",
        "The last piece of a word and the first of the next are counted as neighbours. Pairs "
        "are within a word.",
        [
            (
                "for pieces, count in words:\n            for pair",
                "before = []\n"
                "        for pieces, count in words:\n"
                "            if before:\n"
                "                frequency[before[-1], pieces[0]] += count\n"
                "            before = pieces\n"
                "            for pair",
            )
        ],
        other_forms=(
            [
                (
                    "[(list(word), count) for word, count in counts.items()]",
                    "[(list(''.join(word * count for word, count in counts.items())), 1)]",
                )
            ],
        ),
    ),
    Mistake(
        "not_recounted",
        "The pairs are counted once, at the beginning, and merged in that order. After a merge "
        "there are new pairs, and old ones have become rarer: count anew each time.",
        _counted_once,
    ),
    Mistake(
        "not_reset",
        "The frequencies of earlier rounds are still there, and the new ones are added to "
        "them. Start each round with an empty counter.",
        [
            (
                "    for _ in range(num_merges):\n        frequency = Counter()\n",
                "    frequency = Counter()\n    for _ in range(num_merges):\n",
            )
        ],
    ),
    Mistake(
        "not_neighbours",
        "Pieces that are not side by side are counted as pairs, too. Only neighbours are.",
        [
            (
                "in pairwise(pieces):",
                "in [(a, b) for i, a in enumerate(pieces) for b in pieces[i + 1 :]]:",
            )
        ],
    ),
    Mistake(
        "last_lost",
        "The last piece of a word is lost in a merge: the loop ends at the last but one, and "
        "nothing takes over the piece that is left.",
        [("while place < len(pieces):", "while place < len(pieces) - 1:")],
    ),
    Mistake(
        "words_as_they_were",
        "The words stay in characters: the merge is written down, but not made, so the same "
        "pair is found again and again. Every word needs its new pieces.",
        [(_MERGE, "pieces, count")],
    ),
    Mistake(
        "replaced",
        "A pair is looked for in the text of the pieces, so it is also found where a piece "
        "only *ends* with the left one or begins with the right one. Compare piece by piece.",
        [(_MERGE, "' '.join(pieces).replace(' '.join(best), ''.join(best)).split(), count")],
    ),
    Mistake(
        "first_place",
        "In each word the pair is merged at its first place only. Merge all places.",
        [
            (
                "if tuple(pieces[place : place + 2]) == pair:",
                "if len(result) == place and tuple(pieces[place : place + 2]) == pair:",
            )
        ],
    ),
    Mistake(
        "right_to_left",
        "The pair is merged from right to left: `aaa` becomes `a`, `aa`. From left to right it "
        "becomes `aa`, `a`.",
        [
            (
                _MERGE,
                "[p[::-1] for p in merged([p[::-1] for p in pieces[::-1]], "
                "(best[1][::-1], best[0][::-1]))][::-1], count",
            )
        ],
    ),
    Mistake(
        "used_twice",
        "A piece is used twice: after a merge the next place begins with the right piece that "
        "is already part of it. Go on behind the pair.",
        [("place += 2", "place += 1")],
    ),
    Mistake(
        "passed_over",
        "A place right behind one that was merged is passed over: `abab` becomes `ab`, `a`, "
        "`b`. Go on with the piece that follows the pair.",
        [
            (
                "            place += 2\n",
                "            result += pieces[place + 2 : place + 3]\n            place += 3\n",
            )
        ],
    ),
    Mistake(
        "end_marker",
        "A sign for the end of the word is added to its characters. Here there is none: a word "
        "begins as its characters alone.",
        [("(list(word), count)", "([*word, '</w>'], count)")],
        other_forms=([("list(word)", "[*word[:-1], word[-1] + '</w>']")],),
    ),
    Mistake(
        "one_more",
        "There is one merge too many. How often does the loop run?",
        [("range(num_merges)", "range(num_merges + 1)")],
    ),
    Mistake(
        "at_least_one",
        "With `num_merges` 0 there are merges: it asks whether there are enough only after the "
        "first one. Ask before.",
        [("range(num_merges)", "range(num_merges or 1)")],
        other_forms=([("range(num_merges)", "range(num_merges or 1_000)")],),
        points=3,
    ),
    Mistake(
        "one_less",
        "There is one merge too few. How often does the loop run?",
        [("range(num_merges)", "range(num_merges - 1)")],
    ),
    Mistake(
        "least_frequent",
        "The rarest pair is merged. The most frequent one comes first.",
        [("(-frequency[pair], pair)", "(frequency[pair], pair)")],
    ),
    Mistake(
        "joined",
        "The merged pieces come back. The exercise asks for the pairs, `(left, right)`: how a "
        "piece was made cannot be seen from its characters.",
        [("merges.append(best)", "merges.append(''.join(best))")],
        other_forms=([("merges.append(best)", "merges.append(' '.join(best))")],),
    ),
    Mistake(
        "with_frequency",
        "Each pair comes back with its frequency. The exercise asks for the pairs alone.",
        [("merges.append(best)", "merges.append((best, frequency[best]))")],
        other_forms=([("merges.append(best)", "merges.append((*best, frequency[best]))")],),
    ),
    Mistake(
        "first_seen",
        "Of equally frequent pairs the one that was counted first is taken, as `max` and "
        "`most_common` do. Compare the pairs themselves where the frequencies are equal.",
        [(_KEY, "-frequency[pair]")],
        points=3,
        section=TIES,
    ),
    Mistake(
        "largest",
        "Of equally frequent pairs the *largest* is taken. `max` with a key of frequency and "
        "pair wants both large; here the frequency should be large and the pair small.",
        [
            (
                _KEY,
                "(-frequency[pair], [-ord(c) for c in pair[0]] + [0], "
                "[-ord(c) for c in pair[1]] + [0])",
            )
        ],
        other_forms=([("min(possible", "max(possible"), (_KEY, "(frequency[pair], pair)")],),
        points=3,
        section=TIES,
    ),
    Mistake(
        "capitals_ignored",
        "Where pairs are equally frequent, capital letters are taken for small ones. Compare "
        "the pieces as Python compares strings: all capitals from A to Z come before a.",
        [("(-frequency[pair], pair)", "(-frequency[pair], [p.lower() for p in pair])")],
        points=3,
    ),
    Mistake(
        "by_text",
        "Of equally frequent pairs the one is taken whose *merged text* is the smallest. "
        "Compare the left pieces first, and only if they are equal the right ones.",
        [(_KEY, "(-frequency[pair], ''.join(pair))")],
        points=3,
        section=TIES,
    ),
    Mistake(
        "by_id",
        "Ties are broken as in the chapter: by the ids of the pieces, so single characters "
        "come before everything that was merged. Here the texts of the pieces are compared.",
        [(_KEY, f"(-frequency[pair], [{_RANK}(piece) for piece in pair])")],
        points=3,
        section=TIES,
    ),
    Mistake(
        "right_first",
        "Of equally frequent pairs, the right pieces are compared first. Start with the left ones.",
        [(_KEY, "(-frequency[pair], pair[::-1])")],
        points=3,
        section=TIES,
    ),
    Mistake(
        "left_only",
        "Of equally frequent pairs with the same left piece, the one that was counted first is "
        "taken. There the right pieces decide.",
        [(_KEY, "(-frequency[pair], pair[0])")],
        points=3,
        section=TIES,
    ),
    Mistake(
        "no_minimum",
        "`min_frequency` is not used.",
        [("frequency[pair] >= min_frequency\n", "frequency[pair] > 0\n")],
        points=3,
    ),
    Mistake(
        "strictly",
        "A pair whose frequency is exactly `min_frequency` is not merged. It should be: “at "
        "least” is `>=`.",
        [("frequency[pair] >= min_frequency", "frequency[pair] > min_frequency")],
        points=3,
    ),
    Mistake(
        "at_least_two",
        "A pair whose frequency is 1 is never merged, although `min_frequency` may be 1.",
        [("frequency[pair] >= min_frequency", "frequency[pair] >= max(2, min_frequency)")],
        points=3,
    ),
    Mistake(
        "rare_words",
        "`min_frequency` is applied to words: rare ones are left out. It is about pairs, and a "
        "pair of many rare words may be frequent.",
        [
            ("counts.items()]", "counts.items() if count >= min_frequency]"),
            ("frequency[pair] >= min_frequency\n", "frequency[pair] > 0\n"),
        ],
        other_forms=([("counts.items()]", "counts.items() if count >= min_frequency]")],),
        points=3,
    ),
    Mistake(
        "minimum_of_all",
        "It stops where the most frequent pair of all is too rare. That one may make too long "
        "a piece, and then a pair is merged that is itself too rare: `min_frequency` is for "
        "each candidate.",
        [("frequency[pair] >= min_frequency", "max(frequency.values()) >= min_frequency")],
        points=3,
    ),
    Mistake(
        "no_maximum",
        "`max_length` is not used.",
        [("max_length is None or", "True or")],
        points=3,
    ),
    Mistake(
        "shorter",
        "A piece of exactly `max_length` characters is not made. It is allowed: “at most” is `<=`.",
        [("<= max_length", "< max_length")],
        points=3,
    ),
    Mistake(
        "always_a_maximum",
        "Without `max_length` there is a limit all the same: some number stands for `None`, "
        "and longer pieces are never made. `None` is no limit.",
        [(_LIMIT, "len(''.join(pair)) <= (max_length or 16)")],
        other_forms=([(_LIMIT, "len(''.join(pair)) <= (max_length or 100)")],),
        points=3,
    ),
    Mistake(
        "bytes_counted",
        "`max_length` is compared with a number of bytes. It is one of characters, and those "
        "outside ASCII have two to four bytes.",
        [('len("".join(pair)) <=', 'len("".join(pair).encode()) <=')],
        points=3,
    ),
    Mistake(
        "too_long_stops",
        "No more merges are made once the most frequent pair would make too long a piece. "
        "Such pairs aren't candidates: leave them out first, and then choose the most "
        "frequent of the others.",
        [*_ANY_LENGTH, ("        merges.append(best)", _TOO_LONG.replace("WHAT", "break"))],
        equivalent=(
            [
                *_ANY_LENGTH,
                ("        merges.append(best)", _TOO_LONG.replace("WHAT", "continue")),
            ],
        ),
        points=3,
    ),
    Mistake(
        "pieces_too_long",
        "`max_length` is compared with the length of one of the two pieces, or of each. It is "
        "about the piece that they make together.",
        [('len("".join(pair)) <= max_length', "max(map(len, pair)) <= max_length")],
        other_forms=(
            [('len("".join(pair)) <= max_length', "len(pair[0]) <= max_length")],
            [('len("".join(pair)) <= max_length', "max(map(len, pair)) < max_length")],
        ),
        points=3,
    ),
    Mistake(
        "long_words",
        "`max_length` is applied to words: long ones are left out. It is about the pieces that "
        "merges make.",
        [
            (
                "counts.items()]",
                "counts.items() if max_length is None or len(word) <= max_length]",
            ),
            ("max_length is None or", "True or"),
        ],
        points=3,
    ),
    Mistake(
        "runs_out",
        "Where no candidate is left there is nothing to choose from, and `min` or `max` of "
        "nothing raises an error. Stop there, and return the merges so far.",
        [("        if not possible:\n            break\n", "")],
        other_forms=([("if not possible:", "if not possible and max(frequency.values()):")],),
        any_error=True,
        points=3,
        section=COMMON,
    ),
    kept(
        [
            ("max_length=None):", "max_length=None, kept={}):"),
            ("    return merges", "    return kept.setdefault(tuple(counts), merges)"),
        ],
    ),
    changed(
        "counts",
        [("    return merges", "    counts.clear()\n    return merges")],
    ),
)
