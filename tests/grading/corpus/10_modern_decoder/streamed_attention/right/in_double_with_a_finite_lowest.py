# float64 inside, the lowest finite number instead of -inf, zeros by a count of keys seen
# points: 4

def streamed_attention(query, blocks):
    q = query.double() / math.sqrt(query.shape[-1])
    m = s = o = seen = None
    for k, v, mask in blocks:
        x = q @ k.double().transpose(2, 3)
        if mask is None:
            mask = torch.ones(x.shape[-2:], dtype=torch.bool)
        mask = mask.expand_as(x)
        x = torch.where(mask, x, torch.full_like(x, -1e300))
        bm = x.max(-1, keepdim=True).values
        nm = bm if m is None else torch.maximum(m, bm)
        p = torch.exp(x - nm) * mask
        if m is None:
            s, o, seen = p.sum(-1, keepdim=True), p @ v.double(), mask.sum(-1)
        else:
            c = torch.exp(m - nm)
            s, o, seen = s * c + p.sum(-1, keepdim=True), o * c + p @ v.double(), seen + mask.sum(-1)
        m = nm
    none = seen == 0
    out = torch.where(none[..., None], 0.0, o / s)
    lse = torch.where(none, float("-inf"), (m + s.log()).squeeze(-1))
    return out.to(query.dtype), lse.to(query.dtype)
