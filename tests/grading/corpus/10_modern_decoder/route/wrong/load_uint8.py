# Counts the load in uint8, which begins again at 0 after 255.
# points: 3
def route(logits, bias, top_k, speed=0.001):
    scores = logits.sigmoid()
    sums = scores + bias
    order = sums.sort(dim=-1, descending=True, stable=True).indices
    expert_ids = order[:, :top_k]
    chosen = scores.gather(-1, expert_ids)
    weights = chosen / chosen.sum(dim=-1, keepdim=True)
    load = torch.bincount(expert_ids.flatten(), minlength=logits.size(-1)).to(torch.uint8).to(bias.dtype)
    new_bias = bias + speed * (load.mean() - load).sign()
    return weights, expert_ids, new_bias
