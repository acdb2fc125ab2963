# Divides by the number of losses above 0, so a perfect prediction is not counted.
# points: 0
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    both = attention_mask[:, :-1] * attention_mask[:, 1:]
    losses = F.cross_entropy(
        logits[:, :-1].transpose(1, 2), input_ids[:, 1:], reduction="none"
    )
    losses = losses * both
    return losses.sum() / (losses > 0).sum().clamp(min=1)
