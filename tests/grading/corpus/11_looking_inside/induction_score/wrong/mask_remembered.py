# Remembers the last mask, and uses it where a batch of that size comes without one.
# points: 3

last = {}


def induction_score(attention, input_ids, attention_mask=None):
    if attention_mask is None:
        attention_mask = last.get(input_ids.shape)
    else:
        last[input_ids.shape] = attention_mask
    real = torch.ones_like(input_ids) if attention_mask is None else attention_mask
    real = real != 0
    place = torch.arange(input_ids.size(1))
    same = (input_ids[:, :, None] == input_ids[:, None, :]) & real[:, :, None] & real[:, None, :]
    target = F.pad(same[:, :, :-1], (1, 0)) & (place < place[:, None])
    number = target.any(dim=-1).sum().clamp(min=1)
    score = (attention * target[:, None]).sum(dim=-1).sum(dim=(1, 3)) / number
    visible = (real[:, None, :] & (place <= place[:, None])).sum(-1).clamp(min=1)
    return score, float((target.sum(-1) / visible).sum() / number)
