# padding on query axis
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    real = attention_mask.bool()[:, -queries:]
    k = torch.arange(keys)
    q = torch.arange(keys - queries, keys).view(-1, 1)
    allowed = k <= q
    if window is not None:
        allowed = allowed & (k > q - window)
    return allowed & real[:, None, :, None]
