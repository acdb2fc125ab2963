# %% 0_inf_nan_mask | points 0 | 0 * inf NaN mask
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    mask = (apart < 0).float() * -math.inf
    return bias + mask if causal else bias

# %% 1e9 | points 0 | -1e9
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -1e9) if causal else bias

# %% assert_on_powers_of_two | points 0 | assert on powers of two
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    assert num_attention_heads in (1, 2, 4, 8, 16, 32)
    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% base_8_exponent | points 0 | base 8 exponent
def alibi_mask(num_attention_heads: int, queries: int, keys: int, causal: bool = True) -> Tensor:
    """ALiBi as an additive mask for the last queries: [heads, queries, keys]."""
    power = 2 ** int(math.log2(num_attention_heads))
    slopes = 2.0 ** (-torch.arange(1, power + 1).float())
    between = 2.0 ** (-8 * torch.arange(1, 2 * power, 2) / (2 * power))
    slopes = torch.cat([slopes, between])[:num_attention_heads]
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    mask = -slopes[:, None, None] * apart.abs()
    return mask.masked_fill(apart < 0, -math.inf) if causal else mask

# %% bonus_of_keys | points 0 | As in BLOOM's code: slope times the position of the key, which a softmax can't tell from ALiBi; the numbers are others.
def alibi_mask(num_attention_heads: int, queries: int, keys: int, causal: bool = True) -> Tensor:
    """ALiBi as an additive mask for the last queries: [heads, queries, keys]."""
    power = 2 ** int(math.log2(num_attention_heads))
    slopes = 2.0 ** (-8 * torch.arange(1, power + 1) / power)
    extra = 2.0 ** (-4 * torch.arange(1, 2 * power, 2) / power)
    slopes = torch.cat([slopes, extra])[:num_attention_heads][:, None, None]
    where = torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    if not causal:
        return -slopes * (query - where).abs()
    mask = (slopes * (where - (keys - 1))).expand(-1, queries, -1)
    return mask.masked_fill(where > query, -math.inf)

# %% causal_false_raises | points 3 | causal False raises
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% causal_hides_own_and_sign | points 0 | causal hides own and sign
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = sl(num_attention_heads)[:, None, None] * apart.abs()
    return bias.masked_fill(apart <= 0, -math.inf) if causal else bias

# %% chapter_code_with_square_positions | points 0 | chapter code with square positions
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    p = torch.arange(keys)
    apart = p[:queries, None] - p[None]
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% crash_everywhere | points 0 | crash everywhere
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    return alibi_bias(num_attention_heads, torch.arange(keys))

# %% distance_in_bfloat16 | points 0 | The distances are kept in bfloat16, which rounds them above 256.
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    power = 1 << (num_attention_heads.bit_length() - 1)
    slopes = [2 ** (-8 * h / power) for h in range(1, power + 1)]
    more = [2 ** (-4 * h / power) for h in range(1, 2 * power + 1, 2)]
    slopes = slopes + more[: num_attention_heads - power]
    query_places = torch.arange(keys - queries, keys)[:, None]
    key_places = torch.arange(keys)[None, :]
    distance = (query_places - key_places).abs().bfloat16()
    mask = -torch.tensor(slopes)[:, None, None] * distance
    if causal:
        mask = mask.masked_fill(key_places > query_places, -math.inf)
    return mask

