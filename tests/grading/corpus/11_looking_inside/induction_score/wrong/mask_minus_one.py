# Adds (mask - 1) times a large number and asks what is not below 0: in uint8, 0 - 1 is 255.
# points: 3
def induction_score(attention, input_ids, attention_mask=None):
    tokens = input_ids.size(1)
    if attention_mask is None:
        attention_mask = torch.ones_like(input_ids)
    real = (attention_mask - 1) * 1e9 >= 0
    same = (input_ids[:, :, None] == input_ids[:, None, :]) & real[:, :, None] & real[:, None, :]
    target = torch.zeros_like(same)
    target[:, :, 1:] = same.tril(-2)[:, :, :-1]
    queries = target.any(dim=-1)
    if not queries.any():
        return torch.zeros(attention.size(0), attention.size(2)), 0.0
    values = (attention * target[None, :, None]).sum(dim=-1)
    score = (values * queries[None, :, None]).sum(dim=(1, 3)) / queries.sum()
    visible = real.cumsum(dim=1).clamp(min=1)
    return score, float((target.sum(dim=-1) / visible)[queries].mean())
