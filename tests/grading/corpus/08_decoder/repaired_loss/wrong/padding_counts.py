# padding counts
# points: 0

def repaired_loss(logits, input_ids, attention_mask):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), input_ids[:, 1:].flatten())
