# in place on own copies
# points: 3

def weights_time_first(query, key):
    q = query.clone()
    q /= math.sqrt(q.size(-1))
    s = q.transpose(0, 1) @ key.permute(1, 2, 0)
    s -= s.detach().amax(-1, keepdim=True)
    e = s.exp()
    return e / e.sum(-1, keepdim=True)
