"""Solutions to the exercises of chapters/09_tokenizers.ipynb, for instructors."""

# %%
import heapq
import random
import time
from itertools import pairwise

import figures
import pandas as pd
from chapter import take

from solutions.tokenizers import BytePairTokenizer, count_words

page = take("09_tokenizers", "seen", "unseen", "english", "german", "merge_word", "read_pairs")
seen, unseen, merge_word = page["seen"], page["unseen"], page["merge_word"]
bpe = BytePairTokenizer.train([seen], 1024)

# %% [exercise 1]
# Two names share the first place, *CORIOLANUS* and *GLOUCESTER*, because they stand above each of
# their speeches; of words in small letters it is *friends*. The most frequent words in pieces are
# *against*, *nothing* and the *IV* of *Henry IV*, 110 times each. The first two begin with a
# frequent word, and that's what broke them: *again* and *not* were merged first.

# %%
words = count_words([seen])  # in the symbols of bytes, with the space before each
letters = {
    word: n for word, n in words.items() if (w := word.removeprefix("Ġ")).isalpha() and w.isascii()
}
whole = [word for word in letters if len(bpe.tokenize(word.replace("Ġ", " "))) == 1]
parted = {word: n for word, n in letters.items() if word not in set(whole)}
longest = max(map(len, (word.removeprefix("Ġ") for word in whole)))
print("longest:", *(w for w in whole if len(w.removeprefix("Ġ")) == longest))
small = [w for w in whole if w.removeprefix("Ġ").islower()]
print("longest in small letters:", max(small, key=lambda w: len(w.removeprefix("Ġ"))))
for word in sorted(parted, key=parted.get, reverse=True)[:3]:
    print(f"{word} {parted[word]:,} times:", bpe.tokenize(word.replace("Ġ", " ")))

# %% [exercise 2]
# They change places nearly completely: with pieces from German, German holds 2.62 characters a
# token (before: 1.60) and Shakespeare 1.50 (before: 2.26). Today's English pays like Shakespeare.
# The pieces were trained on 8,000 sentences and the curves are from 2,000 others.

# %%
pairs = page["read_pairs"]()
random.Random(1).shuffle(pairs)
other_german = "\n".join(german for _, german in pairs[:8000])
held_out = {
    "Shakespeare": unseen,
    "English": "\n".join(english for english, _ in pairs[9000:11000]),
    "German": "\n".join(german for _, german in pairs[9000:11000]),
}
large = BytePairTokenizer.train([other_german], 1024)
merges = list(large.ranks)
sizes = [256, 512, 1024]
curves = {name: [] for name in held_out}
for size in sizes:
    pieces = {piece: i for piece, i in large.vocab.items() if i < size}
    smaller = BytePairTokenizer(pieces, merges[: size - 256])
    for name, text in held_out.items():
        curves[name].append(len(text) / len(smaller.tokenize(text)))
before = {name: len(text) / len(bpe.tokenize(text)) for name, text in held_out.items()}
table = pd.DataFrame({"on Shakespeare": before, "on German": {n: c[-1] for n, c in curves.items()}})
assert table["on German"]["German"] > 2.4 > table["on Shakespeare"]["Shakespeare"] > 2.1
assert table["on German"]["Shakespeare"] < 1.6
table.round(2)

# %%
figures.lines(
    sizes,
    curves,
    x_title="vocabulary",
    y_title="characters per token",
    alt="Characters per token on three texts, with pieces that were trained on German.",
)

# %% [exercise 3]
# The pairs that can be merged wait in a heap, ordered by rank and then by position, and each
# piece knows its neighbours, so that a merge costs no copying. Merging makes old entries wrong;
# they are left in the heap and thrown away when they come up, if their pair no longer has their
# rank. The pieces are those of `merge_word` for all words of the unseen tenth, and for words of
# two letters, in which nearly every merge is tied with its neighbour. With 10,000 letters it
# takes a small fraction of a second. (`merge_word` is left out there: it looks at all pairs again
# after each merge.)


# %%
def merge_with_heap(word, ranks):
    """The pieces of a word, in n log n steps: neighbours are linked, pairs wait in a heap."""
    pieces = list(word)
    after = [*range(1, len(pieces)), None]
    before = [None, *range(len(pieces) - 1)]
    waiting = [(ranks[pair], i) for i, pair in enumerate(pairwise(pieces)) if pair in ranks]
    heapq.heapify(waiting)

    def offer(i):
        j = after[i]
        if j is not None and (rank := ranks.get((pieces[i], pieces[j]))) is not None:
            heapq.heappush(waiting, (rank, i))

    while waiting:
        rank, i = heapq.heappop(waiting)
        j = after[i] if pieces[i] is not None else None
        if j is None or ranks.get((pieces[i], pieces[j])) != rank:
            continue  # one of the two has changed since
        pieces[i], pieces[j] = pieces[i] + pieces[j], None
        after[i] = after[j]
        if after[j] is not None:
            before[after[j]] = i
        offer(i)
        if before[i] is not None:
            offer(before[i])
    return [piece for piece in pieces if piece is not None]


some = list(count_words([unseen]))
assert all(merge_with_heap(word, bpe.ranks) == merge_word(word, bpe.ranks) for word in some)
draw = random.Random(0)
tied = ["".join(draw.choices("aab", k=60)) for _ in range(200)]
_, ranks = None, BytePairTokenizer.train(["".join(draw.choices("aab ", k=3000))], 280).ranks
assert all(merge_with_heap(word, ranks) == merge_word(word, ranks) for word in tied)
print(f"the same pieces for {len(some):,} words and {len(tied)} words full of repetitions")

for size in (500, 10_000):
    word = "".join(draw.choices("etaoinshrdlu", k=size))
    seconds = []
    for way in (merge_with_heap, merge_word) if size < 1000 else (merge_with_heap,):
        began = time.perf_counter()
        way(word, bpe.ranks)
        seconds.append(time.perf_counter() - began)
    print(
        f"{size:,} letters: {seconds[0]:.3f} s with a heap",
        *(f"{s:.2f} s without" for s in seconds[1:]),
    )
    assert seconds[0] < 1
