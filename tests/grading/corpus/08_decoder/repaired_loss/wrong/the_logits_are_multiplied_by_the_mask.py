# the logits are multiplied by the mask
# points: 0

def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = (logits[:, :-1] * counts[..., None]).transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return losses.sum() / counts.sum().clamp(min=1)
