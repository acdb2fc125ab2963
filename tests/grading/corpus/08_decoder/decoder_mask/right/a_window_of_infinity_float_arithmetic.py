# a window of infinity, float arithmetic
# points: 4

def decoder_mask(attention_mask, queries, window=None):
    w = math.inf if window is None else window
    keys = attention_mask.size(1)
    lag = (torch.arange(queries) + keys - queries).unsqueeze(1) - torch.arange(keys)
    return torch.where((lag >= 0) & (lag < w), attention_mask[:, None, None].bool(), False)
