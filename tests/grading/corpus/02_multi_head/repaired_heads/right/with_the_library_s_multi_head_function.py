# with-the-library-s-multi-head-function
# points: 3

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    x = hidden_states.transpose(0, 1)
    none = is_padding.all(1)
    pad = is_padding & ~none[:, None]
    y, _ = F.multi_head_attention_forward(x, x, x, x.size(-1), num_attention_heads,
        state["query_key_value.weight"], state["query_key_value.bias"], None, None, False, 0.0,
        state["output.weight"], state["output.bias"], training=False, key_padding_mask=pad, need_weights=False)
    y = y.transpose(0, 1)
    return torch.where(none[:, None, None], state["output.bias"].expand_as(y), y)
