# is_causal of PyTorch, which begins in the upper left corner
# points: 0

def grouped_attention(query, key, value, attention_mask=None):
    q, k, v = (t.transpose(1, 2) for t in (query, key, value))
    mask = None
    if attention_mask is not None:
        causal = torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril(k.size(2) - q.size(2))
        mask = attention_mask[:, None, None, :].bool() & causal
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
        out = out.masked_fill(~mask.any(-1)[..., None], 0.0)
    else:
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    return out.transpose(1, 2)
