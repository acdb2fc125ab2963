# Sets the weights of padding to 0 after the softmax, so that the others no longer sum to 1.
# points: 3
def grouped_attention(query, key, value, attention_mask=None):
    batch, queries, heads, head_size = query.shape
    keys, kv_heads = key.shape[1], key.shape[2]
    k = key.repeat_interleave(heads // kv_heads, dim=2).transpose(1, 2)
    v = value.repeat_interleave(heads // kv_heads, dim=2).transpose(1, 2)
    scores = query.transpose(1, 2) @ k.transpose(-2, -1) / math.sqrt(head_size)
    seen = torch.ones(queries, keys, dtype=torch.bool, device=query.device)
    seen = seen.tril(keys - queries)[None, None]
    scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if attention_mask is not None:
        weights = weights * attention_mask[:, None, None, :].to(weights.dtype)
    output = weights @ v
    return output.transpose(1, 2)
