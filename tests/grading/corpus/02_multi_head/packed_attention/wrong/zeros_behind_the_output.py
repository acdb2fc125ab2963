# A query that sees nothing gets zeros as its final output, not from the heads: the output bias is lost, and one blind head is NaN.
# points: 4
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    blind = None
    if mask is not None:
        if mask.dim() == 2:
            mask = mask[:, None, None] if mask.size(0) == hidden_states.size(0) else mask[None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
        blind = ~mask.any(dim=-1).all(dim=1).unsqueeze(-1)
        blind = blind.expand(hidden_states.size(0), hidden_states.size(1), 1)
        scores = scores.masked_fill(~mask, -1e9)
    context = (scores.softmax(dim=-1) @ value).transpose(1, 2).flatten(2)
    output = F.linear(context, state["output.weight"], state["output.bias"])
    return output if blind is None else output.masked_fill(blind, 0.0)
