# online softmax
# points: 5

def padded_heads(query, key, value, attention_mask=None):
    keep = torch.ones(key.size(0), key.size(2)) if attention_mask is None else attention_mask
    m = query.new_full((*query.shape[:3], 1), -1e30); l = torch.zeros_like(m); o = query.new_zeros(*query.shape[:3], value.size(-1))
    for j in range(key.size(2)):
        s = (query * key[:, :, j:j+1]).sum(-1, keepdim=True) / math.sqrt(query.size(-1))
        on = keep[:, j].bool()[:, None, None, None]
        n = torch.where(on, torch.maximum(m, s), m)
        p = torch.where(on, (s - n).clamp(max=0).exp(), 0.)
        c = (m - n).exp()
        l, o, m = l * c + p, o * c + p * value[:, :, j:j+1], n
    return o / l.clamp(min=1e-30)
