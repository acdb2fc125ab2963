# true means hidden
# points: 0

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    hidden = j > i
    if window is not None:
        hidden = hidden | (j <= i - window)
    return hidden | (attention_mask == 0)[:, None, None, :]
