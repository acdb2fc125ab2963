# the bias counts for the weights, too
# points: 0

def route(logits, bias, top_k, speed=0.001):
    scores = torch.sigmoid(logits) + bias
    sorted_scores, idx = torch.sort(scores, dim=-1, descending=True, stable=True)
    weights = sorted_scores[:, :top_k]
    ids = idx[:, :top_k]
    weights = weights / weights.sum(-1, keepdim=True)
    load = torch.bincount(ids.reshape(-1), minlength=logits.size(1)).float()
    new_bias = bias + speed * torch.sign(load.mean() - load)
    return weights, ids, new_bias
