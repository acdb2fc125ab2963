# nan_to_num makes the -inf of an empty text the smallest float in the maximum, not 0.
# points: 3
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    rows = torch.arange(hidden_states.size(0))
    zeroed = hidden_states.masked_fill(~real[..., None], 0.0)
    if kind == "mean":
        result = zeroed.sum(dim=1) / real.sum(dim=1, keepdim=True).clamp(min=1)
    elif kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -torch.inf).max(dim=1)[0]
    elif kind == "first":
        result = zeroed[rows, real.int().argmax(dim=1)]
    else:
        result = zeroed[rows, real.size(1) - 1 - real.flip(1).int().argmax(dim=1)]
    return torch.nan_to_num(result)
