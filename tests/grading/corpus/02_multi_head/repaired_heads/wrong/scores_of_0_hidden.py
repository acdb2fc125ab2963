# Multiplies the scores by the mask and hides whatever is 0 then.
# points: 0
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    packed = packed.reshape(batch, tokens, 3 * num_attention_heads, head_size)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=1)
    mask = ~is_padding[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_size) * mask
    weights = scores.masked_fill(scores == 0, -math.inf).softmax(dim=-1).nan_to_num(0.0)
    context = (weights @ value).transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

