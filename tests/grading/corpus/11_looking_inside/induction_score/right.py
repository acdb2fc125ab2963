# %% einsum_and_tril | points 4 | einsum, tril, boolean mask; chance a tensor
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

# %% even_head_appended | points 4 | Builds an even head as attention, appends it, and scores all heads in one go with nonzero().
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

# %% nested_loops_with_lists | points 4 | nested loops with lists
def induction_score(attention, input_ids, attention_mask=None):
    layers, batch, heads, n, _ = attention.shape
    vals, evens = [], []
    for b in range(batch):
        for t in range(n):
            if attention_mask is not None and attention_mask[b, t] == 0:
                continue
            targets = []
            for s in range(t):
                if attention_mask is not None and attention_mask[b, s] == 0:
                    continue
                if input_ids[b, s] == input_ids[b, t] and s + 1 < t:
                    targets.append(s + 1)
            if not targets:
                continue
            vals.append(sum(attention[:, b, :, t, k] for k in targets))
            if attention_mask is None:
                visible = t + 1
            else:
                visible = int(attention_mask[b, : t + 1].sum())
            evens.append(len(targets) / visible)
    if not vals:
        return torch.zeros(layers, heads), 0.0
    return torch.stack(vals).mean(dim=0), sum(evens) / len(evens)
