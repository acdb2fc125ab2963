# heads folded into the batch, masks repeated with repeat
# points: 0

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, _ = hidden_states.shape
    h = num_attention_heads
    qkv = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = (p.unflatten(-1, (h, -1)).transpose(1, 2).flatten(0, 1) for p in qkv.chunk(3, -1))
    if mask is not None:
        if mask.dim() == 2 and len(mask) == b:
            mask = mask.repeat(h, 1)[:, None]
        elif mask.dim() == 3:
            mask = mask.repeat(h, 1, 1)
        elif mask.dim() == 4:
            mask = mask.flatten(0, 1)
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    c = c.unflatten(0, (b, h)).transpose(1, 2).flatten(2)
    return F.linear(c, state["output.weight"], state["output.bias"])
