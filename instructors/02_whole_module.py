"""Solutions to the exercises of chapters/02_whole_module.ipynb, for instructors."""

# %%
import math

import torch
import torch.nn.functional as F
from chapter import take
from torch import nn

from solutions import load_checkpoint

MultiHeadAttention = take("02_whole_module", "MultiHeadAttention")["MultiHeadAttention"]
config = load_checkpoint().config
torch.manual_seed(0)
attention = MultiHeadAttention(config).eval().requires_grad_(False)
x = torch.randn(2, 7, config.hidden_size)

# %% [exercise 1]
# The packed projections are cut into query, key and value, and each of these into heads; the
# letters of `einsum` then say which dimension is which, so nothing has to be transposed. A letter
# that occurs in both factors and not in the result is summed over: $d$ in the scores, $k$ in the
# update.


# %%
def by_einsum(module, x):
    heads = module.num_attention_heads
    packed = module.query_key_value(x).unflatten(-1, (3, heads, -1))
    query, key, value = packed.unbind(dim=2)  # each [batch, tokens, heads, head_size]
    scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(query.size(-1))
    context = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(dim=-1), value)
    return module.output(context.flatten(2))


torch.testing.assert_close(by_einsum(attention, x), attention(x)[0], rtol=1e-5, atol=1e-5)
print("agrees to 1e-5")

# %% [exercise 2]
# The first third of the rows stays, for all queries. For keys and values there are rows for four
# heads instead of twelve, and `repeat_interleave` gives each of them to three neighbouring query
# heads. With twelve heads of keys it is the module of the page. With four, two thirds of two of
# the four matrices are gone: two thirds of all parameters are left, 394,240 of 591,360.


# %%
class GroupedAttention(MultiHeadAttention):
    """Several query heads share a head of keys and values."""

    def __init__(self, config, key_heads):
        super().__init__(config, dropout=0.0)
        self.key_heads = key_heads
        self.sizes = [config.hidden_size, *2 * [key_heads * self.head_size]]
        self.query_key_value = nn.Linear(config.hidden_size, sum(self.sizes))

    def project(self, hidden_states, key_value_states=None):
        """Return query, key and value, the shared ones repeated."""
        others = hidden_states if key_value_states is None else key_value_states
        weights = self.query_key_value.weight.split(self.sizes)
        biases = self.query_key_value.bias.split(self.sizes)
        parts = []
        for weight, bias, given in zip(
            weights, biases, (hidden_states, others, others), strict=True
        ):
            heads = F.linear(given, weight, bias).unflatten(-1, (-1, self.head_size))
            heads = heads.transpose(1, 2)
            groups = self.num_attention_heads // heads.size(1)
            parts.append(heads.repeat_interleave(groups, dim=1))
        return tuple(parts)


def count(module):
    return sum(p.numel() for p in module.parameters())


same = GroupedAttention(config, 12).eval()
same.load_state_dict(attention.state_dict())
torch.testing.assert_close(same(x)[0], attention(x)[0], rtol=1e-5, atol=1e-5)

shared = GroupedAttention(config, 4)
d = config.hidden_size
print(
    f"{count(shared):,} of {count(attention):,} parameters, {count(shared) / count(attention):.0%}"
)
assert list(shared(x)[0].shape) == [2, 7, d]
assert count(attention) - count(shared) == 2 * (d * d + d) * 8 // 12
