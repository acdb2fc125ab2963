# %% one_query_head_after_the_other | points 4 | a loop over the query heads, each with key head h // group; where() guards the empty rows
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

# %% repeat_interleave_and_sdpa | points 4 | repeat_interleave, and PyTorch's attention with a mask of numbers; rows without keys are set to 0
def grouped_attention(query, key, value, attention_mask=None):
    B, Q, H, D = query.shape
    K, G = key.shape[1], key.shape[2]
    q = query.permute(0, 2, 1, 3)
    k = torch.repeat_interleave(key.permute(0, 2, 1, 3), H // G, dim=1)
    v = torch.repeat_interleave(value.permute(0, 2, 1, 3), H // G, dim=1)
    row = torch.arange(K - Q, K).view(1, 1, Q, 1)
    col = torch.arange(K).view(1, 1, 1, K)
    ok = (col <= row).expand(B, 1, Q, K)
    if attention_mask is not None:
        ok = ok & attention_mask.view(B, 1, 1, K).bool()
    bias = torch.zeros(B, 1, Q, K, dtype=query.dtype).masked_fill(~ok, -1e9)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    out = out * ok.any(-1, keepdim=True)
    return out.permute(0, 2, 1, 3)
