# chance: 1 / (number of visible keys), whatever the number of targets
# points: 3

def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    real = torch.ones(B, T, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    same = (input_ids[:, :, None] == input_ids[:, None]) & real[:, :, None] & real[:, None]
    target = F.pad(same[..., :-1].float(), (1, 0)).tril(-1)
    counts = target.sum(-1) > 0
    n = counts.sum().clamp(min=1)
    score = (attention * target[:, None]).sum(dim=(1, 3, 4)) / n
    chance = (counts / real.cumsum(1).clamp(min=1)).sum() / n
    return score, chance.item()
