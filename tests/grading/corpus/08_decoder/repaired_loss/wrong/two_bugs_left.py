# the shift and the reshape are repaired
# points: 1

def repaired_loss(logits, input_ids, attention_mask):
    targets = input_ids[:, 1:]
    per = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, ignore_index=0, reduction="none")
    return per.mean()
