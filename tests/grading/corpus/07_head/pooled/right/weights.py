# weights
# points: 4

def pooled(hidden_states, attention_mask, kind):
    m = attention_mask.to(hidden_states.dtype)
    n = m.sum(1, keepdim=True)
    c = m.cumsum(1)
    if kind == "max":
        low = torch.finfo(hidden_states.dtype).min
        top = torch.where(m[:, :, None] > 0, hidden_states, low).max(dim=1)[0]
        return torch.where(n > 0, top, 0)
    w = {"mean": m / n.clamp(min=1), "first": m * (c == 1), "last": m * (c == n)}[kind]
    return torch.bmm(w[:, None], hidden_states).squeeze(1)
