# MultiheadAttention style by hand
# points: 3

def repaired_attention(query, key, value, is_padding):
    s = torch.baddbmm(torch.zeros(1), query, key.mT, beta=0, alpha=key.size(-1) ** -.5)
    p = is_padding[:, None]
    w = s.masked_fill(p, -1e30).softmax(-1).masked_fill(p, 0.)
    return w.bmm(value)
