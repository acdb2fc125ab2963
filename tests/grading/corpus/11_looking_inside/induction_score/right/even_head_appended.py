# Builds an even head as attention, appends it, and scores all heads in one go with nonzero().
# points: 4
def induction_score(attention, input_ids, attention_mask=None):
    n = input_ids.size(1)
    real = torch.ones(input_ids.shape) if attention_mask is None else attention_mask.float()
    even = torch.tril(real[:, None, :].expand(-1, n, n))
    even = (even / even.sum(-1, keepdim=True).clamp(min=1)).to(attention.dtype)
    b, t, s = torch.nonzero(input_ids.unsqueeze(2) == input_ids.unsqueeze(1), as_tuple=True)
    keep = (s + 1 < t) & (real[b, t] > 0) & (real[b, s] > 0)
    b, t, s = b[keep], t[keep], s[keep]
    number = max(len(set(zip(b.tolist(), t.tolist()))), 1)
    score = attention.permute(1, 3, 4, 0, 2)[b, t, s + 1].sum(0) / number
    return score, float(even[b, t, s + 1].sum() / number)