# %% eight_divided_to_whole_numbers | points 0 | The step of the exponents is 8 // heads, which is 0 for more than eight heads.
def _slopes(heads):
    power = 2 ** int(math.log2(heads))
    slopes = [2.0 ** (-(8 // power) * h) for h in range(1, power + 1)]
    slopes += [2.0 ** (-8 * h / (2 * power)) for h in range(1, 2 * power + 1, 2)][: heads - power]
    return torch.tensor(slopes)


def alibi_mask(num_attention_heads, queries, keys, causal=True):
    places = torch.arange(keys - queries, keys)[:, None]
    distance = torch.arange(keys)[None, :] - places
    mask = -_slopes(num_attention_heads)[:, None, None] * distance.abs()
    if causal:
        mask = mask.masked_fill(distance > 0, float("-inf"))
    return mask

# %% encoder_counts_from_zero | points 3 | Without causal the queries are taken for the first of the keys.
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    power = 2 ** int(math.log2(num_attention_heads))
    slopes = [2.0 ** (-8 * h / power) for h in range(1, power + 1)]
    slopes += [2.0 ** (-4 * h / power) for h in range(1, 2 * power + 1, 2)][: num_attention_heads - power]
    slopes = torch.tensor(slopes).view(-1, 1, 1)
    if not causal:
        apart = (torch.arange(queries)[:, None] - torch.arange(keys)).abs()
        return -slopes * apart
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    return (-slopes * apart).masked_fill(apart < 0, -math.inf)

# %% finfo_min | points 0 | finfo min
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, torch.finfo(torch.float32).min) if causal else bias

# %% first_rows_of_the_square | points 0 | first rows of the square
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    bias = bias.masked_fill(apart < 0, -math.inf) if causal else bias
    return bias[:, :queries]

# %% float64 | points 0 | float64
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads).double()[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% formula_slopes_only | points 3 | formula slopes only
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% heads_last | points 0 | heads last
def alibi_mask(num_attention_heads: int, queries: int, keys: int, causal: bool = True) -> Tensor:
    """ALiBi as an additive mask for the last queries: [heads, queries, keys]."""
    power = 2 ** int(math.log2(num_attention_heads))
    slopes = 2.0 ** (-8 * torch.arange(1, power + 1) / power)
    between = 2.0 ** (-8 * torch.arange(1, 2 * power, 2) / (2 * power))
    slopes = torch.cat([slopes, between])[:num_attention_heads]
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    mask = -slopes[:, None, None] * apart.abs()
    mask = mask.masked_fill(apart < 0, -math.inf) if causal else mask
    return mask.permute(1, 2, 0)

# %% int_exponents_floor_division | points 0 | int exponents floor division
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2.0 ** (-(8 // num_attention_heads) * torch.arange(1, num_attention_heads + 1))
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% kept_whatever_causal_is | points 3 | The mask is kept by heads, queries and keys, and not by causal.
_kept = {}

def alibi_mask(num_attention_heads, queries, keys, causal=True):
    what = num_attention_heads, queries, keys
    if what not in _kept:
        power = 2 ** int(math.log2(num_attention_heads))
        slopes = 2.0 ** (-8 * torch.arange(1, power + 1) / power)
        between = 2.0 ** (-8 * torch.arange(1, 2 * power, 2) / (2 * power))
        slopes = torch.cat([slopes, between])[:num_attention_heads]
        apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
        mask = -slopes[:, None, None] * apart.abs()
        _kept[what] = mask.masked_fill(apart < 0, -math.inf) if causal else mask
    return _kept[what]

# %% nearest_power_of_two | points 3 | The power of two is the nearest one, which may be larger than the number of heads.
def _slopes(heads):
    power = 2 ** round(math.log2(heads))
    slopes = [2 ** (-8 * h / power) for h in range(1, power + 1)]
    slopes += [2 ** (-8 * h / (2 * power)) for h in range(1, 2 * power + 1, 2)]
    return torch.tensor(slopes[:heads])


def alibi_mask(num_attention_heads, queries, keys, causal=True):
    places = torch.arange(keys - queries, keys)[:, None]
    distance = torch.arange(keys)[None, :] - places
    mask = -_slopes(num_attention_heads)[:, None, None] * distance.abs()
    if causal:
        mask = mask.masked_fill(distance > 0, float("-inf"))
    return mask

# %% neighbour_is_free | points 0 | The distance counts the tokens in between, so the nearest neighbour costs nothing.
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    power = 1 << (num_attention_heads.bit_length() - 1)
    slopes = [2 ** (-8 * h / power) for h in range(1, power + 1)]
    more = [2 ** (-4 * h / power) for h in range(1, 2 * power + 1, 2)]
    slopes = slopes + more[: num_attention_heads - power]
    query_places = torch.arange(keys - queries, keys)[:, None]
    key_places = torch.arange(keys)[None, :]
    distance = ((query_places - key_places).abs() - 1).clamp(min=0)
    mask = -torch.tensor(slopes)[:, None, None] * distance
    if causal:
        mask = mask.masked_fill(key_places > query_places, -math.inf)
    return mask

# %% no_distance | points 0 | no distance
def alibi_mask(num_attention_heads: int, queries: int, keys: int, causal: bool = True) -> Tensor:
    """ALiBi as an additive mask for the last queries: [heads, queries, keys]."""
    power = 2 ** int(math.log2(num_attention_heads))
    slopes = 2.0 ** (-8 * torch.arange(1, power + 1) / power)
    between = 2.0 ** (-8 * torch.arange(1, 2 * power, 2) / (2 * power))
    slopes = torch.cat([slopes, between])[:num_attention_heads]
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    mask = -slopes[:, None, None] * (apart.abs() > 0)
    return mask.masked_fill(apart < 0, -math.inf) if causal else mask

# %% offset_missing_and_slopes_by_formula | points 0 | offset missing and slopes by formula
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    apart = torch.arange(queries)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% offset_wrong_by_one | points 0 | offset wrong by one
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries - 1, keys - 1)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% powers_of_two_up_to_32 | points 0 | The list of powers of two ends at 32, so 64 heads get the slopes of 32 and then the odd ones of 64.
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    if num_attention_heads in (1, 2, 4, 8, 16, 32):
        slopes = [2 ** (-8 * h / num_attention_heads) for h in range(1, num_attention_heads + 1)]
    else:
        power = 1
        while 2 * power < num_attention_heads:
            power *= 2
        slopes = [2 ** (-8 * h / power) for h in range(1, power + 1)]
        extra = [2 ** (-4 * h / power) for h in range(1, 2 * power + 1, 2)]
        slopes += extra[: num_attention_heads - power]
    query_places = torch.arange(keys - queries, keys)[:, None]
    key_places = torch.arange(keys)[None, :]
    mask = -torch.tensor(slopes)[:, None, None] * (query_places - key_places).abs()
    if causal:
        mask = mask.masked_fill(key_places > query_places, float("-inf"))
    return mask

# %% remembers_by_length | points 0 | one mask for each number of keys
def slopes(n):
    if n & (n - 1) == 0:
        return [2 ** (-8 * (i + 1) / n) for i in range(n)]
    p = 1 << (n.bit_length() - 1)
    return slopes(p) + slopes(2 * p)[::2][: n - p]

masks = {}

def alibi_mask(num_attention_heads, queries, keys, causal=True):
    if (keys, causal) not in masks:
        d = torch.arange(keys)[:, None] - torch.arange(keys)[None, :]
        bias = -torch.tensor(slopes(num_attention_heads)).view(-1, 1, 1) * d.abs()
        masks[keys, causal] = bias.masked_fill(d < 0, float("-inf")) if causal else bias
    return masks[keys, causal][:num_attention_heads, -queries:]

# %% remembers_without_causal | points 3 | remembers masks, but not whether they were causal
def slopes(n):
    if n & (n - 1) == 0:
        return [2 ** (-8 * (i + 1) / n) for i in range(n)]
    p = 1 << (n.bit_length() - 1)
    return slopes(p) + slopes(2 * p)[::2][: n - p]

masks = {}

def alibi_mask(num_attention_heads, queries, keys, causal=True):
    key = num_attention_heads, queries, keys
    if key not in masks:
        d = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)[None, :]
        bias = -torch.tensor(slopes(num_attention_heads)).view(-1, 1, 1) * d.abs()
        masks[key] = bias.masked_fill(d < 0, float("-inf")) if causal else bias
    return masks[key]

# %% sign_wrong_and_not_hidden | points 0 | sign wrong and not hidden
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    return sl(num_attention_heads)[:, None, None] * apart.abs()

# %% slope_base_8_heads_fixed | points 0 | slope base 8 heads fixed
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2.0 ** -torch.arange(1, num_attention_heads + 1)
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% slopes_from_the_last_of_doubled | points 3 | slopes from the last of doubled
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    n = num_attention_heads
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)][0::2]
    s = s + (d[-(n - P):] if n > P else [])
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -torch.tensor(s)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% slopes_from_zero_and_formula | points 0 | slopes from zero and formula
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(num_attention_heads) / num_attention_heads)
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% slopes_interleaved_merge | points 3 | slopes interleaved merge
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    P = 2 ** int(math.log2(num_attention_heads))
    s = sorted([2 ** (-8 * h / P) for h in range(1, P + 1)] + [2 ** (-4 * h / P) for h in range(1, 2 * P, 2)][: num_attention_heads - P])[::-1]
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -torch.tensor(s)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% square_mask | points 0 | square mask
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias

# %% table_of_1024_distances | points 0 | The distances come from a table of 1024.
def _slopes(n):
    p = 2 ** int(math.log2(n))
    first = [2 ** (-8 * (h + 1) / p) for h in range(p)]
    more = [2 ** (-8 * (h + 1) / (2 * p)) for h in range(0, 2 * p, 2)]
    return torch.tensor((first + more)[:n])[:, None, None]


_line = torch.arange(1024).float()


def alibi_mask(num_attention_heads, queries, keys, causal=True):
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    mask = -_slopes(num_attention_heads) * _line[apart.abs()]
    return mask.masked_fill(apart < 0, -math.inf) if causal else mask

# %% triu_default_diagonal | points 0 | triu default diagonal
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    hide = torch.ones(queries, keys).triu(1).bool()
    return bias.masked_fill(hide, -math.inf) if causal else bias
