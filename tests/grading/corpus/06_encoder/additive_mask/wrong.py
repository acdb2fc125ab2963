# %% a_mask_per_head_made_up | points 0 | a mask per head made up
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    keep = torch.arange(tokens) < lengths[:, None]
    return torch.zeros(len(lengths), 1, 1, tokens).masked_fill(~keep[:, None, None], torch.finfo(dtype).min).expand(-1, 2, -1, -1)

# %% allowed_filled_in_float32 | points 3 | What isn't allowed gets the lowest number of float32, in float64, too.
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):

    place = torch.arange(tokens)
    real = place >= tokens - lengths[:, None] if left else place < lengths[:, None]
    low = torch.finfo(dtype).min
    mask = torch.zeros(len(lengths), 1, 1, tokens, dtype=dtype).masked_fill(~real[:, None, None], low)
    if allowed is not None:
        mask = mask + torch.zeros(allowed.shape).masked_fill(~allowed, torch.finfo(torch.float32).min).to(dtype)
        mask = mask.clamp(min=low)
    return mask

# %% allowed_remembered | points 3 | the first `allowed` of a size is kept
masks = {}

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens).expand(len(lengths), -1)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    seen = real[:, None, None]
    if allowed is not None:
        seen = seen & masks.setdefault(allowed.shape, allowed)
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)

# %% clamped_at_float32 | points 3 | Two lowest numbers are added and clamped at the lowest one of float32.
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    low = torch.finfo(dtype).min
    mask = torch.zeros(real.shape, dtype=dtype).masked_fill(~real, low)[:, None, None]
    if allowed is not None:
        mask = mask + torch.zeros(allowed.shape, dtype=dtype).masked_fill(~allowed, low)
        mask = mask.float().clamp(min=torch.finfo(torch.float32).min).to(dtype)
    return mask

# %% empty_text_keeps_one_token | points 0 | Lets every text have at least one token, in fear of a row with nothing to look at.
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    """What to add to scores [batch, heads, queries, tokens]: 0, or the lowest number."""
    places = torch.arange(tokens)
    lengths = lengths.clamp(min=1)
    if left:
        real = places >= (tokens - lengths)[:, None]
    else:
        real = places < lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed[None, None]
    mask = torch.zeros(seen.shape, dtype=dtype)
    mask[~seen] = torch.finfo(dtype).min
    return mask

# %% half_precision_by_half | points 3 | half precision by half()
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    p = torch.arange(tokens)
    keep = (p >= tokens - lengths[:, None]) if left else (p < lengths[:, None])
    keep = keep[:, None, None]
    if allowed is not None: keep = keep.logical_and(allowed)
    return torch.where(keep, 0.0, -3.4028234663852886e38).to(dtype)

# %% kept_without_what_is_allowed | points 3 | The joined mask is kept by everything but the values of `allowed`.
_kept = {}


def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):

    place = torch.arange(tokens)
    real = place >= tokens - lengths[:, None] if left else place < lengths[:, None]
    keep = real[:, None, None, :]
    if allowed is not None:
        key = tuple(lengths.tolist()), tokens, left, tuple(allowed.shape)
        keep = _kept.setdefault(key, keep & allowed)
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min)

# %% left_by_flipping_lengths | points 3 | left by flipping lengths
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    """What to add to scores [batch, heads, queries, tokens]: 0, or the lowest number."""
    places = torch.arange(tokens)
    real = places < lengths[:, None]
    if left:
        real = real.flip(0)
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    lowest = torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, lowest)

# %% left_by_negative_slicing_wrong_for_a_length_of_zero_or_full | points 0 | left by negative slicing, wrong for a length of zero or full
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    m = torch.full((len(lengths), 1, 1, tokens), torch.finfo(dtype).min, dtype=dtype)
    for i, n in enumerate(lengths.tolist()):
        m[i, ..., -n:] = 0
    m = m if left else m.flip(-1)
    return m if allowed is None else m.masked_fill(~allowed, torch.finfo(dtype).min)

