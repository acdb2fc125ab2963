# one place too few, except for a window of 1
# points: 3

def decoder_mask(attention_mask, queries, window=None):
    n = attention_mask.shape[1]
    i = torch.arange(n - queries, n).view(-1, 1)
    j = torch.arange(n).view(1, -1)
    see = j <= i
    if window is not None:
        see &= i - j < max(1, window - 1)
    real = attention_mask.ne(0)
    return see[None, None] & real[:, None, None]
