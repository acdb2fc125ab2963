# Two mistakes: fills nn.MultiheadAttention with copies (no gradients for the state, NaN for blind queries), and that module can't have free head sizes.
# points: 3
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    module = nn.MultiheadAttention(hidden, num_attention_heads, batch_first=True)
    module.to(hidden_states.dtype)
    module.load_state_dict({
        "in_proj_weight": state["query_key_value.weight"],
        "in_proj_bias": state["query_key_value.bias"],
        "out_proj.weight": state["output.weight"],
        "out_proj.bias": state["output.bias"],
    })
    hide = None
    if mask is not None:
        if mask.dim() == 2 and mask.size(0) == batch:
            mask = mask[:, None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
        full = mask.expand(batch, num_attention_heads, tokens, tokens)
        hide = ~full.reshape(-1, tokens, tokens)
    return module(hidden_states, hidden_states, hidden_states, attn_mask=hide, need_weights=False)[0]
