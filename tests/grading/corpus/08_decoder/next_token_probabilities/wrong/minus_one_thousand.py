# cut logits are set to -1000
# points: 3

def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits)
    logits = logits / temperature
    if top_k is not None:
        values, _ = logits.topk(min(top_k, vocab), dim=-1)
        logits = logits.masked_fill(logits < values[..., -1:], -1e3)
    if top_p is not None:
        sorted_logits, order = logits.sort(dim=-1, descending=True)
        probabilities = sorted_logits.softmax(dim=-1)
        drop = probabilities.cumsum(dim=-1) - probabilities >= top_p
        drop = torch.empty_like(drop).scatter(-1, order, drop)
        logits = logits.masked_fill(drop, -1e3)
    return logits.softmax(dim=-1)
