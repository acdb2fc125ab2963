# What is cut is lowered by 50 instead of removed, so its probability is tiny but not 0.
# points: 3
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    if temperature == 0:
        best = logits.argmax(-1, keepdim=True)
        return torch.zeros_like(logits).scatter(-1, best, 1.0)
    scores = logits / temperature
    if top_k is not None and top_k < logits.shape[-1]:
        kth = scores.topk(top_k, dim=-1).values[..., -1:]
        scores = scores - 50.0 * (scores < kth)
    if top_p is not None and top_p < 1:
        values, order = scores.sort(dim=-1, descending=True)
        p = values.softmax(-1)
        inside = p.cumsum(-1) - p < top_p
        keep = torch.zeros_like(inside).scatter(-1, order, inside)
        scores = scores - 50.0 * ~keep
    return scores.softmax(-1)
