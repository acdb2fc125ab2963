# one minus a boolean
# points: 3

def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    hidden = j > i
    if window is not None:
        hidden = hidden | (j <= i - window)
    padding = (1 - attention_mask).bool()
    return ~(hidden | padding[:, None, None, :])
