# Sums the attention to the earlier token itself instead of the token behind it.
# points: 0
def induction_score(
    attention: Tensor, input_ids: Tensor, attention_mask: Tensor | None = None
) -> tuple[Tensor, float]:
    real = torch.ones_like(input_ids).bool() if attention_mask is None else attention_mask.bool()
    n = input_ids.size(1)
    before = torch.ones(n, n, dtype=torch.bool).tril(-2)
    target = (input_ids[:, :, None] == input_ids[:, None, :]) & before
    target = target & real[:, :, None] & real[:, None, :]
    counts = target.any(-1)
    number = counts.sum().clamp(min=1)
    score = (attention * target[None, :, None]).sum(dim=(1, 3, 4)) / number
    visible = (real[:, None, :] & torch.ones(n, n).tril().bool()).sum(-1).clamp(min=1)
    chance = (target.sum(-1) / visible).sum() / number
    return score, float(chance)
