# counts the last place from the end with -place, one too few: takes the padding behind the last token
# points: 0

def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    real = attention_mask.bool()
    empty = real.sum(1) == 0
    rows = torch.arange(len(hidden_states))
    if kind == "mean":
        out = hidden_states.masked_fill(~real.unsqueeze(-1), 0).sum(1) / real.sum(1, keepdim=True).clamp(min=1)
    elif kind == "max":
        out = hidden_states.masked_fill(~real.unsqueeze(-1), -math.inf).amax(1)
    elif kind == "first":
        out = hidden_states[rows, real.int().argmax(1)]
    else:
        from_end = attention_mask.flip(1).argmax(1)
        out = hidden_states[rows, -from_end]
    return out.masked_fill(empty[:, None], 0.0)
