# a module filled with copies of the weights, which no gradient reaches
# points: 4

class Attention(nn.Module):
    def __init__(self, hidden, width, heads):
        super().__init__()
        self.query_key_value, self.output = nn.Linear(hidden, 3 * width), nn.Linear(width, hidden)
        self.heads = heads
    def forward(self, x, mask):
        q, k, v = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in self.query_key_value(x).chunk(3, -1))
        return self.output(F.scaled_dot_product_attention(q, k, v, mask).transpose(1, 2).flatten(-2))

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    hidden, width = state["output.weight"].shape
    module = Attention(hidden, width, num_attention_heads)
    module.load_state_dict(state)
    if mask is not None and mask.dim() < 4:
        if mask.dim() == 2 and len(mask) == len(hidden_states):
            mask = mask[:, None]
        mask = mask[None, None] if mask.dim() == 2 else mask[:, None]
    return module(hidden_states, mask)
