# %% float_mask_and_a_small_number | points 4 | float mask and a small number
def pooled(h, mask, kind):
    m = mask.float().unsqueeze(-1)
    if kind == "mean":
        return (h * m).sum(1) / m.sum(1).clamp(min=1e-9)
    if kind == "max":
        return torch.where(m.bool(), h, torch.tensor(-1e9)).max(1).values * m.amax(1)
    T = h.size(1)
    order = torch.arange(T, 0, -1) if kind == "first" else torch.arange(1, T + 1)
    i = (mask * order).argmax(1)
    return h[range(len(h)), i] * m.amax(1)

# %% indices_from_nonzero | points 4 | indices from nonzero
def pooled(h, mask, kind):
    out = torch.zeros_like(h[:, 0])
    for i, row in enumerate(mask):
        where = row.nonzero().flatten()
        if where.numel():
            v = h[i, where]
            pick = {"mean": v.mean(0), "max": v.amax(0), "first": v[0], "last": v[-1]}
            out[i] = pick[kind]
    return out

# %% text_by_text | points 4 | text by text
def pooled(hidden_states, attention_mask, kind):
    out = []
    for x, m in zip(hidden_states, attention_mask):
        x = x[m == 1]
        if len(x) == 0:
            out.append(torch.zeros_like(hidden_states[0, 0]))
        else:
            out.append({"mean": lambda: x.mean(0), "max": lambda: x.max(0).values, "first": lambda: x[0], "last": lambda: x[-1]}[kind]())
    return torch.stack(out)

# %% weights | points 4 | weights
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
