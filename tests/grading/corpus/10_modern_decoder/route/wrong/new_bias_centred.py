# the mean is taken off the new bias
# points: 3
def route(logits, bias, top_k, speed=0.001):
    tokens, experts = logits.shape
    scores = logits.sigmoid()
    sums = scores + bias
    order = torch.sort(sums, dim=-1, descending=True, stable=True).indices
    expert_ids = order[:, :top_k]
    chosen = scores.gather(1, expert_ids)
    weights = chosen / chosen.sum(-1, keepdim=True)
    load = torch.bincount(expert_ids.flatten(), minlength=experts)
    excess = load * experts - tokens * top_k
    new_bias = bias - speed * excess.sign()
    new_bias = new_bias - new_bias.mean()
    return weights, expert_ids, new_bias
