# An earlier token that is repeated at once gives no target to any later query, not only to the one right after it.
# points: 0
def induction_score(attention, input_ids, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones_like(input_ids)
    real = attention_mask.bool()
    tokens = input_ids.shape[1]
    same = input_ids[:, :, None] == input_ids[:, None, :]
    same = same & real[:, :, None] & real[:, None, :]
    repeated = torch.zeros_like(real)
    repeated[:, :-1] = (input_ids[:, :-1] == input_ids[:, 1:]) & real[:, 1:]
    same = (same & ~repeated[:, None, :]).tril(-1)
    targets = torch.zeros_like(same)
    targets[:, :, 1:] = same[:, :, :-1]
    targets = targets.tril(-1)
    counted = targets.any(-1)
    n = int(counted.sum())
    if n == 0:
        return attention.new_zeros(attention.shape[0], attention.shape[2]), 0.0
    values = attention.masked_fill(~targets[None, :, None], 0.0).sum(-1)
    even = targets.sum(-1) / real.cumsum(1).clamp(min=1)
    return values.sum((1, 3)) / n, float(even.sum() / n)
