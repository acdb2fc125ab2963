# three linears of the thirds and torch.where
# points: 5

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, _ = hidden_states.shape
    w, c = state["query_key_value.weight"], state["query_key_value.bias"]
    n = w.shape[0] // 3
    d = n // num_attention_heads
    def heads(i):
        y = hidden_states @ w[i * n:(i + 1) * n].t() + c[i * n:(i + 1) * n]
        return y.reshape(b, t, num_attention_heads, d).swapaxes(1, 2)
    q, k, v = heads(0), heads(1), heads(2)
    s = torch.matmul(q, k.swapaxes(-1, -2)) / math.sqrt(d)
    if mask is not None:
        if mask.ndim == 2:
            mask = mask.view(1, 1, t, t) if mask.shape == (t, t) else mask.view(b, 1, 1, t)
        if mask.ndim == 3:
            mask = mask.unsqueeze(1)
        s = torch.where(mask, s, torch.tensor(-1e30))
        p = torch.softmax(s, -1) * mask.any(-1, keepdim=True)
    else:
        p = torch.softmax(s, -1)
    y = torch.matmul(p, v).permute(0, 2, 1, 3).reshape(b, t, n)
    return y @ state["output.weight"].t() + state["output.bias"]
