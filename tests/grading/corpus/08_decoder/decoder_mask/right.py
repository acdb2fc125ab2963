# %% a_window_of_infinity_float_arithmetic | points 4 | a window of infinity, float arithmetic
def decoder_mask(attention_mask, queries, window=None):
    w = math.inf if window is None else window
    keys = attention_mask.size(1)
    lag = (torch.arange(queries) + keys - queries).unsqueeze(1) - torch.arange(keys)
    return torch.where((lag >= 0) & (lag < w), attention_mask[:, None, None].bool(), False)

# %% an_additive_mask_turned_round_at_the_end | points 4 | an additive mask, turned round at the end
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    add = torch.full((queries, keys), -math.inf).triu(keys - queries + 1)
    if window is not None:
        add = add + torch.full((queries, keys), -math.inf).tril(keys - queries - window)
    pad = torch.zeros(attention_mask.shape).masked_fill(attention_mask < 0.5, -math.inf)
    return (add + pad[:, None, None, :]) == 0

# %% bands_remembered | points 4 | remembers bands by all that they depend on
from functools import lru_cache

@lru_cache
def band(n, queries, window):
    i, j = torch.arange(n - queries, n)[:, None], torch.arange(n)
    return (j <= i) & (j > i - (window or n))

def decoder_mask(attention_mask, queries, window=None):
    return band(attention_mask.size(1), queries, window) & (attention_mask != 0)[:, None, None, :]

# %% four_loops | points 4 | four loops
def decoder_mask(attention_mask, queries, window=None):
    rows = attention_mask.tolist()
    keys = len(rows[0])
    out = []
    for row in rows:
        seen = []
        for place in range(keys - queries, keys):
            first = 0 if window is None else max(0, place + 1 - window)
            seen.append([first <= k <= place and bool(row[k]) for k in range(keys)])
        out.append([seen])
    return torch.tensor(out)

# %% nested_lists | points 4 | nested lists
def decoder_mask(attention_mask, queries, window=None):
    rows = attention_mask.tolist()
    keys = len(rows[0])
    reach = keys if window is None else window
    return torch.tensor([
        [[[bool(row[j]) and i - reach < j <= i for j in range(keys)]
          for i in range(keys - queries, keys)]]
        for row in rows
    ], dtype=torch.bool)

# %% repeat_and_masked_fill | points 4 | repeat and masked_fill
def decoder_mask(attention_mask, queries, window=None):
    b, k = attention_mask.shape
    m = attention_mask.type(torch.bool).view(b, 1, 1, k).repeat(1, 1, queries, 1)
    lag = torch.arange(k - queries, k).view(-1, 1) - torch.arange(k).view(1, -1)
    m = m.masked_fill(lag < 0, False)
    return m if window is None else m.masked_fill(lag >= window, 0)

# %% slice_of_the_square | points 4 | slice of the square
def decoder_mask(attention_mask, queries, window=None):
    b, n = attention_mask.shape
    square = torch.tril(torch.ones(n, n))
    if window is not None:
        square = torch.triu(square, diagonal=-(window - 1))
    both = torch.einsum("qk,bk->bqk", square[-queries:], attention_mask.to(torch.float32))
    return both.unsqueeze(1) > 0.5

# %% the_square_mask_and_its_last_rows | points 4 | the square mask and its last rows
def decoder_mask(attention_mask, queries, window=None):
    n = attention_mask.size(-1)
    i, j = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
    d = i - j
    square = (d >= 0) & (d < (window or n))
    square = square[None] & attention_mask.eq(1).unsqueeze(1)
    return square[:, -queries:].unsqueeze(1)

# %% tril_and_triu | points 4 | tril and triu
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.shape[1]
    ok = torch.ones(queries, keys).tril(keys - queries)
    if window:
        ok = ok.triu(keys - queries - window + 1)
    return torch.logical_and(ok, attention_mask[:, None, None])
