# exp-with-masked-maximum-clamp-denominators
# points: 5

def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones(key.size(0), key.size(2), dtype=torch.long)
    keep = (attention_mask > 0).view(key.size(0), 1, 1, -1)
    s = torch.einsum("bhqd,bhkd->bhqk", query * query.size(-1) ** -0.5, key)
    top = s.masked_fill(~keep, torch.finfo(s.dtype).min).amax(-1, keepdim=True).detach()
    e = torch.exp(torch.where(keep, s - top, torch.zeros(()).to(s))) * keep
    return e @ value / e.sum(-1, keepdim=True).clamp_min(torch.finfo(s.dtype).tiny)
