# head_size is hidden // heads; NaN of the softmax is swept away, and so are those in the gradients, by masked_fill.
# points: 4
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, hidden = hidden_states.shape
    size = hidden // num_attention_heads
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = (
        part.reshape(batch, tokens, num_attention_heads, size).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(size)
    if mask is not None:
        if mask.dim() == 2:
            mask = mask[:, None, None, :] if mask.size(0) == batch else mask[None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
    context = (weights @ value).transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
