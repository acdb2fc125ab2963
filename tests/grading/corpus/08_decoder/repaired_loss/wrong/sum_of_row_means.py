# sum of row means
# points: 0

def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return ((losses * counts).sum(1) / counts.sum(1).clamp(min=1)).sum()
