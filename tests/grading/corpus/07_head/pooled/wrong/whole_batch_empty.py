# Looks for the empty text with one question to the whole batch.
# points: 3
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    if attention_mask.sum() == 0:
        return torch.zeros_like(hidden_states[:, 0])
    mask = attention_mask.unsqueeze(-1)
    if kind == "mean":
        return (hidden_states * mask).sum(dim=1) / mask.sum(dim=1)
    if kind == "max":
        return hidden_states.masked_fill(mask == 0, float("-inf")).max(dim=1).values
    places = torch.arange(hidden_states.shape[1])
    if kind == "first":
        index = attention_mask.argmax(dim=1)
    else:
        index = (places * attention_mask).argmax(dim=1)
    return hidden_states[torch.arange(len(index)), index]
