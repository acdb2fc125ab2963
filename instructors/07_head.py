"""Solutions to the exercises of chapters/07_head.ipynb, for instructors."""

# %%
import pandas as pd
import torch
import torch.nn.functional as F
from chapter import take
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

torch.set_num_threads(1)
names = ("fill_in", "train_head", "small_head", "accuracy", "y_train", "x_train", "x_val", "x_test")
page = take("07_head", *names, "y_val", "y_test", "pieces", "train", "test", "balanced_weights")
train, test = page["train"], page["test"]
x_train, x_val, x_test = page["x_train"], page["x_val"], page["x_test"]
y_train, y_val, y_test = page["y_train"], page["y_val"], page["y_test"]
classes = page["names"].classes

# %% [exercise 1]
# ANSWER

# %%
gaps = {
    "The surgeon washed her hands before the [MASK].": "operation",
    "He closed his umbrella because the [MASK] had stopped.": "rain",
    "The bees came back to the garden with [MASK].": "honey",
    "She forgot her glasses and could not [MASK] the letter.": "read",
    "The piano was out of tune, so the [MASK] sounded terrible.": "music",
}
rows = {text: [*page["fill_in"](text, 3), word] for text, word in gaps.items()}
columns = ["first", "second", "third", "a reader says"]
filled = pd.DataFrame.from_dict(rows, "index", columns=columns)
filled

# %%
right = sum(row[0].split()[0] == row[3] for row in rows.values())
print(f"{right} of {len(rows)}")

# %% [exercise 2]
# ANSWER

# %%
baseline = make_pipeline(page["pieces"], LogisticRegression(C=10, max_iter=1000))
baseline.fit(train.texts, y_train)
features = baseline[0].get_feature_names_out()
for name, row in zip(classes, torch.from_numpy(baseline[1].coef_), strict=True):
    print(f"{name:11}", *(repr(features[i]) for i in row.topk(9).indices.tolist()))

# %% [exercise 3]
# ANSWER

# %%
sympy = classes.index("sympy")
of_sympy = (y_train == sympy).nonzero().flatten()
kept = torch.ones(len(y_train), dtype=torch.bool)
kept[of_sympy[20:]] = False
weights = page["balanced_weights"](y_train[kept], 4)
print("weights:", dict(zip(classes, weights.round(decimals=1).tolist(), strict=True)))
rows = {}
for name, weight in (("plain", None), ("weighted", weights)):
    for seed in (0, 1):
        torch.manual_seed(seed)
        head = page["small_head"]()
        for layer in (head[0], head[2]):
            torch.manual_seed(seed)
            layer.reset_parameters()
        page["train_head"](
            head,
            x_train["mean"][kept],
            y_train[kept],
            x_val["mean"],
            y_val,
            lambda logits, y, weight=weight: F.cross_entropy(logits, y, weight),
        )
        said = head(x_test["mean"]).argmax(-1)
        found = [(said[y_test == c] == c).float().mean().item() for c in range(4)]
        called = (y_test[said == sympy] == sympy).float().mean().item()
        right = (said == y_test).float().mean().item()
        rows[f"{name}, seed {seed}"] = [*found, called, right]
columns = [*(f"found: {name}" for name in classes), "precision of sympy", "right"]
bought = pd.DataFrame(rows, columns).T
bought.round(2)

# %% [exercise 4]
# ANSWER


# %%
def words_in(dataset):
    return torch.tensor([float(len(text.split())) for text in dataset.texts])


counts = words_in(train), words_in(test)
rows = {}
for pooling in ("mean", "max", "first"):
    x, x_new = x_train[pooling], x_test[pooling]
    centre, spread = counts[0].mean(), counts[0].std()
    torch.manual_seed(0)
    head = torch.nn.Linear(384, 1)
    optimizer = torch.optim.AdamW(head.parameters(), lr=3e-3, weight_decay=0.1)
    y = (counts[0] - centre) / spread
    for _ in range(40):
        for rows_of_batch in torch.randperm(len(x)).split(50):
            loss = F.mse_loss(head(x[rows_of_batch]).squeeze(-1), y[rows_of_batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        found = head(x_new).squeeze(-1) * spread + centre
    missed = (found - counts[1]).square().mean().sqrt()
    explained = 1 - missed.square() / (counts[1] - centre).square().mean()
    rows[pooling] = [missed.item(), explained.item()]
rows["always the mean"] = [(counts[1] - centre).square().mean().sqrt().item(), 0.0]
length = pd.DataFrame(rows, ["off by, words", "variance explained"]).T
length.round(2)
