# slices that wrap around
# points: 3

def decoder_mask(attention_mask, queries, window=None):
    b, keys = attention_mask.shape
    out = torch.zeros(b, 1, queries, keys, dtype=torch.bool)
    for q in range(queries):
        p = keys - queries + q
        start = 0 if window is None else p - window + 1
        out[:, :, q, start:p + 1] = attention_mask[:, None, start:p + 1].bool()
    return out
