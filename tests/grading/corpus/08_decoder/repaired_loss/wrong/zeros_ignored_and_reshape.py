# Id 0 is still ignored, and the reshape is still there.
# points: 1
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    scores = logits[:, :-1]
    targets = input_ids[:, 1:]
    real = attention_mask.bool()
    counts = real[:, 1:] & real[:, :-1]
    losses = F.cross_entropy(scores.reshape(logits.size(0), logits.size(2), -1), targets, ignore_index=0, reduction="none")
    losses = losses * counts
    return losses.sum() / counts.sum().clamp(min=1)
