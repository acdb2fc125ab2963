# Guards the division with clamp(min=1e-2): the weights of a token with very small scores don't sum to 1.
# points: 0
def route(logits, bias, top_k, speed=0.001):
    scores = torch.sigmoid(logits)
    total = scores + bias
    order = torch.argsort(total, dim=1, descending=True, stable=True)
    expert_ids = order[:, :top_k]
    weights = torch.gather(scores, 1, expert_ids)
    weights = weights / weights.sum(1, keepdim=True).clamp(min=1e-2)
    load = F.one_hot(expert_ids, logits.size(1)).sum((0, 1)).to(bias.dtype)
    new_bias = bias + speed * torch.sign(load.mean() - load)
    return weights, expert_ids, new_bias
