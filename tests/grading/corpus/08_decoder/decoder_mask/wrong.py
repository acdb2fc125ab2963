# %% always_the_square_mask | points 0 | always the square mask
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(keys, keys, dtype=torch.bool).tril()
    if window is not None:
        ok = ok.triu(1 - window)
    return ok & attention_mask.bool()[:, None, None, :]

# %% an_empty_text_is_opened | points 0 | a text that is all padding is opened
def decoder_mask(attention_mask, queries, window=None):
    real = attention_mask.bool()
    real = real | ~real.any(dim=1, keepdim=True)
    keys = attention_mask.size(1)
    d = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    ok = d >= 0
    if window is not None:
        ok = ok & (d < window)
    return real[:, None, None] & ok

# %% and_with_a_mask_of_floats | points 3 | and with a mask of floats
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j > i - window)
    return (ok & attention_mask[:, None, None, :]).bool()

# %% broadcast_batch_as_queries | points 0 | broadcast batch as queries
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window)
    real = attention_mask.bool()[None, None]
    return allowed & real

# %% causal_kept_by_keys | points 0 | The causal rows are kept by the number of keys, whatever the queries.
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    """True where a query may see a key, [batch, 1, queries, keys]."""
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    allowed = KEPT.setdefault((keys, window), key <= query)
    if window is not None:
        allowed = allowed & (key > query - window)
    return allowed & (attention_mask != 0)[:, None, None, :]

KEPT = {}

# %% comes_back_in_the_dtype_of_the_mask | points 0 | comes back in the dtype of the mask
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return ok.to(attention_mask.dtype) * attention_mask[:, None, None, :]

# %% empty_rows_opened_again | points 0 | empty rows opened again
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    ok = ok & attention_mask.bool()[:, None, None, :]
    return ok | ~ok.any(-1, keepdim=True)

# %% empty_rows_see_themselves | points 0 | empty rows see themselves
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j > i - window)
    ok = ok & attention_mask.bool()[:, None, None, :]
    return ok | (i == j)

# %% future_forgotten | points 0 | future forgotten
def decoder_mask(attention_mask, queries, window=None):
    b, keys = attention_mask.shape
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = torch.ones(queries, keys, dtype=torch.bool)
    if window is not None:
        ok = ok & (j > i - window)
    return ok & attention_mask.bool()[:, None, None, :]

# %% future_only | points 0 | future only
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    allowed = key >= query
    if window is not None:
        allowed = allowed & (key < query + window)
    real = attention_mask.bool()[:, None, None, :]
    return allowed & real

# %% half_a_window | points 3 | half the window
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    """True where a query may see a key, [batch, 1, queries, keys]."""
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window // 2)
    return allowed & (attention_mask != 0)[:, None, None, :]

# %% keys_as_rows | points 0 | keys as rows
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return (ok & attention_mask.bool()[:, None, None, :]).transpose(2, 3)

# %% last_key_for_all | points 0 | last key for all
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    if queries == keys:
        allowed = key <= query
    else:
        allowed = torch.ones(queries, keys, dtype=torch.bool)
    if window is not None:
        allowed = allowed & (key > query - window)
    real = attention_mask.bool()[:, None, None, :]
    return allowed & real

# %% may_not_see_itself | points 0 | may not see itself
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j < i
    if window is not None:
        ok = ok & (j > i - window)
    return ok & attention_mask.bool()[:, None, None, :]

# %% no_axis_for_the_heads | points 0 | no axis for the heads
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return ok & attention_mask.bool()[:, None, :]

# %% no_batch_where_nothing_is_padded_with_a_window | points 3 | With a window, and where nothing is padded, one mask comes back for all texts.
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    """True where a query may see a key, [batch, 1, queries, keys]."""
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window)
    if window is not None and bool((attention_mask != 0).all()):
        return allowed[None, None]
    return allowed & (attention_mask != 0)[:, None, None, :]

# %% no_place_for_the_cache | points 0 | no place for the cache
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(queries)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j > i - window)
    return ok & attention_mask.bool()[:, None, None, :]

# %% not_real_sees_all | points 0 | not real sees all
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window)
    real = attention_mask.bool()[:, None, None, :]
    return (allowed & real) | ~attention_mask.bool()[:, None, keys - queries:, None]

# %% nothing_hidden_if_the_first_is_full | points 0 | Hides no padding where the first text has none, although others may have some.
def decoder_mask(attention_mask, queries, window=None):
    """True where a query may see a key."""
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(queries)[:, None] + keys - queries  # the last positions
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window)
    real = attention_mask != 0
    if real[0].all():
        real = torch.ones_like(real)
    mask = allowed & real[:, None, None]  # [batch, 1, queries, keys]
    return mask

