# Asks whether the target is real, not whether the earlier occurrence is: padding on the left with the id of a word counts.
# points: 3
def induction_score(
    attention: Tensor, input_ids: Tensor, attention_mask: Tensor | None = None
) -> tuple[Tensor, float]:
    batch, tokens = input_ids.shape
    real = torch.ones(batch, tokens, dtype=torch.bool)
    if attention_mask is not None:
        real = attention_mask == 1
    same = input_ids[:, :, None] == input_ids[:, None, :]
    target = F.pad(same, (1, 0))[:, :, :-1]
    target = target & torch.ones(tokens, tokens, dtype=torch.bool).tril(-1)
    target = target & real[:, :, None] & real[:, None, :]
    counts = target.any(dim=-1)
    number = max(int(counts.sum()), 1)
    score = torch.einsum("lbhqk,bqk->lh", attention, target.to(attention.dtype)) / number
    visible = torch.where(real, real.cumsum(dim=1), 1)
    chance = (target.sum(dim=-1) / visible).sum().item() / number
    return score, chance
