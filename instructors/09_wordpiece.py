"""Solutions to the exercises of chapters/09_wordpiece.ipynb, for instructors."""

# %%
import math
from collections import Counter, defaultdict

from chapter import take

from solutions import load_checkpoint
from solutions.tokenizers import BytePairTokenizer, count_words

page = take("09_wordpiece", "match", "split_words", "read_pairs")
match, vocab = page["match"], page["vocab"]
tokenizer = load_checkpoint().tokenizer
pairs = page["read_pairs"]()
english = Counter(word for text, _ in pairs for word in page["split_words"](text))

# %% [exercise 1]
# For German, by search in the German sentences: words that become the same after lowercasing and
# without accents, the most frequent first. They come in families. The subjunctive is lost
# (*würde* and *wurde*, *hätte* and *hatte*, *könnte* and *konnte*), the plural (*Äpfel* and
# *Apfel*), and single words (*schön*, beautiful, and *schon*, already). A capital at the
# beginning of a sentence isn't counted.

# %%
kinds = defaultdict(Counter)
for _, german in pairs:
    for word in german.replace(",", " ").replace(".", " ").split():
        if word.isalpha():
            kinds[tuple(page["split_words"](word))][word] += 1
for forms in kinds.values():  # a capital at the beginning of a sentence says nothing
    for word in list(forms):
        if word[0].isupper() and word.lower() in forms:
            forms[word.lower()] += forms.pop(word)
twins = [forms for forms in kinds.values() if len(forms) > 1]
twins.sort(key=lambda forms: forms.most_common(2)[1][1], reverse=True)
for forms in twins[:8]:
    (one, n), (other, m) = forms.most_common(2)
    assert tokenizer(one).input_ids == tokenizer(other).input_ids
    print(f"{one} ({n}) and {other} ({m})")

# %% [exercise 2]
# *congratulations*, with 15 letters, is one piece. The shortest word that isn't has two letters:
# *vw*, the make of car, a name and not a word of the language.

# %%
words = [word for word in english if word.isascii() and word.isalpha()]
whole = [word for word in words if word in vocab]
parted = [word for word in words if word not in vocab]
print("longest piece:", max(whole, key=len), len(max(whole, key=len)))
shortest = min(map(len, parted))
assert max(whole, key=len) == "congratulations"
print("shortest that is not one:", *(f"{w} {match(w)}" for w in parted if len(w) == shortest))

# %% [exercise 3]
# From the end of the word to its beginning, `best[i]` is the cut with the fewest pieces of what
# begins at letter $i$. It differs from WordPiece for five of 6,055 words, always with fewer
# pieces and often at the border of two parts: *re|cycle* for *rec|y|cle*, *hand|stand* for
# *hands|tan|d*. No word is rescued from `[UNK]`, because none was unknown: the vocabulary has
# every letter of the English alphabet, alone and with `##`. Taking the longest first is greedy,
# but on English it is nearly always as good as the best.


# %%
def fewest(word):
    """Cut a word into the fewest pieces; of several such cuts, the one with the longest first."""
    best = [None] * len(word) + [[]]  # for what begins at each letter
    for start in reversed(range(len(word))):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            piece = prefix + word[start:end]
            rest = best[end]
            if piece not in vocab or rest is None:
                continue
            if best[start] is None or len(rest) + 1 < len(best[start]):
                best[start] = [piece, *rest]
    return best[0] or ["[UNK]"]


differ = {word: n for word, n in english.items() if fewest(word) != match(word)}
unknown = [word for word in english if match(word) == ["[UNK]"]]
known_now = [word for word in unknown if fewest(word) != ["[UNK]"]]
fewer = [word for word in differ if len(fewest(word)) < len(match(word))]
assert not unknown
assert 0 < len(differ) == len(fewer) < 20
print(f"{len(english):,} words, cut differently: {len(differ)}", end=", ")
print(f"{sum(differ.values()) / english.total():.2%} of the text, with fewer pieces: {len(fewer)}")
print(f"unknown to WordPiece: {len(unknown)}, no longer unknown: {len(known_now)}")
for word in sorted(differ, key=differ.get, reverse=True)[:5]:
    print("  ", word, match(word), fewest(word))
assert all(len(fewest(word)) <= len(match(word)) for word in english if match(word) != ["[UNK]"])

# %% [exercise 4]
# The search is Viterbi's: the best cut up to each letter is the best cut up to an earlier one
# plus a piece. With the frequencies that BPE's own cuts give, it differs for 15% of the different
# words and for 2% of the text, since frequent words are one piece either way. It needs slightly
# fewer tokens (0.4%), for long pieces have a high probability compared with the product of their
# parts. Its cuts are never less probable than BPE's, which is asserted for all words. They are
# not nicer for that: *Who|se* is, *r|ed* isn't.

# %%
text = "\n".join(text for text, _ in pairs)
bpe = BytePairTokenizer.train([text], 1024)
counted = count_words([text])
frequency = Counter()
for word, n in counted.items():
    for piece in bpe._merge(word):
        frequency[piece] += n
total = frequency.total()
score = {piece: math.log(n / total) for piece, n in frequency.items()}
floor = math.log(0.5 / total)  # for single symbols that never stood alone


def unigram(word):
    """The cut with the largest product of frequencies."""
    best = [(0.0, [])] + [(-math.inf, [])] * len(word)  # up to each letter
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if piece in score or len(piece) == 1:
                found = best[start][0] + score.get(piece, floor)
                if found > best[end][0]:
                    best[end] = found, [*best[start][1], piece]
    return best[-1][1]


def value(pieces):
    return sum(score.get(piece, floor) for piece in pieces)


other = {word: n for word, n in counted.items() if unigram(word) != bpe._merge(word)}
print(f"cut differently: {len(other):,} of {len(counted):,} words", end=", ")
print(f"{sum(other.values()) / counted.total():.1%} of the text")
tokens = [sum(n * len(cut(w)) for w, n in counted.items()) for cut in (bpe._merge, unigram)]
print(f"tokens: BPE {tokens[0]:,}, unigram {tokens[1]:,}")
assert 0.98 < tokens[1] / tokens[0] < 1
for word in sorted(other, key=other.get, reverse=True)[:4]:
    print("  ", word, bpe._merge(word), unigram(word))
assert all(value(unigram(word)) >= value(bpe._merge(word)) - 1e-9 for word in counted)
