"""Solutions to the exercises of chapters/01_attention_function.ipynb, for instructors."""

# %%
import math

import pandas as pd
import torch
import torch.nn.functional as F

from solutions import load_checkpoint
from solutions.simple_attention import scaled_dot_product_attention

checkpoint = load_checkpoint()
tokenizer = checkpoint.tokenizer
model = checkpoint.load_model().requires_grad_(False)

# %% [exercise 1]
# Such pairs are rare, and they are found where vectors are *short*: if $x \cdot y > x \cdot x$,
# then $\lVert y \rVert \cos(x, y) > \lVert x \rVert$, so the other vector must be longer and
# point in nearly the same direction. We search the 4,000 shortest vectors of whole words and find
# five. All of them are plurals, and each prefers its own singular, which is the longer vector.
# Their cosines are 0.69 to 0.84; words that are neighbours in the list, the control, have 0.07.

# %%
table = model.embeddings.word_embeddings.weight
names = tokenizer.convert_ids_to_tokens(range(len(table)))
length = table.norm(dim=-1)
words = torch.tensor([i for i, name in enumerate(names) if name.isalpha() and len(name) > 2])
some = words[length[words].argsort()[:4000]]  # the shortest vectors
scores = table[some] @ table.T  # [some, vocabulary]
best = scores.argmax(dim=-1)

rows = []
for i in (best != some).nonzero().flatten().tolist():
    token, other = some[i].item(), best[i].item()
    rows.append(
        {
            "token": names[token],
            "prefers": names[other],
            "with itself": scores[i, token].item(),
            "with the other": scores[i, other].item(),
            "length": length[token].item(),
            "of the other": length[other].item(),
            "cosine": F.cosine_similarity(table[token], table[other], dim=0).item(),
        }
    )
found = pd.DataFrame(rows)
print(f"{len(found)} of {len(some)} tokens prefer another")
found.head(8)

# %%
chance = F.cosine_similarity(table[some[:-1]], table[some[1:]], dim=-1).mean()
print(f"mean cosine: these pairs {found['cosine'].mean():.2f}, neighbours {chance:.2f}")
assert (found["of the other"] > found["length"]).all()
assert all(row["prefers"][:5] == row["token"][:5] for row in rows)

# %% [exercise 2]
# *Bank*, eight sentences by a river and eight with money. The gap says how much more alike two of
# a kind are than two of different kinds; the control splits the same sixteen sentences into
# halves at random, 500 times, and takes the largest gap of all. Before the first attention the
# gap is below what chance gives, and from the first layer on it is above every one of the 500. So
# it splits in two, though not far, by 0.085 at the end. Missed most is head 10 of layer 0,
# without which 81% of the gap is left, where the median head leaves 99%. Head 4 of layer 0, the
# one of the two *flies*, is second. No single head does the work.

# %%
river = [
    "we sat on the bank of the river",
    "the boat was tied to the bank",
    "flowers grow along the bank of the stream",
    "he swam to the other bank",
    "the river burst its bank after the rain",
    "ducks sleep on the bank of the lake",
    "they fished from the bank all day",
    "a path follows the bank of the canal",
]
money = [
    "the bank raised its rates",
    "she has an account at the bank",
    "the bank refused to lend him money",
    "he works for a large bank in london",
    "thieves robbed the bank on friday",
    "the bank lost millions of dollars",
    "my bank charges too much for a loan",
    "they borrowed from the bank to buy a house",
]
many = tokenizer(river + money, padding=True, return_tensors="pt")
at_bank = many.input_ids == tokenizer.convert_tokens_to_ids("bank")
pairs = torch.triu_indices(8, 8, offset=1)


def gap(vectors, order=slice(None)):
    """How much more alike two of one kind are than two of different kinds."""
    unit = F.normalize(vectors[order], dim=-1)
    cosines = unit @ unit.T
    alike = (cosines[:8, :8] + cosines[8:, 8:])[pairs[0], pairs[1]].mean() / 2
    return (alike - cosines[:8, 8:].mean()).item()


states = model(**many, output_hidden_states=True).hidden_states
torch.manual_seed(0)
orders = [torch.randperm(16) for _ in range(500)]
rows = {}
for depth, state in enumerate(states):
    by_chance = torch.tensor([gap(state[at_bank], order) for order in orders])
    rows[f"after layer {depth}"] = [gap(state[at_bank]), by_chance.max().item()]
splits = pd.DataFrame(rows, ["gap", "largest of 500 random halves"]).T
assert (splits["gap"] > splits["largest of 500 random halves"]).iloc[1:].all()
splits.round(3)

# %%
averages = []
for layer in model.encoder.layer:
    dense = layer.attention.output.dense

    def remember(module, given):
        averages.append(given[0][many.attention_mask.bool()].mean(dim=0))

    with dense.register_forward_pre_hook(remember):
        model(**many)


def gap_without(number, head):
    own = slice(32 * head, 32 * (head + 1))

    def overwrite(module, given):
        context = given[0].clone()
        context[..., own] = averages[number][own]
        return (context,)

    with model.encoder.layer[number].attention.output.dense.register_forward_pre_hook(overwrite):
        return gap(model(**many).last_hidden_state[at_bank])


whole = gap(states[-1][at_bank])
left = {(i, h): gap_without(i, h) / whole for i in range(6) for h in range(12)}
ranked = sorted(left, key=left.get)
assert ranked[0] == (0, 10)
assert (0, 4) in ranked[:3]
for i, h in ranked[:3]:
    print(f"without layer {i}, head {h}: {left[i, h]:.0%} of the gap is left")
print(f"without the median head: {torch.tensor(list(left.values())).median():.0%}")

# %% [exercise 3]
# The outer loop is over queries, the inner one over keys; a dot product is a sum of products. A
# hidden key gets the weight 0 in place of $e^{-\infty}$, and where the sum of all weights is 0,
# the row stays zero. (Without subtracting the largest score first, large scores would overflow.
# Here they are small.)


# %%
def attention_by_loops(query, key, value, mask=None):
    """For matrices [queries, d_k], [keys, d_k], [keys, d_v] and a mask [queries, keys]."""
    result = torch.zeros(len(query), value.size(-1))
    for i in range(len(query)):
        weights = []
        for j in range(len(key)):
            score = (query[i] * key[j]).sum() / math.sqrt(key.size(-1))
            hidden = mask is not None and not mask[i, j]
            weights.append(torch.tensor(0.0) if hidden else score.exp())
        total = sum(weights)
        if total > 0:  # else nothing may be seen, and the row stays zero
            for weight, row in zip(weights, value, strict=True):
                result[i] += weight / total * row
    return result


torch.manual_seed(0)
query, key, value = torch.randn(5, 8), torch.randn(7, 8), torch.randn(7, 3)
mask = torch.rand(5, 7) < 0.6
mask[2] = False  # a query that may look at nothing
for each in (None, mask):
    found = attention_by_loops(query, key, value, each)
    expected = scaled_dot_product_attention(query, key, value, each)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
print("agrees to 1e-5, without a mask and with one")
