# The values are averaged over the texts at each position first, and these means over the positions.
# points: 0
def induction_score(attention, input_ids, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones_like(input_ids)
    real = attention_mask.bool()
    same = input_ids[:, :, None] == input_ids[:, None, :]
    same = same & real[:, :, None] & real[:, None, :]
    targets = torch.zeros_like(same)
    targets[:, :, 1:] = same[:, :, :-1]
    targets = targets.tril(-1)
    counted = targets.any(-1)
    if not counted.any():
        return attention.new_zeros(attention.shape[0], attention.shape[2]), 0.0
    values = attention.masked_fill(~targets[None, :, None], 0.0).sum(-1)  # [layers, batch, heads, tokens]
    by_position = values.sum(1) / counted.sum(0).clamp(min=1)
    score = by_position[:, :, counted.any(0)].mean(-1)
    even = targets.sum(-1) / real.cumsum(1).clamp(min=1)
    return score, float(even[counted].mean())
