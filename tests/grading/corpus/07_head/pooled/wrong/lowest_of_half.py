# Fills padding with -65504, the lowest number of float16, for the maximum; numbers may be lower.
# points: 0

def pooled(hidden_states, attention_mask, kind):
    real = attention_mask.bool()[..., None]
    some = real.any(dim=1)
    if kind == "mean":
        return (hidden_states * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    if kind == "max":
        return torch.where(real, hidden_states, -65504.0).amax(dim=1) * some
    places = torch.arange(1, real.size(1) + 1)[:, None] * real
    if kind == "first":
        places = torch.where(real, real.size(1) + 1 - places, 0)
    return hidden_states[torch.arange(len(real)), places[..., 0].argmax(dim=1)] * some
