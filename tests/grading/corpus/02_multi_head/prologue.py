# What several answers share, as a student may define it in a cell of his own.

def project(x, state):
    return F.linear(x, state["query_key_value.weight"], state["query_key_value.bias"])

def out(x, state):
    return F.linear(x, state["output.weight"], state["output.bias"])

def thirds(x, state, n):
    return [p.unflatten(-1, (n, -1)).transpose(1, 2) for p in project(x, state).chunk(3, -1)]

def four(mask, b):
    if mask is None or mask.dim() == 4:
        return mask
    if mask.dim() == 3:
        return mask[:, None]
    return mask[:, None, None] if len(mask) == b else mask[None, None]

def merge(c):
    return c.transpose(1, 2).flatten(2)

class Parts(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.n = num_attention_heads
        self.query, self.output = nn.Linear(hidden_size, hidden_size), nn.Linear(hidden_size, hidden_size)
        self.key, self.value = nn.Linear(source_size, hidden_size), nn.Linear(source_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def three(self, x, y):
        return [p.unflatten(-1, (self.n, -1)).transpose(1, 2) for p in (self.query(x), self.key(y), self.value(y))]

def same(a, b):
    return torch.allclose(a, b, atol=1e-4)

def setting(batch, tokens, heads, size, std=0.5):
    n = heads * size
    m = nn.MultiheadAttention(n, heads, batch_first=True)
    for p in m.parameters():
        nn.init.normal_(p, std=std)
    state = {"query_key_value.weight": m.in_proj_weight.detach().clone(), "query_key_value.bias": m.in_proj_bias.detach().clone(),
             "output.weight": m.out_proj.weight.detach().clone(), "output.bias": m.out_proj.bias.detach().clone()}
    x = torch.randn(batch, tokens, n)
    return x, state, m(x, x, x)[0].detach()
