# What top-k cuts becomes -1000 before the division: a high temperature brings it back to life.
# points: 0
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    vocab = logits.shape[-1]
    order = logits.detach().argsort(dim=-1, descending=True)
    if temperature == 0:
        return torch.zeros_like(logits).scatter(-1, order[..., :1], 1.0)
    ranked = logits.gather(-1, order)
    ranked = ranked - ranked[..., :1].detach()
    if top_k is not None:
        ranked = ranked.masked_fill(torch.arange(vocab) >= top_k, -1000.0)
    scaled = ranked / temperature
    cut = torch.zeros_like(scaled, dtype=torch.bool)
    if top_p is not None and top_p < 1:
        shares = scaled.detach().double().softmax(dim=-1)
        before = shares.cumsum(dim=-1) - shares
        cut = cut | (before >= top_p)
    answer = scaled.masked_fill(cut, -math.inf).softmax(dim=-1)
    return torch.zeros_like(answer).scatter(-1, order, answer)
