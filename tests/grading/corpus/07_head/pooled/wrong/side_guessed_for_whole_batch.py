# last: if every text of the batch ends with a real token takes the last place, else count - 1 (wrong for mixed, two-sided and inner padding)
# points: 3
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    mask = attention_mask.unsqueeze(-1)
    count = attention_mask.sum(dim=1)
    batch = hidden_states.shape[0]
    rows = torch.arange(batch)
    if kind == "mean":
        return (hidden_states * mask).sum(dim=1) / count.clamp(min=1).unsqueeze(-1)
    if kind == "max":
        result = hidden_states.masked_fill(mask == 0, -1e9).max(dim=1).values
    elif kind == "first":
        result = hidden_states[rows, attention_mask.argmax(dim=1)]
    else:
        left_padding = attention_mask[:, -1].sum() == batch
        if left_padding:
            result = hidden_states[:, -1]
        else:
            result = hidden_states[rows, (count - 1).clamp(min=0)]
    return result * (count > 0).unsqueeze(-1)
