# Loses the axis of the heads where there is one.
# points: 0
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    head_size = len(weight) // 3 // num_attention_heads
    packed = F.linear(hidden_states, weight, bias)
    query, key, value = (
        part.unflatten(-1, (num_attention_heads, head_size)).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        keep = mask
        if mask.dim() == 2 and mask.size(0) == len(hidden_states):
            keep = mask[:, None, None, :]
        elif mask.dim() == 3:
            keep = mask[:, None]
        empty = ~keep.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~keep & ~empty, -math.inf)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(empty, 0.0)
    context = (weights @ value).squeeze(1)
    context = context.transpose(-3, -2).flatten(-2)
    return F.linear(context, state["output.weight"], state["output.bias"])
