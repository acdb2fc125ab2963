# labels of minus one hundred on both conditions
# points: 3

def repaired_loss(logits, input_ids, attention_mask):
    real = attention_mask.bool()
    keep = real[:, :-1] & real[:, 1:]
    labels = torch.where(keep, input_ids[:, 1:], -100)
    total = F.cross_entropy(
        logits[:, :-1].flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="sum"
    )
    return total / max(int(keep.sum()), 1)
