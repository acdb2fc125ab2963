# a shortcut for texts of one place, which forgets the empty ones
# points: 3

def pooled(hidden_states, attention_mask, kind):
    if hidden_states.size(1) == 1:
        return hidden_states[:, 0]
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        return hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1) / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)
