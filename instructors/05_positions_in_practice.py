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
# ANSWER

# %%
mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
from_the_end = (mask.sum(dim=-1, keepdim=True) - mask.cumsum(dim=-1)).clamp(min=0)
print(from_the_end)
assert from_the_end.tolist() == [[4, 3, 2, 1, 0], [2, 1, 0, 0, 0]]
for row, real in zip(from_the_end, mask, strict=True):  # the same as counting by hand
    n = real.sum().item()
    assert row[:n].tolist() == list(range(n - 1, -1, -1))

# %% [exercise 2]
# ANSWER


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
three_back.round(2)

# %% [exercise 3]
# ANSWER

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
stretched.round(2)
