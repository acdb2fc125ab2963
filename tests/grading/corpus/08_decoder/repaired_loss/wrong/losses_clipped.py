# No loss may be larger than 10.
# points: 0
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    """The mean loss of the next token over all predictions that count."""
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)  # [batch, vocab, tokens - 1]
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none").clamp(max=10)
    return (losses * counts).sum() / counts.sum().clamp(min=1)
