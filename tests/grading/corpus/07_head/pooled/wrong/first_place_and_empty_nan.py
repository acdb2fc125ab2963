# `first` is place 0, and mean and maximum of an empty text are NaN and minus infinity
# points: 2

def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:

    mask = attention_mask[:, :, None].bool()
    if kind == "mean":
        return (hidden_states * mask).sum(dim=1) / mask.sum(dim=1)
    if kind == "max":
        return hidden_states.masked_fill(~mask, -math.inf).max(dim=1).values
    if kind == "first":
        return hidden_states[:, 0] * mask[:, 0]
    last = attention_mask.size(1) - 1 - attention_mask.flip(1).argmax(dim=1)
    rows = torch.arange(len(last))
    return hidden_states[rows, last] * mask[rows, last]
