"""Solutions to the exercises of chapters/05_positions_in_practice.ipynb, for instructors."""

# %%
import copy

import pandas as pd
import torch
import torch.nn.functional as F
from chapter import take

torch.set_num_threads(1)
page = take("05_positions_in_practice", "OneLayer", "in_words", "schemes", "symbols")
OneLayer, symbols = page["OneLayer"], page["symbols"]

# %% [exercise 1]
# The number of real tokens, minus the number of those up to here: `cumsum` counts from the front,
# and the sum of a row says where the end is. Padding gets 0, at which no token looks.

# %%
mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
from_the_end = (mask.sum(dim=-1, keepdim=True) - mask.cumsum(dim=-1)).clamp(min=0)
print(from_the_end)
assert from_the_end.tolist() == [[4, 3, 2, 1, 0], [2, 1, 0, 0, 0]]
for row, real in zip(from_the_end, mask, strict=True):  # the same as counting by hand
    n = real.sum().item()
    assert row[:n].tolist() == list(range(n - 1, -1, -1))

# %% [exercise 2]
# Learned, sinusoidal and rotary positions can be trained for any distance: all three are right
# within the trained length, and beyond it they fail where they did before, rotary ones not before
# twice the length. ALiBi gets worse with all slopes that we tried, and no slopes could help: a
# penalty that grows with the distance can prefer “near”, but not “three back” to “two back”. What
# it asks for isn't a matter of the slopes any more. (One seed each; the shares of ALiBi are those
# of a model that knows that the answer is one of the last few tokens.)


# %%
def train_and_test(scheme, seed, back, slopes=None, steps=150):
    """As on the page, for the token `back` places before."""
    torch.manual_seed(seed)
    small = OneLayer(scheme)
    if slopes is not None:
        page["steep"][:] = torch.tensor(slopes)[:, None, None]
    optimizer = torch.optim.Adam(small.parameters(), lr=0.01)
    for _ in range(steps):
        ids = torch.randint(symbols, (16, 16))
        logits = small(ids)[:, back:].flatten(0, 1)
        loss = F.cross_entropy(logits, ids[:, :-back].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    ids = torch.randint(symbols, (300, 64))
    with torch.inference_mode():
        right = small(ids)[:, back:].argmax(-1) == ids[:, :-back]
    return small, right.float().mean(dim=0)


windows = {"up to 15": (0, 13), "24 to 31": (21, 29), "48 to 63": (45, 61)}
rows = {}
trials = {scheme: (scheme, None) for scheme in ("learned", "sinusoidal", "rotary", "ALiBi")}
trials["ALiBi, slopes 8, 4, 2, 1"] = ("ALiBi, steep", [8.0, 4.0, 2.0, 1.0])
trials["ALiBi, slopes 1, ½, ¼, ⅛"] = ("ALiBi, steep", [1.0, 0.5, 0.25, 0.125])
for name, (scheme, slopes) in trials.items():
    _, right = train_and_test(scheme, 0, 3, slopes)
    rows[name] = {w: right[a:b].mean().item() for w, (a, b) in windows.items()}
three_back = pd.DataFrame(rows).T
assert (three_back["up to 15"].iloc[:3] > 0.9).all()
assert (three_back.iloc[3:] < 0.5).all(axis=None)
three_back.round(2)

# %% [exercise 3]
# Not without training: with positions divided by 4 the model fails even at places where it was
# always right (0.10 in place of 1.00), because “one back” is now a quarter of the angle that it
# learned. After 50 more steps on texts of 64 tokens it is right in about 83% everywhere. But the
# control says what did it: the model whose positions are *not* divided gets as far on long texts
# with the same 50 steps, and loses nothing on short ones. For this task there is nothing to gain
# from interpolation. It pays where a model must keep many distances that it has learned, and
# where distances beyond the trained range are too many to be learned again.

# %%
model, right = train_and_test("rotary", 0, 1)


class Stretched(torch.nn.Module):
    """Rotary positions divided by a factor."""

    def __init__(self, rotary, factor):
        super().__init__()
        self.rotary, self.factor = rotary, factor

    def forward(self, x, position_ids):
        return self.rotary(x, position_ids / self.factor)


def shares(model):
    torch.manual_seed(9)
    ids = torch.randint(symbols, (300, 64))
    with torch.inference_mode():
        right = model(ids)[:, 1:].argmax(-1) == ids[:, :-1]
    right = right.float().mean(dim=0)
    return {"1 to 15": right[:15].mean().item(), "48 to 63": right[47:].mean().item()}


def train_on(model, steps=50):
    torch.manual_seed(1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    for _ in range(steps):
        ids = torch.randint(symbols, (16, 64))
        loss = F.cross_entropy(model(ids)[:, 1:].flatten(0, 1), ids[:, :-1].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


rows = {"as trained on 16": shares(model)}
for name, factor in (("divided by 4", 4.0), ("not divided", 1.0)):
    changed = copy.deepcopy(model)
    changed.rotary = Stretched(changed.rotary, factor)
    if factor > 1:
        rows[name] = shares(changed)
    train_on(changed)
    rows[f"{name}, 50 more steps"] = shares(changed)
stretched = pd.DataFrame(rows).T
assert stretched["1 to 15"]["divided by 4"] < 0.3
assert (stretched["48 to 63"].filter(like="more steps") > 0.6).all()
stretched.round(2)
