# the weights are detached
# points: 2

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    w, b = state["query_key_value.weight"].detach(), state["query_key_value.bias"].detach()
    q, k, v = (p.unflatten(-1, (num_attention_heads, -1)).transpose(1, 2) for p in F.linear(hidden_states, w, b).chunk(3, -1))
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=~is_padding[:, None, None])
    return F.linear(c.transpose(1, 2).flatten(2), state["output.weight"].detach(), state["output.bias"].detach())
