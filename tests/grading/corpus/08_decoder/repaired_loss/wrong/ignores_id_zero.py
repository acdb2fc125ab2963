# One bug is left: the id 0 is ignored wherever it stands, also as the end of a text.
# points: 2
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, targets, ignore_index=0, reduction="none")
    return (losses * counts).sum() / (counts & (targets != 0)).sum().clamp(min=1)
