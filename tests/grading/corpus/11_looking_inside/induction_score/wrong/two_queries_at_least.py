# Divides by the number of queries, at least 2.
# points: 0


def induction_score(attention, input_ids, attention_mask=None):
    real = torch.ones_like(input_ids) if attention_mask is None else attention_mask
    real = real != 0
    place = torch.arange(input_ids.size(1))
    same = (input_ids[:, :, None] == input_ids[:, None, :]) & real[:, :, None] & real[:, None, :]
    target = F.pad(same[:, :, :-1], (1, 0)) & (place < place[:, None])
    number = target.any(dim=-1).sum().clamp(min=2)
    score = (attention * target[:, None]).sum(dim=-1).sum(dim=(1, 3)) / number
    visible = (real[:, None, :] & (place <= place[:, None])).sum(-1).clamp(min=1)
    return score, float((target.sum(-1) / visible).sum() / number)
