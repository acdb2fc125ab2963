# remembers bands by all that they depend on
# points: 4

from functools import lru_cache

@lru_cache
def band(n, queries, window):
    i, j = torch.arange(n - queries, n)[:, None], torch.arange(n)
    return (j <= i) & (j > i - (window or n))

def decoder_mask(attention_mask, queries, window=None):
    return band(attention_mask.size(1), queries, window) & (attention_mask != 0)[:, None, None, :]
