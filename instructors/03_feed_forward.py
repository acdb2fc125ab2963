"""Solutions to the exercises of chapters/03_feed_forward.ipynb, for instructors."""

# %%
import math

import pandas as pd
import torch
import torch.nn.functional as F
from chapter import take

# %% [exercise 1]
# $|a - b| = \operatorname{relu}(a - b) + \operatorname{relu}(b - a)$: one of the two is always
# zero. And $\max(a, b) = b + \operatorname{relu}(a - b)$, where $b$ itself has to pass through
# the ReLUs, as $\operatorname{relu}(b) - \operatorname{relu}(-b)$.


# %%
def network(x, first, second):
    """Two maps with a ReLU between, without biases."""
    return (x @ torch.tensor(first)).relu() @ torch.tensor(second)


torch.manual_seed(0)
pairs = torch.randn(1000, 2)
a, b = pairs.unbind(dim=-1)
absolute = network(pairs, [[1.0, -1.0], [-1.0, 1.0]], [1.0, 1.0])
torch.testing.assert_close(absolute, (a - b).abs())

maximum = network(pairs, [[1.0, 0.0, 0.0], [-1.0, 1.0, -1.0]], [1.0, 1.0, -1.0])
torch.testing.assert_close(maximum, torch.maximum(a, b))
print("both agree on 1,000 random pairs")

# %% [exercise 2]
# Three words with four sentences each, two for each meaning. The words near to what the first
# layer adds already fit: *winter* and *summer* for the season, *ligament* for the metal spring;
# *serpent* for the animal, *science* for the language. For *mouse* only *a mouse ate the cheese*
# leans towards animals in layer 0. By number (how much more alike two updates of one meaning are
# than two of different meanings), *python* is seen by the first layer, *spring* most by the
# third, and *mouse* latest, by the fourth. In the last layer there is little difference for any:
# what is added there serves the sentence vector. Twelve sentences are few, so trust the order and
# not the digits.

# %%
page = take("03_feed_forward", "what_is_added", "nearest", "model")
nearest, model, tokenizer = page["nearest"], page["model"], page["tokenizer"]
model.eval().requires_grad_(False)
texts = {
    "flowers bloom in spring": "spring",
    "we had snow until spring": "spring",
    "the spring of the clock broke": "spring",
    "a metal spring pushes the lid": "spring",
    "the python ate a rat": "python",
    "a snake such as a python": "python",
    "he writes a program in python": "python",
    "python is a programming language": "python",
    "the cat caught a mouse": "mouse",
    "a mouse ate the cheese": "mouse",
    "click the mouse twice": "mouse",
    "a keyboard and a mouse": "mouse",
}


def updates(text, word):
    """What the feed-forward network of each layer adds to a word, [layer, hidden]."""
    inputs = tokenizer(text, return_tensors="pt")
    i = tokenizer.convert_ids_to_tokens(inputs.input_ids[0].tolist()).index(word)
    states = model(**inputs, output_hidden_states=True).hidden_states
    found = []
    for layer, x in zip(model.encoder.layer, states, strict=False):
        wide = layer.intermediate(layer.attention(x)[0])
        found.append(layer.output.dense(wide)[0, i])
    return torch.stack(found)


added = {text: updates(text, word) for text, word in texts.items()}
pd.DataFrame(
    {text: {f"layer {i}": nearest(v[i], 3) for i in (0, 2, 5)} for text, v in added.items()}
).T

# %%
rows = {}
for word in ("spring", "python", "mouse"):
    a1, a2, b1, b2 = (F.normalize(v, dim=-1) for text, v in added.items() if texts[text] == word)
    one_kind = ((a1 * a2).sum(-1) + (b1 * b2).sum(-1)) / 2
    two_kinds = sum((p * q).sum(-1) for p in (a1, a2) for q in (b1, b2)) / 4
    rows[word] = (one_kind - two_kinds).tolist()
apart = pd.DataFrame(rows, [f"layer {i}" for i in range(6)]).T
assert [apart.loc[word].argmax() for word in apart.index] == [2, 0, 3]
apart.round(2)

# %% [exercise 3]
# The product rule gives $\Phi(x) + x\,\varphi(x)$, since $\Phi' = \varphi$. `gradcheck` compares
# with differences of the function, in double precision. It has to be able to fail, so the second
# function leaves the second term out, and is refused.


# %%
class Gelu(torch.autograd.Function):
    """GELU with its derivative written out."""

    @staticmethod
    def forward(context, x):
        """Return x Φ(x)."""
        context.save_for_backward(x)
        return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))

    @staticmethod
    def backward(context, gradient):
        """Return the incoming gradient times Φ(x) + x φ(x)."""
        (x,) = context.saved_tensors
        below = 0.5 * (1 + torch.erf(x / math.sqrt(2)))
        density = torch.exp(-x.square() / 2) / math.sqrt(2 * math.pi)
        return gradient * (below + x * density)


torch.manual_seed(0)
x = torch.randn(50, dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradcheck(Gelu.apply, (x,))
(ours,) = torch.autograd.grad(Gelu.apply(x).sum(), x)
(theirs,) = torch.autograd.grad(F.gelu(x).sum(), x)
torch.testing.assert_close(ours, theirs)


class Forgotten(Gelu):
    """The control: the second term left out."""

    @staticmethod
    def backward(context, gradient):
        """Return the incoming gradient times Φ(x) alone."""
        (x,) = context.saved_tensors
        return gradient * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


print("gradcheck, right:    ", torch.autograd.gradcheck(Gelu.apply, (x,)))
print(
    "gradcheck, x φ(x) forgotten:",
    torch.autograd.gradcheck(Forgotten.apply, (x,), raise_exception=False),
)
