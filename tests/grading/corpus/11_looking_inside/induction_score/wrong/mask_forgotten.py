# the mask is not used
# points: 3

def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    same = input_ids[:, :, None] == input_ids[:, None, :]
    target = F.pad(same[:, :, :-1], (1, 0)) & torch.ones(T, T, dtype=torch.bool).tril(-1)
    counts = target.any(-1)
    n = counts.sum().clamp(min=1)
    score = (attention * target[:, None]).sum(dim=(1, 3, 4)) / n
    visible = torch.arange(1, T + 1)
    chance = (target.sum(-1) / visible).sum() / n
    return score, chance.item()
