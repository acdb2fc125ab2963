# repeat and masked_fill
# points: 4

def decoder_mask(attention_mask, queries, window=None):
    b, k = attention_mask.shape
    m = attention_mask.type(torch.bool).view(b, 1, 1, k).repeat(1, 1, queries, 1)
    lag = torch.arange(k - queries, k).view(-1, 1) - torch.arange(k).view(1, -1)
    m = m.masked_fill(lag < 0, False)
    return m if window is None else m.masked_fill(lag >= window, 0)
