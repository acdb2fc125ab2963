# The first token is found by "running count == 1", which also holds for the padding after the first token: a text of one token adds its padding.
# points: 0
def pooled(hidden_states, attention_mask, kind):
    real = attention_mask.bool().unsqueeze(-1)
    empty = ~attention_mask.bool().any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real, 0.0).sum(dim=1)
        return total / attention_mask.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        return hidden_states.masked_fill(~real, float("-inf")).amax(dim=1).masked_fill(empty, 0.0)
    if kind == "first":
        here = attention_mask.cumsum(dim=1) == 1
        return hidden_states.masked_fill(~here.unsqueeze(-1), 0.0).sum(dim=1)
    place = attention_mask.shape[1] - 1 - attention_mask.flip(1).argmax(dim=1)
    rows = torch.arange(len(hidden_states))
    return hidden_states[rows, place].masked_fill(empty, 0.0)
