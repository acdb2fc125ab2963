# the new bias is written into the old one
# points: 0

def route(logits, bias, top_k, speed=0.001):
    scores = logits.sigmoid()
    ids = (scores + bias).sort(dim=-1, descending=True, stable=True).indices[:, :top_k]
    w = scores.gather(-1, ids)
    w = w / w.sum(-1, keepdim=True)
    load = torch.bincount(ids.flatten(), minlength=scores.shape[-1]).float()
    with torch.no_grad():
        bias += speed * torch.sign(load.mean() - load)
    return w, ids, bias
