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
# None, as first choice. But the places say more than the count: of 30,522 words, the reader's
# word is in a better place than if the head sees a bare `[MASK]`, for four of the five, so the
# head has read the sentence. *honey* is the exception. It is the last step that the head doesn't
# manage; it prefers what is frequent everywhere, a full stop or *is*. (Your five sentences will
# give other numbers. On the texts that were kept apart it gets one word in five.)

# %%
gaps = {
    "The surgeon washed her [MASK] before the operation.": "hands",
    "He closed his umbrella because the [MASK] had stopped.": "rain",
    "The bees brought [MASK] back to the hive.": "honey",
    "She forgot her glasses and could not [MASK] the letter.": "read",
    "The piano was out of tune, so the [MASK] sounded terrible.": "music",
}
names = ("masked_model", "tokenizer")
model, tokenizer = (take("07_head", *names)[name] for name in names)


def rank(text, word):
    """In which place the head puts a word."""
    inputs = tokenizer(text, return_tensors="pt")
    gap = inputs.input_ids[0] == tokenizer.mask_token_id
    with torch.no_grad():
        logits = model(**inputs).logits[0, gap][0]
    return (logits > logits[tokenizer.convert_tokens_to_ids(word)]).sum().item() + 1


rows = {
    text: [word, rank(text, word), rank("[MASK]", word), page["fill_in"](text, 1)[0]]
    for text, word in gaps.items()
}
columns = ["a reader says", "its place", "its place in [MASK] alone", "the head says"]
filled = pd.DataFrame.from_dict(rows, "index", columns=columns)
assert (filled["its place"] < filled["its place in [MASK] alone"]).sum() == 4
filled

# %% [exercise 2]
# Parts of the words that one would expect, and some that one wouldn't. *font*, *box* and *path*
# for matplotlib, *sql*, *select* and *table* for sqlalchemy, *tensor* for torch. For sympy the
# second place goes to *of*, with every space around it: its docstrings say what something is
# ("degree of", "list of"). A classifier takes any habit that separates the classes.

# %%
baseline = make_pipeline(page["pieces"], LogisticRegression(C=10, max_iter=1000))
baseline.fit(train.texts, y_train)
features = baseline[0].get_feature_names_out()
for name, row in zip(classes, torch.from_numpy(baseline[1].coef_), strict=True):
    print(f"{name:11}", *(repr(features[i]) for i in row.topk(9).indices.tolist()))

# %% [exercise 3]
# With 20 sentences out of about 200, plain training finds a fifth of the test texts of *sympy*,
# and nine in ten of those that it calls *sympy* are right. The weights (7.6 against 0.8) make it
# find two thirds. The price is paid in two places: about a quarter of what is called *sympy* now
# is something else, and fewer texts of the other classes are found, of *torch* above all. Here
# the whole is better, too, because the classes are equally large in the test. If *sympy* were as
# rare there as in training, the same weights would cost more than they bring.

# %%
sympy = classes.index("sympy")
of_sympy = (y_train == sympy).nonzero().flatten()
kept = torch.ones(len(y_train), dtype=torch.bool)
kept[of_sympy[20:]] = False
weights = page["balanced_weights"](y_train[kept], 4)
print("weights:", ", ".join(f"{c} {w:.1f}" for c, w in zip(classes, weights, strict=True)))
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
found = bought["found: sympy"]
assert found.filter(like="weighted").min() > 1.3 * found.filter(like="plain").max()
assert (bought["right"].iloc[2:] > bought["right"].iloc[:2].max()).all()
bought.round(2)

# %% [exercise 4]
# Partly. From the mean one can read the length with an error of 3.8 words, from the max with 3.6,
# where always saying the mean length is off by 4.8. So both know something, about 40% of the
# variance, and neither counts. That the max knows more is no accident, though the difference is
# small here: the more tokens there are, the larger the largest of them. In a mean the length has
# been divided out, and what is left comes from what long texts are like. The first token alone
# knows least.


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
assert 0.25 < length["variance explained"]["mean"] < length["variance explained"]["max"] < 0.6
length.round(2)
