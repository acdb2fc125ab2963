# the 0 of nothing has no gradient
# points: 2

def repaired_loss(logits, input_ids, attention_mask):
    z, y = logits[:, :-1], input_ids[:, 1:]
    m = attention_mask[:, :-1].bool() & attention_mask[:, 1:].bool()
    if m.sum() == 0:
        return torch.tensor(0.0)
    per = F.cross_entropy(z.reshape(-1, z.size(-1)), y.reshape(-1), reduction="none").view_as(m)
    return per[m].mean()
