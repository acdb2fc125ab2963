# the zero is still ignored
# points: 2

def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], ignore_index=0, reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)
