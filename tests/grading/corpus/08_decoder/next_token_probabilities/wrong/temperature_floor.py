# The temperature is raised to at least 0.00001 against a division by 0: wrong at 0 (close logits) and at 0.000001.
# points: 3
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    logits = logits / max(temperature, 1e-5)
    order = logits.argsort(dim=-1, descending=True)
    rank = order.argsort(dim=-1)
    if top_k is not None:
        logits = logits.masked_fill(rank >= top_k, -math.inf)
    if top_p is not None and top_p < 1:
        probabilities = logits.softmax(dim=-1).gather(-1, order)
        before = F.pad(probabilities.cumsum(dim=-1)[..., :-1], (1, 0))
        logits = logits.masked_fill(before.gather(-1, rank) >= top_p, -math.inf)
    return logits.softmax(dim=-1)
