# One bug is left, the mean over all positions: padding is asked for as the id 0, which it has anyway.
# points: 2

def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:] * attention_mask[:, 1:].long()
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return losses.mean()
