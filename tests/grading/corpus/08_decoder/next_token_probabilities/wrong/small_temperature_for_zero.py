# Temperature 0 becomes 0.05, "practically zero": near rivals keep some probability.
# points: 3
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    logits = logits / max(temperature, 0.05)
    vocab = logits.size(-1)
    if top_k is not None:
        rank = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
        logits = logits.masked_fill(rank >= top_k, -math.inf)
    if top_p is not None:
        p = logits.softmax(dim=-1)
        larger = p[..., None, :] > p[..., :, None]
        before = (p[..., None, :] * larger).sum(dim=-1)
        logits = logits.masked_fill(before >= top_p, -math.inf)
    return logits.softmax(dim=-1)
