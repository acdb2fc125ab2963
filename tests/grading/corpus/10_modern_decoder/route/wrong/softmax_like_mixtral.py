# a softmax over the experts, then top-k and renormalised, as in the chapter
# points: 0

def route(logits, bias, top_k, speed=0.001):
    probs = F.softmax(logits, dim=-1)
    ids = (probs + bias).sort(dim=-1, descending=True, stable=True).indices[:, :top_k]
    weights = probs.gather(-1, ids)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    load = torch.bincount(ids.flatten(), minlength=probs.shape[-1]).float()
    return weights, ids, bias - speed * (load - load.mean()).sign()
