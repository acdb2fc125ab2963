# an additive mask, turned round at the end
# points: 4

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    add = torch.full((queries, keys), -math.inf).triu(keys - queries + 1)
    if window is not None:
        add = add + torch.full((queries, keys), -math.inf).tril(keys - queries - window)
    pad = torch.zeros(attention_mask.shape).masked_fill(attention_mask < 0.5, -math.inf)
    return (add + pad[:, None, None, :]) == 0
