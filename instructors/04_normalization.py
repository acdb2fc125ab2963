"""Solutions to the exercises of chapters/04_normalization.ipynb, for instructors."""

# %%
import copy

import pandas as pd
import torch
import torch.nn.functional as F
from chapter import take
from torch import nn
from transformers import BertConfig, BertModel, GPT2Config, GPT2Model

# %% [exercise 1]
# The mean is 2, the deviations are −1, −1, −1 and 3, their average square is 3: LayerNorm gives
# −0.577, −0.577, −0.577 and 1.732. The average square of the numbers themselves is 7, and RMSNorm
# gives 0.378 three times and 1.890. LayerNorm asks how far a number is from the *mean*, and the
# ones are below it; RMSNorm keeps every sign.

# %%
x = torch.tensor([1.0, 1.0, 1.0, 5.0])
layer_norm = (x - 2) / 3**0.5  # mean 2, variance (1 + 1 + 1 + 9) / 4
rms_norm = x / 7**0.5  # average square (1 + 1 + 1 + 25) / 4
torch.testing.assert_close(layer_norm, F.layer_norm(x, (4,), eps=0.0))
torch.testing.assert_close(rms_norm, F.rms_norm(x, (4,), eps=1e-12))
print("LayerNorm:", [f"{n:.3f}" for n in layer_norm.tolist()])
print("RMSNorm:  ", [f"{n:.3f}" for n in rms_norm.tolist()])

# %% [exercise 2]
# A solution for two families, built from their configurations so that nothing is downloaded; with
# `from_pretrained` and a name, the same lines read any other model. The tree answers half of the
# question. GPT-2 begins a layer with `ln_1` and has one more norm at the end, `ln_f`, so it
# should be pre-norm; BERT's last norm is inside its last layer. The eps are 1e-5 and 1e-12. The
# tree can't show where `forward` uses the norms, but the hidden states can: behind a post-norm
# layer each token has variance 1 (times the gains, which are 1 in a new model), and in a pre-norm
# model the variance grows from layer to layer (here by little: the weights of a new GPT-2 are
# small).

# %%
torch.manual_seed(0)
sizes = {"vocab_size": 100, "bos_token_id": None, "eos_token_id": None}
gpt2 = GPT2Model(GPT2Config(n_embd=48, n_layer=4, n_head=4, **sizes)).eval()
bert = BertModel(
    BertConfig(
        vocab_size=100,
        hidden_size=48,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=96,
    )
).eval()
for name, model in (("GPT-2", gpt2), ("BERT", bert)):
    norms = [(n, m) for n, m in model.named_modules() if isinstance(m, nn.LayerNorm)]
    print(name, len(norms), type(norms[0][1]).__name__, "eps", norms[0][1].eps)
    print("   first:", norms[0][0], "| last:", norms[-1][0])

# %%
rows = {}
for name, model, layers in (("GPT-2", gpt2, gpt2.h), ("BERT", bert, bert.encoder.layer)):
    outputs = []
    hooks = [
        each.register_forward_hook(
            lambda module, given, out, kept=outputs: kept.append(
                out[0] if isinstance(out, tuple) else out
            )
        )
        for each in layers
    ]
    with torch.inference_mode():
        model(torch.randint(100, (1, 9)))
    for hook in hooks:
        hook.remove()
    rows[name] = [out.var(dim=-1, correction=0).mean().item() for out in outputs]
variances = pd.DataFrame(rows, [f"after layer {i}" for i in range(4)]).T
variances.map("{:.4f}".format)

# %%
assert (variances.loc["BERT"] - 1).abs().max() < 1e-3  # gains are 1, biases 0
assert variances.loc["GPT-2"].is_monotonic_increasing

# %% [exercise 3]
# Both are needed: without those of attention it finds 2 of 8, without those of the feed-forward
# networks 3, where chance would find 1. That they fail alike says little about which is needed
# more, so we also remove them one at a time. Then one feed-forward residual in layer 0 is enough
# to lose five answers, and from layer 4 on hardly any is missed. (Eight questions are a coarse
# measure: a difference of one means nothing.)

# %%
page = take("04_normalization", "search", "WithoutResidual", "model", "answers")
model = page["model"]
rows = {"all of them": page["search"](model)[0]}
for which in ("attention", "feed-forward"):
    changed = copy.deepcopy(model)
    for layer in changed.encoder.layer:
        block = layer.attention if which == "attention" else layer
        block.output = page["WithoutResidual"](block.output)
    rows[f"without those of {which}"] = page["search"](changed)[0]
for i in range(6):
    for which in ("attention", "feed-forward"):
        changed = copy.deepcopy(model)
        layer = changed.encoder.layer[i]
        block = layer.attention if which == "attention" else layer
        block.output = page["WithoutResidual"](block.output)
        rows[f"without the one of {which}, layer {i}"] = page["search"](changed)[0]
found = pd.DataFrame({"found, of 8": rows})
assert rows["all of them"] == 8
assert max(rows["without those of attention"], rows["without those of feed-forward"]) <= 4
assert rows["without the one of feed-forward, layer 0"] <= 4
found

# %% [exercise 4]
# With $\hat x = (x - \mu)/\sigma$, a change of $x_j$ changes $\hat x_i$ in three ways: directly,
# by $1/\sigma$ if $i = j$; through the mean, by $-1/(n\sigma)$; and through $\sigma$, by $-\hat
# x_i \hat x_j/(n\sigma)$, because $\partial\sigma/\partial x_j = \hat x_j/n$. Multiplied by the
# incoming gradient and summed over $i$, these are the three terms of the formula. (With eps
# inside the root, $\sigma$ is $\sqrt{\sigma^2 + \epsilon}$, and the formula stays what it is.) It
# agrees with autograd to the last digits of double precision.


# %%
def gradient_of_layer_norm(x, gradient, eps=1e-5):
    """The gradient with respect to x, for vectors along the last dimension."""
    sigma = torch.sqrt(x.var(dim=-1, keepdim=True, correction=0) + eps)
    normalised = (x - x.mean(dim=-1, keepdim=True)) / sigma
    mean = gradient.mean(dim=-1, keepdim=True)
    along = (gradient * normalised).mean(dim=-1, keepdim=True)
    return (gradient - mean - normalised * along) / sigma


torch.manual_seed(0)
x = torch.randn(3, 5, 16, dtype=torch.float64, requires_grad=True)
gradient = torch.randn(3, 5, 16, dtype=torch.float64)
(expected,) = torch.autograd.grad(F.layer_norm(x, (16,)), x, gradient)
found = gradient_of_layer_norm(x.detach(), gradient)
torch.testing.assert_close(found, expected)
print(f"largest difference: {(found - expected).abs().max():.0e}")
print(f"without the last term: {(found - (gradient - gradient.mean(-1, True))).abs().max():.1f}")
