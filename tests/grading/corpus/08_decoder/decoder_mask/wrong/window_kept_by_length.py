# keeps the causal band by its size, whatever the window
# points: 3

bands = {}

def decoder_mask(attention_mask, queries, window=None):
    n = attention_mask.shape[1]
    if (n, queries) not in bands or window is None:
        i, j = torch.arange(n - queries, n)[:, None], torch.arange(n)
        see = j <= i
        if window is None:
            return see & attention_mask.bool()[:, None, None]
        bands[n, queries] = see & (j > i - window)
    return bands[n, queries] & attention_mask.bool()[:, None, None]
