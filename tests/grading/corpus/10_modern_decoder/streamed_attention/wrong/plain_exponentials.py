# e^score without a maximum
# points: 3

def streamed_attention(query, blocks):
    num, den = 0, 0
    for key, value, mask in blocks:
        w = torch.exp(query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]))
        if mask is not None:
            w = w * mask
        num = num + w @ value
        den = den + w.sum(-1)
    out = torch.where(den[..., None] > 0, num / den[..., None], torch.zeros_like(num))
    return out, torch.log(den)
