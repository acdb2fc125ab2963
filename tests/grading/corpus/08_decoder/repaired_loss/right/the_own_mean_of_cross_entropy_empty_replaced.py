# the own mean of cross_entropy, empty replaced
# points: 3

def repaired_loss(logits, input_ids, attention_mask):
    both = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    labels = input_ids[:, 1:].masked_fill(~both, -100)
    loss = F.cross_entropy(logits[:, :-1].permute(0, 2, 1), labels)
    return loss if both.any() else torch.zeros_like(loss) * logits.sum()
