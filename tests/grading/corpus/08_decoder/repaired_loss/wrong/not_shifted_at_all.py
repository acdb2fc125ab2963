# not shifted at all
# points: 0

def repaired_loss(logits, input_ids, attention_mask):
    losses = F.cross_entropy(logits.transpose(1, 2), input_ids, reduction="none")
    real = attention_mask != 0
    return (losses * real).sum() / real.sum().clamp(min=1)
