# einsum, tril, boolean mask; chance a tensor
# points: 4

def induction_score(attention: Tensor, input_ids: Tensor, attention_mask: Tensor | None = None):
    B, T = input_ids.shape
    if attention_mask is None:
        attention_mask = torch.ones(B, T)
    m = attention_mask.bool()
    same = (input_ids.unsqueeze(2) == input_ids.unsqueeze(1)) & m.unsqueeze(2) & m.unsqueeze(1)
    target = torch.zeros(B, T, T)
    target[:, :, 1:] = same[:, :, :-1].float()
    target = torch.tril(target, diagonal=-1)
    has = target.sum(-1) > 0
    n = has.sum()
    if n == 0:
        return attention.new_zeros(attention.shape[0], attention.shape[2]), torch.tensor(0.0)
    score = torch.einsum("lbhqk,bqk->lh", attention, target) / n
    visible = m.long().cumsum(1)
    chance = (target.sum(-1)[has] / visible[has]).sum() / n
    return score, chance
