# Cuts the batch to its longest text first, which is right for padding on the right only.
# points: 2
def repaired_loss(logits, input_ids, attention_mask):
    longest = int(attention_mask.sum(dim=1).max())
    real = attention_mask[:, :longest] != 0
    counts = real[:, :-1] & real[:, 1:]
    if not counts.any():
        return logits.sum() * 0.0
    chosen = logits[:, :longest][:, :-1][counts]
    return F.cross_entropy(chosen, input_ids[:, :longest][:, 1:][counts])
