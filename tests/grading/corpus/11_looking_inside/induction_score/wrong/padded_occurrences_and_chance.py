# Padding is no query but counts as an earlier occurrence, and chance counts all keys up to the query, padding included.
# points: 3
def induction_score(
    attention: Tensor, input_ids: Tensor, attention_mask: Tensor | None = None
) -> tuple[Tensor, float]:
    batch, tokens = input_ids.shape
    if attention_mask is None:
        attention_mask = torch.ones(batch, tokens)
    real = attention_mask.bool()
    same = input_ids.unsqueeze(2) == input_ids.unsqueeze(1)
    same = same & real.unsqueeze(2)
    t = torch.arange(tokens)
    target = torch.zeros_like(same)
    target[:, :, 1:] = same[:, :, :-1]
    target = target & (t.view(1, -1) < t.view(-1, 1))
    has = target.any(dim=2)
    number = int(has.sum())
    if number == 0:
        return torch.zeros(attention.shape[0], attention.shape[2]), 0.0
    value = torch.einsum("lbhtk,btk->lht", attention, target.to(attention.dtype))
    score = value.sum(dim=2) / number
    seen = (torch.ones_like(same) & (t.view(1, -1) <= t.view(-1, 1))).sum(dim=2)
    chance = (target.sum(dim=2)[has] / seen[has]).sum() / number
    return score, chance.item()
