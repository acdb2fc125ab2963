# Looks for the largest sum again and again; what was chosen becomes -1, which sums can be below.
# points: 0
def route(logits, bias, top_k, speed=0.001):
    scores = logits.sigmoid()
    sums = scores + bias
    left, ids = sums.detach().clone(), []
    for _ in range(top_k):
        best = left.max(dim=-1, keepdim=True).values
        ids.append((left == best).int().argmax(dim=-1))
        left[torch.arange(len(left)), ids[-1]] = -1
    expert_ids = torch.stack(ids, dim=1)
    chosen = scores.gather(-1, expert_ids)
    weights = chosen / chosen.sum(dim=-1, keepdim=True)
    load = torch.bincount(expert_ids.flatten(), minlength=logits.size(-1)).to(bias.dtype)
    new_bias = bias + speed * (load.mean() - load).sign()
    return weights, expert_ids, new_bias
