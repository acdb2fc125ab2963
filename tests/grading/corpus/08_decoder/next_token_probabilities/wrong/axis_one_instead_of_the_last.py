# Everything runs over axis 1, which is the vocabulary only if there is one axis in front.
# points: 2
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    if temperature == 0:
        best = logits.argmax(dim=1, keepdim=True)
        return torch.zeros_like(logits).scatter(1, best, 1.0)
    scores = logits / temperature
    if top_k is not None and top_k < logits.shape[1]:
        kth = scores.topk(top_k, dim=1).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -math.inf)
    if top_p is not None and top_p < 1:
        values, order = scores.sort(dim=1, descending=True)
        p = values.softmax(1)
        inside = p.cumsum(1) - p < top_p
        keep = torch.zeros_like(inside).scatter(1, order, inside)
        scores = scores.masked_fill(~keep, -math.inf)
    return scores.softmax(1)
