"""Solutions to the exercises of chapters/02_watching_heads.ipynb, for instructors."""

# %%
import copy
import math

import figures
import torch
import torch.nn.functional as F
from chapter import take

page = take("02_watching_heads", "over_texts", "on_previous", "named", "texts", "model")
over_texts, on_previous, named = page["over_texts"], page["on_previous"], page["named"]
model, tokenizer, texts = page["model"], page["tokenizer"], page["texts"]

# %% [exercise 1]
# Head 8 of layer 1 gives most to the next token, 0.59 on average, where all heads together give
# 0.07. It isn't nearly as strict as the previous-token head with its 1.00; the second best of
# either kind is far behind, at 0.27 and 0.39.


# %%
def on_next(names, maps):
    return maps.diagonal(offset=1, dim1=-2, dim2=-1).mean(dim=-1)  # [layer, head]


following = over_texts(on_next)
previous = over_texts(on_previous)
for name, scores in (("next", following), ("previous", previous)):
    best = scores.flatten().topk(2)
    for score, index in zip(best.values, best.indices.tolist(), strict=True):
        print("{}: layer {}, head {}: {:.2f}".format(name, *named(index), score))
print(f"all heads on the next token, mean: {following.mean():.2f}")
assert named(following.argmax().item()) == (1, 8)
assert following.max() < 0.7 < 0.99 < previous.max()

# %% [exercise 2]
# Heads of the last layer change the direction most, because nothing comes after them that could
# make up for it: the first three places are all in layer 5, and for each sentence another of its
# heads is first. But “most” is little, a cosine of 0.96. The previous-token head is in the middle
# of the list, with 0.998. A clear map says nothing about how much a model needs a head.


# %%
@torch.inference_mode()
def sentence_vector(model, text):
    states = model(**tokenizer(text, return_tensors="pt")).last_hidden_state
    return states[0].mean(dim=0)


def without(number, head):
    changed = copy.deepcopy(model)
    with torch.no_grad():
        dense = changed.encoder.layer[number].attention.output.dense
        dense.weight[:, 32 * head : 32 * (head + 1)] = 0.0
    return changed


cosines = torch.zeros(6, 12, len(texts))
whole = [sentence_vector(model, text) for text in texts]
for i in range(6):
    for h in range(12):
        changed = without(i, h)
        for t, text in enumerate(texts):
            found = sentence_vector(changed, text)
            cosines[i, h, t] = F.cosine_similarity(found, whole[t], dim=0)
mean = cosines.mean(dim=-1)
for rank, index in enumerate(mean.flatten().argsort()[:3].tolist(), start=1):
    print("{}. layer {}, head {}: cosine {:.3f}".format(rank, *named(index), mean.flatten()[index]))
    assert index // 12 == 5
place = (mean < mean[0, 2]).sum().item() + 1
print(f"layer 0, head 2 (previous token): {mean[0, 2]:.3f}, place {place} of 72")
assert mean[0, 2] > 0.99
assert 20 < place < 50
by_text = {named(i) for i in cosines.flatten(0, 1).argmin(dim=0).tolist()}
print("first place, text by text:", *sorted(by_text))

# %% [exercise 3]
# Entropy is largest where all $n$ weights are $1/n$; then it is $\log n$. Divided by that,
# sentences of different lengths can be compared, and an even head has 1. By this measure layer 0
# is the broadest with a mean of 0.72, although it also has the sharpest head of all, the
# previous-token head (0.00); seven of its heads are above 0.75. Layers 1 and 2 are the narrowest.
# Most of that is the sink: a head that gives nearly everything to `[CLS]` is as narrow as one
# that looks at the previous token.


# %%
def broadness(names, maps):
    """Entropy of each row, as a share of the largest possible, [layer, head]."""
    entropy = -(maps * maps.clamp(min=1e-12).log()).sum(dim=-1)
    return (entropy / math.log(maps.size(-1))).mean(dim=-1)


n = 9
even = torch.full((1, 1, n, n), 1 / n)
assert torch.allclose(broadness(None, even), torch.ones(1, 1))  # log n is the largest

broad = over_texts(broadness)
for i, row in enumerate(broad):
    print(f"layer {i}: mean {row.mean():.2f}, above 0.75: {(row > 0.75).sum()} of 12")
figures.heat_map(
    broad.T,
    [f"head {h}" for h in range(12)],
    [str(i) for i in range(6)],
    row_title="head",
    column_title="layer",
    alt="How broad each of the 72 heads is, as a share of the largest entropy.",
)
