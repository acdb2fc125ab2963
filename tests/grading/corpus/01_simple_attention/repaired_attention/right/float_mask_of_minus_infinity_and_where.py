# float-mask-of-minus-infinity-and-where
# points: 3

def repaired_attention(query, key, value, is_padding):
    bias = torch.where(is_padding, -1e30, 0.0)[:, None].to(query)
    out = F.scaled_dot_product_attention(query, key, value, bias)
    return torch.where(is_padding.all(1)[:, None, None], torch.zeros_like(out), out)
