# tests for emptiness once for the whole batch, so an empty text beside a full one gives NaN, -inf or padding
# points: 3

def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    if attention_mask.sum() == 0:
        return hidden_states.sum(1) * 0
    m = attention_mask.unsqueeze(2).to(hidden_states.dtype)
    if kind == "mean":
        return (hidden_states * m).sum(1) / m.sum(1)
    if kind == "max":
        return torch.where(m > 0, hidden_states, -torch.inf).amax(1)
    places = torch.arange(attention_mask.size(1)).expand_as(attention_mask)
    if kind == "first":
        idx = places.masked_fill(attention_mask == 0, attention_mask.size(1) - 1).amin(1)
    else:
        idx = places.masked_fill(attention_mask == 0, 0).amax(1)
    return hidden_states.gather(1, idx[:, None, None].expand(-1, 1, hidden_states.size(2))).squeeze(1)
