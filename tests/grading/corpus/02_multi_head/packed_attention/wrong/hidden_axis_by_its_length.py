# Looks for the axis of the numbers by its length: with as many tokens it takes theirs.
# points: 0
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    w = state["query_key_value.weight"]
    place = hidden_states.shape.index(w.size(1))
    packed = torch.tensordot(hidden_states, w, ([place], [1])) + state["query_key_value.bias"]
    q, k, v = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    if mask is not None and mask.dim() == 2:
        mask = mask[:, None, None] if mask.size(0) == len(hidden_states) else mask
    elif mask is not None and mask.dim() == 3:
        mask = mask[:, None]
    context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
