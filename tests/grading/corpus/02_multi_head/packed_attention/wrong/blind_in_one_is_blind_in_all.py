# A query that sees nothing in one head gets zeros from all heads.
# points: 4
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, _ = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = (
        part.unflatten(-1, (num_attention_heads, -1)).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is None:
        context = scores.softmax(dim=-1) @ v
    else:
        if mask.dim() == 2:
            mask = mask[:, None, None, :] if mask.size(0) == batch else mask[None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
        blind = ~mask.any(dim=-1, keepdim=True)
        weights = scores.masked_fill(~mask & ~blind, -math.inf).softmax(dim=-1)
        context = (weights @ v).masked_fill(blind.any(dim=1, keepdim=True), 0.0)
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
