# the earlier token itself, and only if it is not the query
# points: 0

def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    m = torch.ones(B, T) if attention_mask is None else attention_mask
    m = m.bool()
    same = (input_ids[:, :, None] == input_ids[:, None, :]) & m[:, :, None] & m[:, None, :]
    target = same & torch.ones(T, T, dtype=torch.bool).tril(-1)
    counts = target.any(-1)
    n = max(int(counts.sum()), 1)
    score = (attention * target[:, None]).sum(dim=(1, 3, 4)) / n
    seen = m.cumsum(1)
    chance = (target.sum(-1) / seen.clamp(min=1)).sum() / n
    return score, float(chance)
