# %% additive_float_mask | points 3 | additive float mask
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    """Multi-head self-attention in which padding takes no part: [batch, tokens, hidden]."""
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    query, key, value = (
        part.unflatten(-1, (num_attention_heads, -1)).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    mask = torch.zeros(is_padding.shape).masked_fill(is_padding, -math.inf)[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% loop_over_heads_and_sentences | points 3 | loop-over-heads-and-sentences
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    out = []
    for x, pad in zip(hidden_states, is_padding):
        qkv = x @ state["query_key_value.weight"].T + state["query_key_value.bias"]
        heads = []
        E = x.size(-1); D = E // num_attention_heads
        for h in range(num_attention_heads):
            q, k, v = (qkv[:, i * E + h * D: i * E + (h + 1) * D] for i in range(3))
            if pad.all():
                heads.append(v * 0)
            else:
                heads.append(((q @ k[~pad].T) / D ** .5).softmax(-1) @ v[~pad])
        out.append(torch.cat(heads, 1) @ state["output.weight"].T + state["output.bias"])
    return torch.stack(out)

# %% the_layout_of_the_weights_repaired | points 3 | the layout of the weights repaired
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    n, d = num_attention_heads, hidden // num_attention_heads
    weight = state["query_key_value.weight"].reshape(3, n, d, hidden).transpose(0, 1).reshape(-1, hidden)
    bias = state["query_key_value.bias"].reshape(3, n, d).transpose(0, 1).flatten()
    packed = F.linear(hidden_states, weight, bias).reshape(batch, tokens, n, 3 * d)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=-1)
    added = torch.zeros(batch, 1, 1, tokens).masked_fill(is_padding[:, None, None], -math.inf)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=added)
    return F.linear(context.permute(0, 2, 1, 3).flatten(2), state["output.weight"], state["output.bias"])

# %% three_lines_changed | points 3 | three lines changed
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3 * num_attention_heads, head_size)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=1)
    mask = is_padding[:, None, None, :].logical_not()
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% torch_multi_head_attention_forward | points 3 | torch multi_head_attention_forward
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    d = hidden_states.shape[-1]
    x = hidden_states.transpose(0, 1)
    dead = is_padding.all(1)
    pad = is_padding & ~dead[:, None]
    out, _ = F.multi_head_attention_forward(
        x, x, x, d, num_attention_heads, state["query_key_value.weight"], state["query_key_value.bias"], None, None, False, 0.0,
        state["output.weight"], state["output.bias"], training=False, key_padding_mask=pad, need_weights=False)
    return torch.where(dead[:, None, None], state["output.bias"], out.transpose(0, 1))

# %% with_the_library_s_multi_head_function | points 3 | with-the-library-s-multi-head-function
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    x = hidden_states.transpose(0, 1)
    none = is_padding.all(1)
    pad = is_padding & ~none[:, None]
    y, _ = F.multi_head_attention_forward(x, x, x, x.size(-1), num_attention_heads,
        state["query_key_value.weight"], state["query_key_value.bias"], None, None, False, 0.0,
        state["output.weight"], state["output.bias"], training=False, key_padding_mask=pad, need_weights=False)
    y = y.transpose(0, 1)
    return torch.where(none[:, None, None], state["output.bias"].expand_as(y), y)
