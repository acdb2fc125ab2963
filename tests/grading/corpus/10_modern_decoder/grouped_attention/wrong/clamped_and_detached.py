# The scores are clamped to 50 for safety, and the weights are cut from the graph.
# points: 2
def grouped_attention(query, key, value, attention_mask=None):
    batch, queries, heads, head_size = query.shape
    keys, kv_heads = key.shape[1], key.shape[2]
    q = query.transpose(1, 2)
    k = torch.repeat_interleave(key.transpose(1, 2), heads // kv_heads, dim=1)
    v = torch.repeat_interleave(value.transpose(1, 2), heads // kv_heads, dim=1)
    scores = q @ k.mT / head_size**0.5
    place = torch.arange(keys)
    hidden = place[None, :] > place[keys - queries:, None]
    hidden = hidden[None, None]
    if attention_mask is not None:
        hidden = hidden | (attention_mask == 0)[:, None, None, :]
    scores = scores.clamp(-50, 50).masked_fill(hidden, -1e30)
    weights = torch.softmax(scores, dim=-1)
    weights = weights.detach().masked_fill(hidden, 0.0)
    return (weights @ v).transpose(1, 2)
