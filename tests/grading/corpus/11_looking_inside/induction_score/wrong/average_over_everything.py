# plain mean over batch and queries
# points: 0

def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    real = torch.ones(B, T, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    same = (input_ids[:, :, None] == input_ids[:, None]) & real[:, :, None] & real[:, None]
    target = F.pad(same[..., :-1].float(), (1, 0)).tril(-1)
    score = (attention * target[:, None]).sum(-1).mean(dim=(1, 3))
    chance = (target.sum(-1) / real.cumsum(1).clamp(min=1)).mean()
    return score, chance.item()
