# float-bias-mask-for-the-library
# points: 5

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    B, T, _ = hidden_states.size()
    z = hidden_states @ state["query_key_value.weight"].T + state["query_key_value.bias"]
    z = z.view(B, T, 3 * num_attention_heads, -1).transpose(1, 2)
    q, k, v = z.split(num_attention_heads, dim=1)
    extra = None
    if mask is not None:
        shape = {2: (1, 1, T, T) if mask.shape[0] != B else (B, 1, 1, T), 3: (B, 1, T, T), 4: mask.shape}[mask.dim()]
        mask = mask.reshape(shape)
        extra = torch.zeros(mask.shape, dtype=z.dtype).masked_fill_(~mask, -1e30)
    c = F.scaled_dot_product_attention(q, k, v, extra)
    if mask is not None:
        c = torch.where(mask.any(-1, keepdim=True), c, torch.zeros_like(c))
    return c.movedim(1, 2).reshape(B, T, -1) @ state["output.weight"].t() + state["output.bias"]
