# One bug is left, the mean over all positions; the id 0 is no longer ignored, so padding is in the sum.
# points: 2

def repaired_loss(logits, input_ids, attention_mask):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), input_ids[:, 1:].flatten())
