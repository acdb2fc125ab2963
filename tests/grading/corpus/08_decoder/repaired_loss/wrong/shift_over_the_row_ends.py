# flattened before it is shifted
# points: 0

def repaired_loss(logits, input_ids, attention_mask):
    vocab = logits.size(-1)
    scores = logits.reshape(-1, vocab)[:-1]
    targets = input_ids.reshape(-1)[1:]
    mask = attention_mask.reshape(-1)
    counts = (mask[1:] != 0) & (mask[:-1] != 0)
    losses = F.cross_entropy(scores, targets, reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)
