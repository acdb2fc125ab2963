# a loop over the query heads, each with key head h // group; where() guards the empty rows
# points: 4

def grouped_attention(query, key, value, attention_mask=None):
    n_q, n_k = query.size(1), key.size(1)
    per_group = query.size(2) // key.size(2)
    visible = torch.tril(torch.ones(n_q, n_k), diagonal=n_k - n_q) == 1
    visible = visible.unsqueeze(0)
    if attention_mask is not None:
        visible = visible * attention_mask.unsqueeze(1) == 1
    heads = []
    for h in range(query.size(2)):
        q, k, v = query[:, :, h], key[:, :, h // per_group], value[:, :, h // per_group]
        s = torch.bmm(q, k.transpose(1, 2)) * (1 / math.sqrt(q.shape[-1]))
        s = torch.where(visible, s, torch.tensor(-1e30, dtype=s.dtype))
        e = torch.exp(s - s.max(dim=-1, keepdim=True).values) * visible
        heads.append(torch.bmm(e / e.sum(-1, keepdim=True).clamp(min=1e-20), v))
    return torch.stack(heads, dim=2)
