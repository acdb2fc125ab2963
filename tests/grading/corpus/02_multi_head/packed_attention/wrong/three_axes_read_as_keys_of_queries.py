# Reads a mask of three axes as [batch, key, query] and turns it before use.
# points: 4
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    batch, tokens, _ = hidden_states.shape
    packed = F.linear(
        hidden_states, state["query_key_value.weight"], state["query_key_value.bias"]
    )
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, -1)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.size(-1))
    if mask is not None:
        if mask.dim() == 2:
            mask = mask[:, None, None, :] if mask.size(0) == batch else mask[None, None]
        elif mask.dim() == 3:
            mask = mask.transpose(1, 2).unsqueeze(1)
        blind = ~mask.any(dim=-1, keepdim=True)
        weights = scores.masked_fill(~(mask | blind), -math.inf).softmax(dim=-1)
        weights = weights.masked_fill(blind, 0.0)
    else:
        weights = scores.softmax(dim=-1)
    context = (weights @ value).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
