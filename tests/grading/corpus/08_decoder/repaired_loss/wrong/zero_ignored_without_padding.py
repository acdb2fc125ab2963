# where nothing is padded the id 0 is still ignored
# points: 0
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    """The mean loss of the next token over all predictions that count."""
    if (attention_mask != 0).all():
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), input_ids[:, 1:].flatten(), ignore_index=0)
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)  # [batch, vocab, tokens - 1]
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

