# the k least likely tokens stay
# points: 0

def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab), largest=False).values[..., -1:]
        logits = logits.masked_fill(logits > smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = F.pad(ordered.cumsum(dim=-1)[..., :-1], (1, 0)) >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=-1)
