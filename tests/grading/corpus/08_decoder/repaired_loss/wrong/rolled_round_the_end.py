# rolled round the end
# points: 0

def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask != 0) & (attention_mask.roll(-1, 1) != 0)
    losses = F.cross_entropy(logits.transpose(1, 2), input_ids.roll(-1, 1), reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)
