# logical_not and expand
# points: 3

def repaired_attention(q, k, v, p):
    m = torch.logical_not(p)[:, None].expand(-1, q.size(1), -1)
    return F.scaled_dot_product_attention(q, k, v, m)