# %% nothing_padded_no_batch | points 0 | Where nothing is padded it returns one mask for all texts, without the batch.
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    """True where a query may see a key, [batch, 1, queries, keys]."""
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window)
    if bool((attention_mask != 0).all()):
        return allowed[None, None]
    return allowed & (attention_mask != 0)[:, None, None, :]

# %% nothing_real_is_no_mask | points 0 | a mask without a real token is taken for none, and all tokens for real
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    """True where a query may see a key, [batch, 1, queries, keys]."""
    if not attention_mask.any():
        attention_mask = torch.ones_like(attention_mask)
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window)
    return allowed & (attention_mask != 0)[:, None, None, :]

# %% numbers_to_be_added | points 0 | numbers to be added
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    ok = ok & attention_mask.bool()[:, None, None, :]
    return torch.zeros(ok.shape).masked_fill(~ok, -math.inf)

# %% one_mask_for_the_whole_batch | points 0 | one mask for the whole batch
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return (ok & (attention_mask != 0).all(0)).expand(batch, 1, queries, keys)

# %% one_minus_a_boolean | points 3 | one minus a boolean
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    hidden = j > i
    if window is not None:
        hidden = hidden | (j <= i - window)
    padding = (1 - attention_mask).bool()
    return ~(hidden | padding[:, None, None, :])

# %% one_query_sees_all | points 3 | a shortcut for a single query, which forgets the window
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:

    real = attention_mask.bool()[:, None, None, :]
    if queries == 1:  # the newest token may see everything before it
        return real
    keys = attention_mask.size(1)
    distance = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    allowed = distance >= 0
    if window is not None:
        allowed = allowed & (distance < window)
    return real & allowed

# %% only_padded_queries_blanked | points 0 | only padded queries blanked
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    real = attention_mask != 0
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok &= torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries - window + 1)
    return ok & real[:, None, -queries:, None]

# %% or_instead_of_and | points 0 | or instead of and
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok & torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries - window + 1)
    return ok | (attention_mask != 0)[:, None, None]

# %% overwrites_the_mask_it_is_given | points 0 | overwrites the mask it is given
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return ok & (attention_mask.sub_(1) == 0)[:, None, None, :]

# %% padded_queries_blanked | points 0 | padded queries blanked
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    real = attention_mask != 0
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j > i - window)
    return ok & real[:, None, None, :] & real[:, None, keys - queries:, None]

# %% padding_forgotten | points 0 | padding forgotten
def decoder_mask(attention_mask, queries, window=None):
    b, keys = attention_mask.shape
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j > i - window)
    return ok.expand(b, 1, queries, keys)

# %% padding_of_the_first_batch | points 0 | keeps which tokens are real by the shape of the batch
pads = {}
def decoder_mask(attention_mask, queries, window=None):
    n = attention_mask.shape[1]
    i = torch.arange(n - queries, n).view(-1, 1)
    j = torch.arange(n).view(1, -1)
    see = j <= i
    if window is not None:
        see &= i - j < window
    real = pads.setdefault(attention_mask.shape, attention_mask.ne(0))
    return see[None, None] & real[:, None, None]

# %% padding_on_query_axis | points 0 | padding on query axis
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    real = attention_mask.bool()[:, -queries:]
    k = torch.arange(keys)
    q = torch.arange(keys - queries, keys).view(-1, 1)
    allowed = k <= q
    if window is not None:
        allowed = allowed & (k > q - window)
    return allowed & real[:, None, :, None]

# %% padding_stands_on_the_right | points 0 | padding stands on the right
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j > i - window)
    lengths = attention_mask.sum(1)
    return ok & (j < lengths[:, None])[:, None, None, :]

# %% queries_are_the_last_real_tokens | points 0 | queries are the last real tokens
def decoder_mask(attention_mask, queries, window=None):
    real = attention_mask.bool()
    keys = real.size(1)
    i = (real.sum(1)[:, None] - queries + torch.arange(queries))[:, None, :, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j > i - window)
    return ok & real[:, None, None, :]

# %% queries_first_of_window | points 3 | queries first of window
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key >= query - window // 2)
    real = attention_mask.bool()[:, None, None, :]
    return allowed & real

# %% rows_of_a_boolean | points 3 | writes into rows of a boolean mask, which are the argument's own
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    keys = attention_mask.size(1)
    rows = []
    for place in range(keys - queries, keys):
        row = attention_mask.bool()
        row[:, place + 1 :] = False
        if window is not None:
            row[:, : max(0, place + 1 - window)] = False
        rows.append(row)
    return torch.stack(rows, dim=1).unsqueeze(1)

