# Gives padding the id -1, and forgets that padded tokens are then equal to each other.
# points: 3
def induction_score(attention, input_ids, attention_mask=None):
    batch, n = input_ids.shape
    if attention_mask is None:
        attention_mask = torch.ones_like(input_ids)
    real = attention_mask > 0
    pairs = real[:, :, None] & real[:, None, :]
    ids = input_ids.masked_fill(~real, -1)
    same = ids[:, :, None] == ids[:, None, :]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    shifted = torch.zeros_like(same)
    shifted[:, :, 1:] = same[:, :, :-1]
    target = shifted & causal.tril(-1)
    has = target.any(-1)
    values = torch.einsum("lbhqk,bqk->lbhq", attention, target.to(attention.dtype))
    number = max(int(has.sum()), 1)
    score = values.sum((1, 3)) / number
    seen = (pairs & causal).sum(-1)
    chance = (target.sum(-1) / seen.clamp(min=1)).sum() / number
    return score, chance.item()
