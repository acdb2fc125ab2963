# Repairs 0/0 with nan_to_num: the numbers are right, the gradients of a batch with an empty text are NaN.
# points: 3
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()[..., None]
    if kind == "mean":
        count = real.sum(dim=1).float()
        weights = real.float() / count[:, None]
        return torch.nan_to_num((hidden_states * weights).sum(dim=1), nan=0.0)
    if kind == "max":
        top = hidden_states.masked_fill(~real, -math.inf).amax(dim=1)
        return torch.nan_to_num(top, neginf=0.0)
    count = attention_mask.cumsum(dim=1)
    place = (count == (1 if kind == "first" else count[:, -1:])).int().argmax(dim=1)
    picked = hidden_states.masked_fill(~real, 0.0)
    return picked[torch.arange(len(place)), place]
