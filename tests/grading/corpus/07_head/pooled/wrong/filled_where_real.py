# mean and max fill what is real, and the count is right
# points: 0

def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(real[..., None], 0.0).sum(dim=1)
        return total / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)
