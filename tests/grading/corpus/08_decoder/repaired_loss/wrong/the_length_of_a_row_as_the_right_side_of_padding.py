# the length of a row as the right side of padding
# points: 2

def repaired_loss(logits, input_ids, attention_mask):
    lengths = attention_mask.sum(1)
    counts = torch.arange(1, logits.size(1)) < lengths[:, None]
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)
