# Brings the heads before the batch with reshape instead of a transpose, so that rows of different texts and heads are mixed.
# points: 0
def induction_score(attention, input_ids, attention_mask=None):
    layers, batch, heads, tokens, _ = attention.shape
    real = torch.ones_like(input_ids, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    same = (input_ids[:, :, None] == input_ids[:, None, :]) & real[:, :, None] & real[:, None, :]
    targets = torch.zeros_like(same)
    targets[:, :, 1:] = same[:, :, :-1]
    targets = targets.tril(diagonal=-1)
    has = targets.any(dim=-1)
    count = has.sum()
    if count == 0:
        return torch.zeros(layers, heads), 0.0
    by_head = attention.reshape(layers, heads, batch, tokens, tokens)
    values = (by_head * targets).sum(dim=-1)
    score = (values * has).sum(dim=(2, 3)) / count
    seen = real.long().cumsum(dim=1)
    chance = (targets.sum(dim=-1)[has] / seen[has]).mean()
    return score, chance.item()
