# mask on logits
# points: 0

def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].masked_fill(~(attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool())[..., None], -1e9).transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return losses.sum() / counts.sum().clamp(min=1)
