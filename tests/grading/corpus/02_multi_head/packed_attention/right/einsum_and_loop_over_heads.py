# einsum-and-loop-over-heads
# points: 5

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    W, b = state["query_key_value.weight"], state["query_key_value.bias"]
    n = W.shape[0] // 3
    d = n // num_attention_heads
    B, T = hidden_states.shape[:2]
    if mask is None:
        mask = torch.ones(B, num_attention_heads, T, T, dtype=torch.bool)
    elif mask.ndim == 2 and tuple(mask.shape) == (T, T):
        mask = mask.expand(B, num_attention_heads, T, T)
    elif mask.ndim == 2:
        mask = mask.view(B, 1, 1, T).expand(-1, num_attention_heads, T, -1)
    elif mask.ndim == 3:
        mask = mask.view(B, 1, T, T).expand(-1, num_attention_heads, -1, -1)
    out = state["output.bias"].expand(B, T, -1)
    for h in range(num_attention_heads):
        rows = [torch.arange(i * n + h * d, i * n + (h + 1) * d) for i in range(3)]
        q, k, v = (torch.einsum("btc,dc->btd", hidden_states, W[r]) + b[r] for r in rows)
        s = torch.einsum("bqd,bkd->bqk", q, k) * d ** -0.5
        keep = mask[:, h]
        s = torch.where(keep, s, torch.full_like(s, torch.finfo(s.dtype).min))
        w = torch.softmax(s, -1) * keep
        out = out + torch.einsum("bqk,bkd,ed->bqe", w, v, state["output.weight"][:, h * d:(h + 1) * d])
    return out
