# nothing is done for a text without tokens
# points: 3

def pooled(hidden_states, attention_mask, kind):
    real = attention_mask.bool()
    if kind == "mean":
        return (hidden_states * real[..., None]).sum(1) / real.sum(1, keepdim=True)
    if kind == "max":
        return hidden_states.masked_fill(~real[..., None], -math.inf).max(1).values
    place = attention_mask.argmax(1)
    if kind == "last":
        place = attention_mask.size(1) - 1 - attention_mask.flip(1).argmax(1)
    return hidden_states[torch.arange(len(place)), place]
