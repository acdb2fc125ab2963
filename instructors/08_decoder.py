"""Solutions to the exercises of chapters/08_decoder.ipynb, for instructors."""

# %%
import torch
from chapter import take

from solutions import TransformerConfig
from solutions.decoder import EncoderDecoder

# %% [exercise 1]
# A source token may move every output: the encoder reads in both directions, and cross-attention
# has no causal mask. A target token may move its own output and those that follow, and none
# before it. All of that is asserted, also that what *may* move does.

# %%
torch.manual_seed(0)
config = TransformerConfig(
    vocab_size=50,
    hidden_size=24,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=48,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
model = EncoderDecoder(config).double().eval().requires_grad_(False)
for parameter in model.parameters():
    torch.nn.init.normal_(parameter, std=0.3)
source, target = torch.randint(50, (1, 6)), torch.randint(50, (1, 4))


def what_moves(side):
    """Mark [changed token, output] where the logits of the target move."""
    base = model(source, target).logits
    rows = []
    for t in range(source.size(1) if side == "source" else target.size(1)):
        ids = {"source": source.clone(), "target": target.clone()}
        ids[side][0, t] = (ids[side][0, t] + 1) % 50
        moved = (model(ids["source"], ids["target"]).logits - base).abs().amax(dim=-1)[0]
        rows.append((moved > 1e-9).int())
    return torch.stack(rows)


print("a source token changed:")
print(what_moves("source"))
print("a target token changed:")
print(what_moves("target"))
assert what_moves("source").all()
assert torch.equal(what_moves("target"), torch.ones(4, 4).triu().int())

# %% [exercise 2]
# All three, the two wrong ones included, and so would any other mask: the shape of the output is
# `[5, 8]` under any mask; only one of the three is causal.

# %%
page = take("08_decoder", "what_moves", "head_with")
square = torch.ones(5, 5, dtype=torch.bool)
x = torch.randn(5, 8)
masks = {"tril()": square.tril(), "tril(1)": square.tril(1), "tril().T": square.tril().T}
for name, mask in masks.items():
    function = page["head_with"](mask)
    moves = page["what_moves"](function, x)
    print(f"{name:9} shape {list(function(x).shape)}, passes what_moves:", end=" ")
    print(torch.equal(moves, square.triu().int()))
