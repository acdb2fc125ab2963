"""Solutions to the exercises of chapters/10_experts_and_int8.ipynb, for instructors."""

# %%
import copy

import pandas as pd
import torch
from chapter import take
from torch import nn

torch.set_num_threads(1)
page = take("10_experts_and_int8", "loss_of", "writer", "QuantizedLinear")
writer, loss_of = page["writer"], page["loss_of"]
whole = loss_of(writer)

# %% [exercise 1]
# Attention costs more than the feed-forward layers, although it has half as many weights: for
# each megabyte saved, about three times as much. By layers the first one is the most sensitive,
# with twice the cost of layer 2 and at least four times that of the other two. The single costs
# sum to 0.04 nats, and rounding everything costs more, 0.049: errors build on errors. So one
# would keep attention, or the first layer, at more bits.


# %%
def rounded(chosen, bits=3):
    """A copy of the writer in which some linear layers are rounded, and what that saves."""
    model, saved = copy.deepcopy(writer), 0
    for name, module in list(model.named_modules()):
        for child, linear in list(module.named_children()):
            if isinstance(linear, nn.Linear) and chosen(f"{name}.{child}"):
                setattr(module, child, page["QuantizedLinear"](linear, bits))
                saved += linear.weight.numel() * (32 - bits) / 8 - 4 * linear.weight.size(0)
    return model, saved / 1e6


kinds = {
    "all": lambda name: True,
    "attention": lambda name: ".attention." in name,
    "feed-forward": lambda name: ".feed_forward." in name,
}
for i in range(4):
    kinds[f"layer {i}"] = lambda name, i=i: f"layers.{i}." in name
rows = {}
for name, chosen in kinds.items():
    model, saved = rounded(chosen)
    cost = loss_of(model) - whole
    rows[name] = [saved, cost, cost / saved]
cost = pd.DataFrame(rows, ["MB saved", "loss rises by", "per MB"]).T
assert cost["per MB"]["attention"] > 2 * cost["per MB"]["feed-forward"]
assert cost["loss rises by"].filter(like="layer ").idxmax() == "layer 0"
cost.round(4)

# %% [exercise 2]
# The smaller the group, the smaller the loss: at 3 bits 1.555 by row, 1.531 by half rows, 1.516
# in groups of 32 and 1.511 in groups of 16, where 1.506 is the loss without rounding. At 4 bits
# half a row is already as good as no rounding. The scales are the price: with 16 bits each,
# groups of 32 numbers make half a bit more for each weight, and groups of 16 a whole one, so that
# 3 bits in groups of 16 take as many bytes as 4 bits by row, and are slightly worse. (Rows of 688
# numbers have no groups of 32; there the groups have 43.)


# %%
def in_groups(weight, bits, size):
    """Round a matrix with a scale for each group of numbers in a row."""
    steps = 2 ** (bits - 1) - 1
    groups = weight.unflatten(1, (-1, size))
    scale = groups.abs().amax(dim=-1, keepdim=True) / steps
    return ((groups / scale).round().clamp(-steps, steps) * scale).flatten(1), scale.numel()


rows = {}
linear_names = [n for n, m in writer.named_modules() if isinstance(m, nn.Linear)]
numbers = sum(writer.get_submodule(n).weight.numel() for n in linear_names)
for label, size_of in {
    "a row": lambda w: w.size(1),
    "half a row": lambda w: w.size(1) // 2,
    "32 numbers": lambda w: 32 if w.size(1) % 32 == 0 else 43,
    "16 numbers": lambda w: 16,
}.items():
    for bits in (3, 4):
        model, scales = copy.deepcopy(writer), 0
        for name in linear_names:
            weight = model.get_submodule(name).weight
            size = size_of(weight)
            weight.data, count = in_groups(weight.data, bits, size)
            scales += count
        rows.setdefault(label, {})[f"{bits} bits: loss"] = loss_of(model)
        rows[label]["scales, kB (16 bits each)"] = 2 * scales / 1e3
        rows[label]["bits a weight, of 3"] = 3 + 16 * scales / numbers
grouped = pd.DataFrame(rows).T
assert grouped["3 bits: loss"].is_monotonic_decreasing
assert grouped["3 bits: loss"]["16 numbers"] > grouped["4 bits: loss"]["a row"]
print(f"not rounded: {whole:.3f}")
grouped.round(3)
