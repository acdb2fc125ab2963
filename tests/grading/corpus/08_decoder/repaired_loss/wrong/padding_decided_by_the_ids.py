# padding decided by the ids
# points: 2

def repaired_loss(logits, input_ids, attention_mask):
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], ignore_index=0, reduction="none")
    return losses.sum() / (input_ids[:, 1:] != 0).sum().clamp(min=1)
