"""Solutions to the exercises of chapters/11_induction.ipynb, for instructors."""

# %%
import pandas as pd
import torch
import torch.nn.functional as F
from chapter import take

torch.set_num_threads(1)
page = take("11_induction", "repeated", "examine", "stripe", "new_model", "test_texts")
repeated, examine, stripe = page["repeated"], page["examine"], page["stripe"]


def train(seed, steps=200):
    """The page's training of two layers, in single precision, with a log of both scores."""
    model = page["new_model"](2, seed).float()
    draw = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.98), weight_decay=0.0)
    log = []
    for step in range(steps + 1):
        if step % 10 == 0:
            _, second, maps = examine(model)
            scores = stripe(maps, 19, start=1).max().item(), stripe(maps, 1)[0].max().item()
            log.append([step, second, *scores])
        ids = repeated(48, 6, 20, draw)
        logits, _ = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    columns = ["step", "second half", "copying", "previous"]
    return model.eval().requires_grad_(False), pd.DataFrame(log, columns=columns)


runs = {seed: train(seed) for seed in (0, 1, 2)}

# %% [exercise 1]
# ANSWER

# %%
page_tokens = repeated.__globals__
rows = {}
for period, tokens in ((6, 40), (20, 40), (30, 60), (40, 80)):
    page_tokens["TOKENS"] = tokens
    texts = repeated(128, period, period, torch.Generator().manual_seed(5))
    for seed in (0, 1):
        model = runs[seed][0]
        logits, maps = model(texts, with_maps=True)
        loss = F.cross_entropy(logits[:, :-1].mT, texts[:, 1:], reduction="none")
        rows.setdefault(f"period {period}", {})[f"seed {seed}"] = loss[:, period:].mean().item()
page_tokens["TOKENS"] = 40
farther = pd.DataFrame(rows).T
farther.round(2)

# %% [exercise 2]
# ANSWER


# %%
def first_step(log, column, above):
    reached = log.loc[log[column] > above, "step"]
    return int(reached.iloc[0]) if len(reached) else None


rows = {}
for seed, (_, log) in runs.items():
    start, end = log["second half"].iloc[0], log["second half"].iloc[-1]
    rows[f"seed {seed}"] = {
        "previous > 0.2 at": first_step(log, "previous", 0.2),
        "copying > 0.2 at": first_step(log, "copying", 0.2),
        "loss falls most before": int(log["step"].iloc[log["second half"].diff().idxmin()]),
        "loss at the end": end,
    }
order = pd.DataFrame(rows).T
order.round(2)

# %%
runs[1][1].iloc[8:].round(2).set_index("step")

# %% [exercise 3]
# ANSWER