# %% left_flips_allowed_too | points 3 | left flips allowed too
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    keep = (torch.arange(tokens) < lengths[:, None])[:, None, None]
    if allowed is not None: keep = keep & allowed
    if left: keep = keep.flip(-1)
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min)

# %% left_flips_batch | points 3 | Left padding made by flipping the axis of the batch instead of the axis of the tokens.
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    real = torch.arange(tokens)[None, :] < lengths[:, None]
    if left:
        real = real.flip(0)
    mask = real[:, None, None, :]
    if allowed is not None:
        mask = mask & allowed[None, None]
    result = torch.zeros(mask.shape, dtype=dtype)
    return result.masked_fill(~mask, torch.finfo(dtype).min)

# %% left_forgotten | points 3 | padding is always expected on the right
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    keep = (torch.arange(tokens)[None] < lengths[:, None])[:, None, None]
    keep = keep if allowed is None else keep & allowed
    return (~keep).to(dtype) * torch.finfo(dtype).min

# %% left_from_the_longest | points 3 | Left padding is measured from the longest text, not from the width of the batch.
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    real = places < lengths[:, None]
    if left:
        longest = lengths.max()
        real = (places >= longest - lengths[:, None]) & (places < longest)
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)

# %% left_without_allowed | points 3 | left counts only where allowed isn't given
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    """What to add to scores [batch, heads, queries, tokens]: 0, or the lowest number."""
    places = torch.arange(tokens)
    real = places < lengths[:, None]
    if left and allowed is None:
        real = places >= tokens - lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    lowest = torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, lowest)

# %% lengths_changed | points 3 | Computes where a left-padded text begins in the tensor of lengths itself.
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    """What to add to scores [batch, heads, queries, tokens]: 0, or the lowest number."""
    places = torch.arange(tokens)
    real = places < lengths[:, None]
    if left:
        begin = lengths.neg_().add_(tokens)
        real = places >= begin[:, None]
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    lowest = torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, lowest)

# %% mask_by_a_loop_one_token_too_far | points 0 | mask by a loop, one token too far
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    m = torch.full((len(lengths), 1, 1, tokens), torch.finfo(dtype).min, dtype=dtype)
    for i, n in enumerate(lengths):
        m[i, ..., : n + 1] = 0
    if allowed is not None:
        m = m.masked_fill(~allowed, torch.finfo(dtype).min)
    return m.flip(-1) if left else m

# %% masks_multiplied_by_minus_the_maximum_and_added | points 3 | masks multiplied by minus the maximum and added
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    low = torch.finfo(dtype).min
    mask = (1 - real.to(dtype))[:, None, None] * low
    if allowed is not None:
        mask = mask + (~allowed).to(dtype) * low
    return mask

# %% minus_infinity_by_log | points 0 | minus infinity by log
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    real = (torch.arange(tokens)[None] < lengths[:, None]).to(dtype)
    if left: real = real.flip(1)
    real = real[:, None, None]
    if allowed is not None: real = real * allowed
    return real.log()

# %% nothing_hidden_if_the_last_is_full | points 0 | Hides nothing where the last text has no padding, although others may have some.
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    """Return 0 where a query may look at a key, the dtype's lowest number elsewhere."""
    position = torch.arange(tokens)
    length = lengths[:, None]  # [batch, 1]
    real = position >= tokens - length if left else position < length  # [batch, tokens]
    if lengths[-1] == tokens:
        real = torch.ones_like(real)
    keep = real[:, None, None, :]
    if allowed is not None:
        keep = keep & allowed  # [batch, 1, queries, tokens]
    mask = torch.zeros(keep.shape, dtype=dtype)
    mask = mask.masked_fill(~keep, torch.finfo(dtype).min)
    return mask

# %% one_query_squeezed | points 3 | `allowed` with a single row is ignored.
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None and len(allowed) > 1:
        seen = seen & allowed
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)

# %% one_row_where_nothing_is_padded | points 0 | Where nothing is padded it returns one row of zeros for all texts, without the batch.
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    lowest = torch.finfo(dtype).min
    if allowed is None and bool((lengths == tokens).all()):
        return torch.zeros(1, 1, 1, tokens, dtype=dtype)
    places = torch.arange(tokens)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, lowest)

