# topk, which takes any of equal sums
# points: 3

def route(logits, bias, top_k, speed=0.001):
    s = logits.sigmoid()
    _, ids = torch.topk(s + bias, top_k, dim=-1)
    w = s.gather(1, ids)
    w = w / w.sum(dim=1, keepdim=True)
    counts = torch.zeros(logits.shape[1]).scatter_add_(0, ids.flatten(), torch.ones(ids.numel()))
    return w, ids, bias + speed * (counts.mean() - counts).sign()
