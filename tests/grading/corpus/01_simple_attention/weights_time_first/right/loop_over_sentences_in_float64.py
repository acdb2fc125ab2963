# loop-over-sentences-in-float64
# points: 3

def weights_time_first(query, key):
    rows = []
    for b in range(query.shape[1]):
        s = (query[:, b].double() @ key[:, b].double().t()) * query.shape[2] ** -0.5
        rows.append((s - torch.logsumexp(s, 1, keepdim=True)).exp())
    return torch.stack(rows).to(query.dtype)
