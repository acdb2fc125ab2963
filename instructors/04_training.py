"""Solutions to the exercises of chapters/04_training.ipynb, for instructors."""

# %%
import pandas as pd
import torch
from chapter import take
from torch import nn

torch.set_num_threads(1)
names = ("Backwards", "PostNorm", "PreNorm", "accuracy", "gradients", "loss_of", "batch", "Attention")
page = take("04_training", *names, "feed_forward")
Backwards, PostNorm, PreNorm = page["Backwards"], page["PostNorm"], page["PreNorm"]
accuracy, gradients, batch = page["accuracy"], page["gradients"], page["batch"]


def train(network, rate=0.008, warm_up=1, most_steps=120):
    """The page's training for any network; return whether it has learned the task."""
    adam = torch.optim.Adam(network.parameters(), lr=rate, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(adam, lambda step: min(1.0, (step + 1) / warm_up))
    losses = []
    for _ in range(most_steps):
        loss = page["loss_of"](network, *batch())
        adam.zero_grad()
        loss.backward()
        adam.step()
        schedule.step()
        losses.append(loss.item())
        if max(losses[-5:]) < 0.1:
            break
    return accuracy(network) > 0.9, len(losses)


def with_torchs_start(network):
    for module in network.layers.modules():
        if isinstance(module, nn.Linear):
            module.reset_parameters()
    return network


# %% [exercise 1]
# ANSWER

# %%
rows = {}
for layers in (4, 16):
    for warm_up in (1, 20, 60):
        for start, change in (("Glorot", lambda n: n), ("PyTorch", with_torchs_start)):
            torch.manual_seed(0)
            right, steps = train(change(Backwards(layers, PostNorm)), warm_up=warm_up)
            said = f"learned, {steps} steps" if right else "failed"
            rows.setdefault(f"{layers} layers, {start}", {})[f"warm-up {warm_up}"] = said
    torch.manual_seed(0)
    right, steps = train(Backwards(layers, PreNorm))
    rows[f"{layers} layers, pre-norm"] = {"warm-up 1": f"learned, {steps} steps" if right else "failed"}
outcome = pd.DataFrame(rows).T.fillna("–")
outcome

# %% [exercise 2]
# ANSWER


# %%
class Parallel(nn.Module):
    """Attention and feed-forward read the same normalised input."""

    def __init__(self, attention, feed_forward, norm):
        super().__init__()
        self.attention, self.feed_forward, self.norm = attention, feed_forward, norm

    def forward(self, x):
        n = self.norm(x)
        return x + self.attention(n) + self.feed_forward(n)


torch.manual_seed(0)
in_a_row = Backwards(8, PreNorm)
parallel = Backwards(8, PreNorm)
parallel.load_state_dict(in_a_row.state_dict())
for i, (attend, expand) in enumerate(parallel.layers):
    parallel.layers[i] = Parallel(attend.sublayer, expand.sublayer, attend.norm)
x = torch.randn(2, 6, 32)
with torch.inference_mode():
    gap = (parallel.layers[0](x) - in_a_row.layers[0](x)).abs().max()
print(f"one layer, the same weights: off by {gap:.2f}")

rows = {}
for name, build in (("in a row", False), ("parallel", True)):
    for seed in (0, 1):
        torch.manual_seed(seed)
        network = Backwards(8, PreNorm)
        if build:
            for i, (attend, expand) in enumerate(network.layers):
                network.layers[i] = Parallel(attend.sublayer, expand.sublayer, attend.norm)
        rows[f"{name}, seed {seed}"] = train(network)
trained = pd.DataFrame(rows, ["learned", "steps"]).T
trained

# %% [exercise 3]
# ANSWER

# %%
rows = {}
for hidden in (32, 64, 128):
    for name, wrapper in (("post-norm", PostNorm), ("pre-norm", PreNorm)):
        g = gradients(12, wrapper, seeds=10, hidden=hidden, wide=4 * hidden)
        thirds = g.unflatten(1, (3, 4)).mean(dim=-1)
        ratio = thirds[:, 2] / thirds[:, 0]
        rows[f"{name}, width {hidden}"] = {
            "last ÷ first, mean": ratio.mean().item(),
            "lowest": ratio.min().item(),
            "highest": ratio.max().item(),
            "seeds in which it rises": (ratio > 1).sum().item(),
        }
rising = pd.DataFrame(rows).T
rising.round(2)

# %%
rows = {}
for hidden in (32, 64, 128):
    for name, wrapper in (("post-norm", PostNorm), ("pre-norm", PreNorm)):
        last = {
            depth: gradients(depth, wrapper, seeds=5, hidden=hidden, wide=2 * hidden)[:, -1]
            for depth in (4, 16)
        }
        rows[f"{name}, width {hidden}"] = {d: g.mean().item() for d, g in last.items()}
deeper = pd.DataFrame(rows).T.add_suffix(" layers")
deeper["ratio"] = deeper["16 layers"] / deeper["4 layers"]
deeper.round(2)
