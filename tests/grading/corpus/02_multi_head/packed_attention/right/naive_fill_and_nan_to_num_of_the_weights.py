# naive fill and nan_to_num of the weights
# points: 5

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"]).unflatten(-1, (3, num_attention_heads, -1)).unbind(2)
    s = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.size(-1) ** 0.5
    if mask is not None:
        if mask.dim() == 2:
            mask = mask.unsqueeze(1 if mask.size(0) == s.size(0) else 0)
        if mask.dim() == 3:
            mask = mask.unsqueeze(1)
        s = s.masked_fill(mask.logical_not(), float("-inf"))
    w = s.softmax(-1).nan_to_num()
    return F.linear(torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2), state["output.weight"], state["output.bias"])
