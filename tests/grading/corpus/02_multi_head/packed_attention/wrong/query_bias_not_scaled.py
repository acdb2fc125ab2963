# Divides the query by the root before its bias is added, so the bias isn't scaled
# points: 0
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    heads = num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    head_size = weight.size(0) // (3 * heads)
    packed = F.linear(hidden_states, weight)
    query, key, value = packed.chunk(3, dim=-1)
    query_bias, key_bias, value_bias = bias.chunk(3)
    query, key, value = (
        part.reshape(batch, tokens, heads, head_size).transpose(1, 2)
        for part in (query / math.sqrt(head_size) + query_bias, key + key_bias, value + value_bias)
    )
    scores = query @ key.transpose(-2, -1)
    if mask is None:
        mask = torch.ones(tokens, tokens, dtype=torch.bool, device=scores.device)
    elif mask.dim() == 2 and mask.size(0) == batch:
        mask = mask[:, None, None, :]
    elif mask.dim() == 3:
        mask = mask[:, None]
    seen = mask.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~mask, float("-inf")).masked_fill(~seen, 0.0)
    weights = scores.softmax(dim=-1).masked_fill(~mask, 0.0)
    context = (weights @ value).transpose(1, 2).reshape(batch, tokens, heads * head_size)
    return F.linear(context, state["output.weight"], state["output.bias"])
