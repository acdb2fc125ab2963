# mean over an empty selection is NaN
# points: 3

def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    real = torch.ones(B, T, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    same = (input_ids[:, :, None] == input_ids[:, None]) & real[:, :, None] & real[:, None]
    target = same.roll(1, dims=2)
    target[:, :, 0] = False
    target &= torch.ones(T, T, dtype=torch.bool).tril(-1)
    counts = target.any(-1)
    values = (attention * target[None, :, None]).sum(-1).permute(1, 3, 0, 2)[counts]
    even = target.sum(-1)[counts] / real.cumsum(1)[counts]
    return values.mean(0), even.mean().item()
