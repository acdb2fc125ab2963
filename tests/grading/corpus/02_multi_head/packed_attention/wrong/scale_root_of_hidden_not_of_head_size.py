# scale-root-of-hidden-not-of-head-size
# points: 0

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    B, T, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.chunk(3, dim=-1)
    head_size = q.size(-1) // num_attention_heads
    q = q.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    k = k.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    v = v.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / math.sqrt(hidden)
    if mask is not None:
        if mask.dim() == 2:
            if mask.size(0) == B:
                mask = mask[:, None, None, :]
            else:
                mask = mask[None, None]
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
        nothing = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & ~nothing, float("-inf"))
        weights = torch.softmax(scores, dim=-1).masked_fill(nothing, 0.0)
    else:
        weights = torch.softmax(scores, dim=-1)
    context = weights @ v
    context = context.transpose(1, 2).reshape(B, T, num_attention_heads * head_size)
    return F.linear(context, state["output.weight"], state["output.bias"])
