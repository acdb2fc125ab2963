# repeat_interleave, and PyTorch's attention with a mask of numbers; rows without keys are set to 0
# points: 4

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
