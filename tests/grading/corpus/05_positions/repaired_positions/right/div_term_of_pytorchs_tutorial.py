# div_term of PyTorch's tutorial
# points: 4

def repaired_positions(x, ids, base=10000.0):
    d_model = x.size(-1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(base) / d_model))
    pe = torch.zeros_like(x)
    pe[..., 0::2] = torch.sin(ids.unsqueeze(-1) * div_term)
    pe[..., 1::2] = torch.cos(ids.unsqueeze(-1) * div_term[: d_model // 2])
    return x * math.sqrt(d_model) + pe
