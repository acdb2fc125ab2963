# Repairs empty texts with nan_to_num, which makes a huge negative number of the maximum and leaves first and last.
# points: 3
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    real = attention_mask.bool()
    if kind == "mean":
        m = real[..., None].to(hidden_states.dtype)
        return torch.nan_to_num((hidden_states * m).sum(1) / m.sum(1))
    if kind == "max":
        return torch.nan_to_num(hidden_states.masked_fill(~real[..., None], -math.inf).amax(1))
    rows = torch.arange(len(hidden_states))
    places = torch.arange(hidden_states.size(1))
    if kind == "first":
        place = real.int().argmax(dim=1)
    else:
        place = (places * real).argmax(dim=1)
    return torch.nan_to_num(hidden_states[rows, place])
