# Only the tokens before the first padding count as real; where there are none, all places are taken as real.
# points: 2
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    run = attention_mask.cumprod(1).bool()
    run = run | ~run.any(1, keepdim=True)
    lengths = run.sum(1)
    if kind == "mean":
        return (hidden_states * run[..., None]).sum(1) / lengths[:, None]
    if kind == "max":
        return hidden_states.masked_fill(~run[..., None], -math.inf).amax(1)
    if kind == "first":
        return hidden_states[:, 0]
    return hidden_states[torch.arange(len(hidden_states)), lengths - 1]