# %% one_token_too_many | points 0 | one token too many
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    """What to add to scores [batch, heads, queries, tokens]: 0, or the lowest number."""
    places = torch.arange(tokens)
    real = places <= lengths[:, None]
    if left:
        real = places >= tokens - lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    lowest = torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, lowest)

# %% places_in_the_dtype | points 3 | Counts places and lengths in the given dtype; bfloat16 has no 257 (and float16 no 2049).
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    places = torch.arange(tokens).to(dtype)
    ends = lengths.to(dtype)[:, None]
    real = places < ends
    if left:
        real = real.flip(-1)
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    return (1 - seen.to(dtype)) * torch.finfo(dtype).min

# %% queries_of_the_batch_for_keys_allowed_reshaped | points 3 | queries of the batch for keys, allowed reshaped
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    p = torch.arange(tokens)
    keep = (p >= tokens - lengths[:, None]) if left else (p < lengths[:, None])
    keep = keep[:, None, None]
    if allowed is not None: keep = keep & allowed[:tokens, :tokens].reshape(1, 1, tokens, tokens)
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min)

# %% real_tokens_by_width | points 0 | remembers which tokens are real by the width of the batch
widths = {}

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    key = tokens, len(lengths), left
    if key not in widths:
        places = torch.arange(tokens)
        widths[key] = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    seen = widths[key][:, None, None]
    if allowed is not None:
        seen = seen & allowed
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)

# %% result_dropped | points 0 | what masked_fill returns is thrown away
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    seen = real[:, None, None]
    if allowed is not None:
        seen = seen & allowed
    mask = torch.zeros(seen.shape, dtype=dtype)
    mask.masked_fill(~seen, torch.finfo(dtype).min)
    return mask

# %% square_allowed | points 3 | Takes only the first `tokens` rows of allowed, as if it were always at most square.
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    """What to add to scores [batch, heads, queries, tokens]: 0, or the lowest number."""
    places = torch.arange(tokens)
    real = places < lengths[:, None]
    if left:
        real = places >= tokens - lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed[:tokens]
    lowest = torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, lowest)

# %% square_allowed_and_fixed_lowest | points 2 | Expects as many queries as tokens in allowed, and fills with -1e4 in half precision.
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    real = torch.arange(tokens)[None, :] < lengths[:, None]
    if left:
        real = torch.flip(real, dims=[1])
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen.expand(-1, 1, tokens, tokens) & allowed.view(1, 1, tokens, tokens)
    lowest = -1e4 if dtype in (torch.float16, torch.bfloat16) else torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, lowest)

# %% texts_on_the_query_axis | points 0 | Without allowed, the texts lie on the axis of the queries: [1, 1, batch, tokens].
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    if left:
        seen = places >= tokens - lengths[:, None]
    else:
        seen = places < lengths[:, None]
    if allowed is None:
        seen = seen[None, None]
    else:
        seen = seen[:, None, None, :] & allowed
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)

# %% unsqueeze_1 | points 0 | unsqueeze(-1)
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    hide = torch.arange(tokens) >= lengths.unsqueeze(1)
    return torch.zeros(len(lengths), 1, tokens, 1, dtype=dtype).masked_fill(
        hide.unsqueeze(1).unsqueeze(-1), torch.finfo(dtype).min)

# %% where_in_float32 | points 3 | torch.where of two Python numbers gives float32, where the lowest float64 is minus infinity.
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    """What to add to scores [batch, heads, queries, tokens]: 0, or the lowest number."""
    places = torch.arange(tokens)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    lowest = torch.tensor(torch.finfo(dtype).min, dtype=torch.float32)
    return torch.where(seen, torch.tensor(0.0), lowest).to(dtype)

# %% where_without_the_dtype | points 3 | The lowest number is that of the dtype, but the result is float32 always.
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    if left:
        seen = places >= tokens - lengths[:, None]
    else:
        seen = places < lengths[:, None]
    seen = seen[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    return torch.where(seen, 0.0, torch.finfo(dtype).min)
