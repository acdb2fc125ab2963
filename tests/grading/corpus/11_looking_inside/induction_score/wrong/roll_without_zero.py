# roll_without_zero
# points: 0

def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    real = torch.ones(B, T, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    same = (input_ids[:, :, None] == input_ids[:, None]) & real[:, :, None] & real[:, None]
    target = same.roll(1, -1).float().tril(-1)
    counts = target.sum(-1) > 0
    n = counts.sum().clamp(min=1)
    values = (attention * target[:, None]).sum(-1)
    score = values.sum(dim=(1, 3)) / n
    even = target.sum(-1) / real.cumsum(1).clamp(min=1)
    chance = even.sum() / n
    return score, chance.item()

