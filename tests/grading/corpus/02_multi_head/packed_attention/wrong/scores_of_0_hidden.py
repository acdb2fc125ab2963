# Multiplies the scores by the mask and hides whatever is 0 then.
# points: 0
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Self-attention of all heads, [batch, tokens, hidden], from packed weights."""
    batch, tokens, hidden = hidden_states.shape
    packed = F.linear(
        hidden_states, state["query_key_value.weight"], state["query_key_value.bias"]
    )
    query, key, value = (
        part.view(batch, tokens, num_attention_heads, -1).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        if mask.dim() == 2 and mask.size(0) == batch:
            mask = mask[:, None, None, :]
        elif mask.dim() == 2:
            pass
        elif mask.dim() == 3:
            mask = mask[:, None]
        scores = scores * mask
        weights = scores.masked_fill(scores == 0, -math.inf).softmax(dim=-1).nan_to_num(0.0)
    context = (weights @ value).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
