# the sign of the step is wrong
# points: 3

def route(logits, bias, top_k, speed=0.001):
    scores = logits.sigmoid()
    ids = (scores + bias).argsort(dim=-1, descending=True, stable=True)[:, :top_k]
    w = scores.gather(-1, ids)
    load = torch.bincount(ids.view(-1) if ids.is_contiguous() else ids.reshape(-1), minlength=scores.size(-1))
    violation = load.float() - load.float().mean()
    return w / w.sum(-1, keepdim=True), ids, bias + speed * violation.sign()
