# the sums are never corrected when the maximum rises
# points: 0

def streamed_attention(query, blocks):
    b, h, q, d = query.shape
    m = torch.full((b, h, q), float("-inf"))
    l = torch.zeros(b, h, q)
    acc = None
    for k, v, mask in blocks:
        s = query @ k.transpose(-2, -1) / math.sqrt(d)
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        m = torch.maximum(m, s.max(dim=-1).values)
        m_safe = torch.where(m == float("-inf"), torch.zeros_like(m), m)
        p = torch.exp(s - m_safe[..., None])
        l = l + p.sum(-1)
        acc = p @ v if acc is None else acc + p @ v
    out = torch.where(l[..., None] > 0, acc / l[..., None], torch.zeros_like(acc))
    return out, m + torch.log(l)
