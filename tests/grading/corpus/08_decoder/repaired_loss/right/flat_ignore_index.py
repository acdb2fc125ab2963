# flat ignore index
# points: 3

def repaired_loss(logits, input_ids, attention_mask):
    vocab = logits.size(-1)
    m = attention_mask.long()
    labels = input_ids.clone()[:, 1:]
    labels = labels.masked_fill((m[:, 1:] * m[:, :-1]) == 0, -100).flatten()
    total = F.cross_entropy(logits[:, :-1].reshape(-1, vocab), labels, reduction="sum",
                            ignore_index=-100)
    return total / max((labels != -100).sum().item(), 1)
