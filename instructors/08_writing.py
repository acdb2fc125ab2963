"""Solutions to the exercises of chapters/08_writing.ipynb, for instructors."""

# %%
import re

import pandas as pd
import torch
from chapter import take

from solutions.generation import generate
from solutions.trained import load_writer

torch.set_num_threads(1)
page = take("08_writing", "KneserNey", "training", "unseen")
training, unseen = page["training"], page["unseen"]
writer, tokenizer = load_writer()

# %% [exercise 1]
# Two numbers for each combination, from twenty texts of 100 characters: how many of the words
# occur in the plays that it was trained on, and how varied the texts are. Shakespeare's own
# unseen lines have 0.91 and 0.77, and they are the measure. $T = 1$ with $p = 1$ comes nearest to
# both. With $p = 0.5$ all words are known, and the texts repeat each other. At $T = 1.5$ a third
# of the words is invented; top-p 0.9 repairs part of that (0.85), top-p 0.5 all of it, at the
# price of variety. So top-p repairs a high temperature, because it cuts the tail that the
# temperature has fattened, but what it leaves isn't what $T = 1$ would have written.

# %%
known = set(re.findall(r"[A-Za-z']+", training))


def share_of_words(texts):
    """Which part of the words occurs in the plays; the last one may be cut off."""
    words = [word for text in texts for word in re.findall(r"[A-Za-z']+", text)[:-1]]
    return sum(word in known for word in words) / len(words)


rows = {}
start = tokenizer.encode("JULIET:\n").expand(20, -1)
for temperature in (1.0, 1.5):
    for p in (0.5, 0.9, 1.0):
        ids = generate(
            writer,
            start,
            100,
            do_sample=True,
            temperature=temperature,
            top_p=p,
            generator=torch.Generator().manual_seed(0),
        )
        texts = [tokenizer.decode(row[8:]) for row in ids]
        distinct = len({text[i : i + 4] for text in texts for i in range(96)}) / (20 * 96)
        rows[f"T = {temperature}, p = {p}"] = [share_of_words(texts), distinct]
begins = range(0, len(unseen) - 100, len(unseen) // 20)
plays = [unseen[b : b + 100] for b in list(begins)[:20]]
distinct = len({text[i : i + 4] for text in plays for i in range(96)}) / (20 * 96)
rows["Shakespeare, unseen"] = [share_of_words(plays), distinct]
columns = ["words that the plays know", "different stretches of 4"]
sampled = pd.DataFrame(rows, columns).T
known_words = sampled["words that the plays know"]
assert (
    known_words["T = 1.5, p = 1.0"]
    < 0.8
    < known_words["T = 1.5, p = 0.9"]
    < 0.95
    < known_words["T = 1.5, p = 0.5"]
)
sampled.round(2)

# %% [exercise 2]
# Better than both, 1.47 against 1.57 for either. They fail in different places: about one
# character in 15 gets less than 0.01 from the writer and one in 18 from the counts, but only one
# in 28 from both. Where one of them is badly surprised the mixture loses $\log 2$ at most to the
# other. If one could always choose the better of the two, the loss would be 1.28.

# %%
counting = page["KneserNey"](training, order=7)
pieces = [unseen[i : i + 257] for i in range(0, len(unseen) - 257, 9000)]
ids = torch.cat([tokenizer.encode(piece) for piece in pieces])
with torch.inference_mode():
    logits = writer(ids[:, :-1]).logits[:, 128:]
given = logits.softmax(dim=-1).gather(-1, ids[:, 129:, None]).double()[..., 0]
counted = torch.tensor(
    [[counting.probability(piece[:t], piece[t]) for t in range(129, 257)] for piece in pieces]
)


def loss(p):
    return -p.log().mean().item()


rows = {f"{w:.0%} counting": loss((1 - w) * given + w * counted) for w in (0, 0.25, 0.5, 0.75, 1)}
best = torch.maximum(given, counted)
mixed = pd.DataFrame({"loss": rows})
print(f"each time the better of the two (an oracle): {loss(best):.2f}")
mixed.round(3)

# %%
surprised = (given < 0.01).float().mean().item(), (counted < 0.01).float().mean().item()
both = ((given < 0.01) & (counted < 0.01)).float().mean().item()
print(
    f"less than 0.01 for what came: writer {surprised[0]:.1%}, counting {surprised[1]:.1%}", end=""
)
print(f", both {both:.1%}")
assert rows["50% counting"] < min(rows["0% counting"], rows["100% counting"])
