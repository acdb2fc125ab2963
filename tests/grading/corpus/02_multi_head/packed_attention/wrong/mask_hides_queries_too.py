# Takes a mask [batch, key] for the queries as well, so that hidden tokens get zeros as queries.
# points: 0
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, _ = hidden_states.shape
    packed = F.linear(
        hidden_states, state["query_key_value.weight"], state["query_key_value.bias"]
    )
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, -1)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        if mask.dim() == 2 and mask.size(0) == batch:
            mask = mask[:, None, :, None] & mask[:, None, None, :]
        elif mask.dim() == 2:
            mask = mask[None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1) * mask
    context = (weights @ value).transpose(1, 2).reshape(batch, tokens, -1)
    return F.linear(context, state["output.weight"], state["output.bias"])