# %% slices_that_wrap_around | points 3 | slices that wrap around
def decoder_mask(attention_mask, queries, window=None):
    b, keys = attention_mask.shape
    out = torch.zeros(b, 1, queries, keys, dtype=torch.bool)
    for q in range(queries):
        p = keys - queries + q
        start = 0 if window is None else p - window + 1
        out[:, :, q, start:p + 1] = attention_mask[:, None, start:p + 1].bool()
    return out

# %% the_first_rows_of_the_square_mask | points 0 | the first rows of the square mask
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(keys, keys, dtype=torch.bool).tril()
    if window is not None:
        ok = ok.triu(1 - window)
    return ok[:queries] & attention_mask.bool()[:, None, None, :]

# %% the_last_window_keys_for_every_query | points 3 | the last window keys for every query
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok[:, : max(keys - window, 0)] = False
    return ok & attention_mask.bool()[:, None, None, :]

# %% tilde_of_an_integer_mask | points 0 | tilde of an integer mask
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return ok.bool() & ~(~attention_mask).bool()[:, None, None, :]

# %% triu_instead_of_tril | points 0 | triu instead of tril
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries)
    if window is not None:
        ok = ok & torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries + window - 1)
    return ok & (attention_mask != 0)[:, None, None]

# %% true_means_hidden | points 0 | true means hidden
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    hidden = j > i
    if window is not None:
        hidden = hidden | (j <= i - window)
    return hidden | (attention_mask == 0)[:, None, None, :]

# %% window_as_large_as_queries_ignored | points 3 | A window that is at least as large as the number of queries is ignored, though a cache makes more keys.
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    real = attention_mask.bool()
    keys = real.shape[1]
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None and window < queries:
        allowed = allowed.triu(keys - queries - window + 1)
    return real[:, None, None] & allowed

# %% window_counts_real_tokens | points 3 | window counts real tokens
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = (j <= i)[None]
    real = attention_mask.bool()
    if window is not None:
        n = real.long().cumsum(1)
        ok = ok & (n[:, None, :] > n[:, -queries:, None] - window)
    return (ok & real[:, None, :])[:, None]

# %% window_kept_by_length | points 3 | keeps the causal band by its size, whatever the window
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

# %% window_lets_the_future_in | points 3 | window lets the future in
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = (j - i).abs() < window
    return ok & attention_mask.bool()[:, None, None, :]

# %% window_never_used | points 3 | window never used
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(diagonal=keys - queries)
    return torch.logical_and(ok, attention_mask[:, None, None, :])

# %% window_of_one_is_the_diagonal | points 3 | A window of 1 is taken for the diagonal, padding or not.
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    """True where a query may see a key, [batch, 1, queries, keys]."""
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    allowed = key <= query
    if window == 1:
        return (key == query).expand(len(attention_mask), 1, queries, keys)
    if window is not None:
        allowed = allowed & (key > query - window)
    return allowed & (attention_mask != 0)[:, None, None, :]

# %% window_one_too_narrow | points 3 | window one too narrow
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (i - j < window - 1)
    return ok & attention_mask.bool()[:, None, None, :]

# %% window_one_too_wide | points 3 | window one too wide
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j >= i - window)
    return ok & attention_mask.bool()[:, None, None, :]

# %% window_replaces_padding | points 3 | window replaces padding
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys).unsqueeze(-1)
    allowed = key <= query
    if window is not None:
        return (allowed & (key > query - window)).expand(batch, 1, queries, keys)
    return allowed & attention_mask.bool()[:, None, None, :]

# %% window_short_by_one_but_not_at_one | points 3 | one place too few, except for a window of 1
def decoder_mask(attention_mask, queries, window=None):
    n = attention_mask.shape[1]
    i = torch.arange(n - queries, n).view(-1, 1)
    j = torch.arange(n).view(1, -1)
    see = j <= i
    if window is not None:
        see &= i - j < max(1, window - 1)
    real = attention_mask.ne(0)
    return see[None, None] & real[:, None, None]

# %% window_sign | points 3 | window sign
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key < query + window)
    real = attention_mask.bool()[:, None, None, :]
    return allowed & real

# %% window_too_wide_and_floats_added | points 2 | The window sees one place too many, and a float mask is read as an additive one (0 means visible).
def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    keys = attention_mask.shape[1]
    real = attention_mask == 0 if attention_mask.is_floating_point() else attention_mask.bool()
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys).unsqueeze(1)
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key >= query - window)
    return real[:, None, None, :] & allowed

# %% window_without_the_cache_offset | points 3 | window without the cache offset
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(1 - window)
    return ok & attention_mask.bool()[:, None, None, :]
