# einsum and logical_or
# points: 5

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    n, B = num_attention_heads, hidden_states.shape[0]
    w = state["query_key_value.weight"].view(3, n, -1, hidden_states.shape[-1])
    b = state["query_key_value.bias"].view(3, 1, n, 1, -1)
    q, k, v = torch.einsum("btd,cned->cbnte", hidden_states, w) + b
    scores = torch.einsum("bnie,bnje->bnij", q, k) * q.shape[-1] ** -0.5
    if mask is None:
        p = torch.softmax(scores, -1)
    else:
        if mask.dim() == 2:
            mask = mask[:, None, None] if mask.shape[0] == B else mask[None, None]
        if mask.dim() == 3:
            mask = mask.unsqueeze(1)
        nothing = mask.sum(-1, keepdim=True) == 0
        scores = torch.where(torch.logical_or(mask, nothing), scores, torch.tensor(-torch.inf, dtype=scores.dtype))
        p = torch.where(nothing, 0.0, scores.softmax(-1))
    out = torch.einsum("bnij,bnje->bine", p, v)
    return torch.einsum("bine,one->bio", out, state["output.weight"].view(-1, n, out.shape[-1])) + state["output.bias"]
