"""Solutions to the exercises of chapters/11_looking_inside.ipynb, for instructors."""

# %%
import copy
from collections import Counter

import pandas as pd
import torch
import torch.nn.functional as F
from chapter import take

from solutions.inspection import residual_contributions

torch.set_num_threads(1)
torch.set_grad_enabled(False)
page = take("11_looking_inside", "logit_lens", "reads", "writer", "untrained", "table", "norm")
writer, reads, characters = page["writer"].double(), page["reads"], page["characters"]
untrained = page["untrained"]
untrained.decoder.embeddings = writer.decoder.embeddings

# %% [exercise 1]
# Inside of words and at their ends the lens becomes certain, from about 2.3 nats of entropy after
# layer 0 to below 1 at the end; for the first letter of a word it stays at 2.7. So it is the
# *last* letters about which the writer is certain first, and of the first letter it is hardly
# more certain at the top than at the bottom. The control has to separate the letters from the
# lens: with untrained layers under the same table the entropy *rises* from layer to layer, for
# all three places alike, from the certainty of depth 0 (the letter that was just read) towards
# indifference. So the fall belongs to the trained layers. Low entropy alone says nothing: at
# depth 0 it is zero, and the answer wrong.

# %%
letter = torch.tensor([character.isalpha() for character in characters.characters])
is_letter = letter[reads]  # [pieces, tokens]
upcoming = is_letter[:, 1:]  # whether what is predicted is a letter
now = is_letter[:, :-1]
places = {
    "first letter to come": ~now & upcoming,
    "inside of a word": now & upcoming,
    "end of the word to come": now & ~upcoming,
}


def entropies(model):
    p = page["logit_lens"](model, reads).softmax(dim=-1)
    entropy = -(p * p.clamp(min=1e-300).log()).sum(dim=-1)[:, :, :-1]  # [depth, piece, token]
    return {name: [e[place].mean().item() for e in entropy] for name, place in places.items()}


columns = ["embeddings", *(f"layer {i}" for i in range(4))]
rows = {f"writer, {name}": row for name, row in entropies(writer).items()}
rows |= {f"untrained, {name}": row for name, row in entropies(untrained).items()}
sure = pd.DataFrame(rows, columns).T
ends = sure["layer 3"]
assert ends["writer, inside of a word"] < 1.2 < 2.5 < ends["writer, first letter to come"]
assert sure.filter(like="untrained", axis=0).iloc[:, 1:].diff(axis=1).iloc[:, 1:].min(axis=None) > 0
sure.round(2)

# %% [exercise 2]
# None of them adds much: the best head has 0.16, and all sixteen together 0.6 of 14; what writes
# the *d* is the feed-forward layers. The head that wins here wins for hardly any other word:
# among 20 words the most frequent winner has four. So “the head that writes *d*” would be a story
# about one word.

# %%
table, norm = page["table"], page["norm"]


def shares(prompt, wanted):
    """What each head writes into the logit of a letter, compared with all letters."""
    parts = residual_contributions(writer, characters.encode(prompt), by_head=True)
    stream = sum(parts.values())[:, -1]
    scale = (stream.square().mean(-1, keepdim=True) + norm.eps).rsqrt()
    found = {}
    for name, part in parts.items():
        if "head" in name:
            logits = (part[:, -1] * scale * norm.weight) @ table.T
            found[name] = (logits[0, characters.ids[wanted]] - logits.mean()).item()
    return found


of_d = shares("What say you, my lor", "d")
ranked = sorted(of_d, key=of_d.get, reverse=True)
print(
    "for d:",
    *(f"{name}: {of_d[name]:.2f}" for name in ranked[:3]),
    "| sum",
    f"{sum(of_d.values()):.1f}",
)

words = "king queen father mother brother night heart world blood death honour sweet speak again"
words += " never before master people Romeo Richard"
winners = Counter()
for word in words.split():
    found = shares(f"What say you, my {word[:-1]}", word[-1])
    winners[max(found, key=found.get)] += 1
print("winner for 20 words:", dict(winners.most_common(5)))
assert sum(of_d.values()) < 2
assert winners.most_common(1)[0][1] < 10
print("three of them:", *(max((f := shares(f"What say you, my {w[:-1]}", w[-1])), key=f.get)
                          for w in ("king", "father", "night")), sep=" | ")  # fmt: skip

# %% [exercise 3]
# No. The weight on the first token was small before, and after 50 steps with a newline in front
# it is smaller than without that training. The control trains for 50 steps on pieces that begin
# anywhere, and hardly changes. (Look at the second row, too: a newline gets more weight than
# other first characters even from the untouched writer, because it ends lines. Compared with the
# first row alone, the third could have been taken for the beginning of a sink.) Fifty steps are
# few; what they rule out is that a constant first token is all it takes.

# %%
plays = page.get("plays") or take("11_looking_inside", "training")["plays"]
ids = characters.encode(plays[:400_000])[0]
newline = characters.ids["\n"]


def first_weight(model, first=None):
    """Mean weight on the first token, from the fourth on, layer by layer."""
    given = reads[:, :24].clone()
    if first is not None:
        given[:, 0] = first
    maps = model(given, output_attentions=True).attentions
    return [m[:, :, 3:, 0].mean().item() for m in maps]


def train_on(newline_first, steps=50):
    model = copy.deepcopy(writer).float()
    torch.manual_seed(0)
    with torch.enable_grad():
        model.requires_grad_(True)
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
        for _ in range(steps):
            begins = torch.randint(len(ids) - 66, (4, 1))
            batch = ids[begins + torch.arange(65)]
            if newline_first:
                batch[:, 0] = newline
            logits = model(batch[:, :-1]).logits
            loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.eval().requires_grad_(False)


writer_32 = copy.deepcopy(writer).float()
rows = {"the writer, any first token": first_weight(writer_32)}
rows["the writer, a newline first"] = first_weight(writer_32, newline)
rows["50 steps, newline first"] = first_weight(train_on(True), newline)
rows["50 steps, any first token"] = first_weight(train_on(False), newline)
sinks = pd.DataFrame(rows, [f"layer {i}" for i in range(4)]).T
assert (
    sinks.loc["50 steps, newline first"].max()
    < sinks.loc["the writer, a newline first"].max()
    < 0.2
)
sinks.round(3)
