# torch multi_head_attention_forward
# points: 3

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    d = hidden_states.shape[-1]
    x = hidden_states.transpose(0, 1)
    dead = is_padding.all(1)
    pad = is_padding & ~dead[:, None]
    out, _ = F.multi_head_attention_forward(
        x, x, x, d, num_attention_heads, state["query_key_value.weight"], state["query_key_value.bias"], None, None, False, 0.0,
        state["output.weight"], state["output.bias"], training=False, key_padding_mask=pad, need_weights=False)
    return torch.where(dead[:, None, None], state["output.bias"], out.transpose(0, 1))
