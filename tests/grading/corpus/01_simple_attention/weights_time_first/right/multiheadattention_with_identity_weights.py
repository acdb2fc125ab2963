# MultiheadAttention with identity weights
# points: 3

def weights_time_first(query, key):
    d = query.size(-1)
    m = torch.nn.MultiheadAttention(d, 1, bias=False)
    with torch.no_grad():
        m.in_proj_weight.copy_(torch.eye(d).repeat(3, 1)); m.out_proj.weight.copy_(torch.eye(d))
    return m(query, key, key, need_weights=True)[1]
