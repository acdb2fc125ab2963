# Loops over the heads and gives each of them the mask of head 0.
# points: 3
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Self-attention of all heads, [batch, tokens, hidden], from packed weights."""
    b = hidden_states.size(0)
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.chunk(3, dim=-1)
    if mask is not None and mask.dim() == 2 and mask.size(0) == b:
        mask = mask[:, None, :]
    if mask is not None and mask.dim() == 4:
        mask = mask[:, 0]
    size = q.size(-1) // num_attention_heads
    heads = []
    for h in range(num_attention_heads):
        part = slice(h * size, (h + 1) * size)
        heads.append(
            F.scaled_dot_product_attention(q[..., part], k[..., part], v[..., part], attn_mask=mask)
        )
    return F.linear(torch.cat(heads, -1), state["output.weight"], state["output.bias"])
