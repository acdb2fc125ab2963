# writes minus one hundred into the ids
# points: 0

def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    targets = input_ids[:, 1:]
    targets[~counts] = -100
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, targets, reduction="none")
    return losses.sum() / counts.sum().clamp(min=1)
