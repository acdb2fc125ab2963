# %% 10000_kept | points 3 | 10000 kept
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = position_ids[..., None] * torch.exp(torch.arange(0, size, 2) * -(math.log(10000.0) / size))
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves

# %% arange_over_tokens_rest_right | points 0 | arange over tokens, rest right
def repaired_positions(embeddings, position_ids, base=10000.0):

    batch, tokens, size = embeddings.shape
    speeds = base ** (-torch.arange(0, size, 2) / size)
    angles = torch.arange(tokens)[:, None] * speeds
    waves = torch.zeros(tokens, size)
    waves[:, 0::2] = angles.sin()
    waves[:, 1::2] = angles[:, :size // 2].cos()
    return math.sqrt(size) * embeddings + waves

# %% arange_tokens_and_sum_scaled | points 0 | arange tokens and sum scaled
def repaired_positions(embeddings, position_ids, base=10000.0):

    batch, tokens, size = embeddings.shape
    speeds = base ** (-torch.arange(0, size, 2) / size)
    angles = torch.arange(tokens)[:, None] * speeds
    waves = torch.zeros(tokens, size)
    waves[:, 0::2] = angles.sin()
    waves[:, 1::2] = angles[:, :size // 2].cos()
    return math.sqrt(size) * (embeddings + waves)

# %% base_becomes_a_whole_number | points 3 | The base is made a tensor with the dtype of the positions, which cuts 1.5 down to 1.
def repaired_positions(embeddings, position_ids, base=10000.0):
    batch, tokens, size = embeddings.shape
    half = (size + 1) // 2
    speeds = position_ids.new_tensor(base) ** (-2 * torch.arange(half) / size)
    angles = position_ids[..., None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles[..., : size // 2].cos()
    return math.sqrt(size) * embeddings + waves

# %% base_cut_to_whole_number | points 3 | A base that isn't a whole number loses its digits behind the point.
def repaired_positions(embeddings, position_ids, base=10000.0):
    batch, tokens, size = embeddings.shape
    base = max(int(base), 2) if base >= 2 else base
    speeds = base ** (-2 * torch.arange((size + 1) // 2) / size)
    angles = position_ids[:, :, None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()[..., : size // 2]
    return math.sqrt(size) * embeddings + waves

# %% both_sines | points 0 | both sines
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ang = position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    pe = torch.stack([ang.sin(), ang.sin()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + pe

# %% concatenated_halves | points 0 | concatenated halves
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    waves = torch.cat((ang.sin(), ang.cos()), -1)[..., :size]
    return math.sqrt(size) * embeddings + waves

# %% copied_as_it_was | points 0 | copied as it was
def repaired_positions(embeddings, position_ids, base=10000.0):

    batch, tokens, size = embeddings.shape
    places = torch.arange(batch)
    speeds = 10000 ** (-torch.arange(size // 2) / size)
    angles = places[:, None, None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()
    return math.sqrt(size) * (embeddings + waves)

# %% cosines_of_the_next_speed | points 0 | cosines with the exponent 2(i+1)/d
def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.size(-1)
    waves = torch.zeros_like(embeddings)
    for k in range(d):
        i = k // 2 + k % 2
        angle = position_ids / base ** (2 * i / d)
        waves[..., k] = torch.cos(angle) if k % 2 else torch.sin(angle)
    return math.sqrt(d) * embeddings + waves.detach()

# %% crash_everywhere_name | points 0 | crash everywhere, name
def repaired_positions(embeddings, position_ids, base=10000.0):
    return embeddings * sqrt(size)

# %% crash_everywhere_shapes | points 0 | crash everywhere, shapes
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ang = position_ids * base ** (-torch.arange(0, size, 2) / size)
    return math.sqrt(size) * embeddings + torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)

# %% degrees | points 0 | degrees
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = torch.deg2rad(position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size))
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves

# %% exponent_and_base_left | points 2 | exponent and base left
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    n = (size + 1) // 2
    ang = position_ids[..., None] * 10000 ** (-torch.arange(n) / size)
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + pe

# %% first_row_if_it_counts | points 0 | Takes the first row's positions for all rows where they are 0, 1, 2 and so on.
def repaired_positions(embeddings, position_ids, base=10000.0):
    """Return scaled embeddings plus sinusoidal positions, ``[batch, tokens, d]``."""
    batch, tokens, size = embeddings.shape
    if position_ids[0].equal(torch.arange(tokens)):
        position_ids = position_ids[:1].expand_as(position_ids)
    speeds = base ** (-2 * torch.arange((size + 1) // 2) / size)
    angles = position_ids[:, :, None] * speeds  # [batch, tokens, pairs]
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles[..., : size // 2].cos()
    return math.sqrt(size) * embeddings + waves

# %% fixed_ids_and_base_only | points 1 | fixed ids and base only
def repaired_positions(embeddings, position_ids, base=10000.0):

    batch, tokens, size = embeddings.shape
    speeds = base ** (-torch.arange(size // 2) / size)
    angles = position_ids[:, :, None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()
    return math.sqrt(size) * (embeddings + waves)

# %% float64_result | points 0 | float64 result
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = position_ids[..., None].double() * base ** (-torch.arange(0, size, 2).double() / size)
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves

# %% i_counted_with_arange_size_and_2i | points 0 | i counted with arange size and 2i
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    waves = torch.zeros_like(embeddings)
    for i in range(size):
        a = position_ids / base ** (2 * i / size)
        waves[..., i] = a.sin() if i % 2 == 0 else a.cos()
    return math.sqrt(size) * embeddings + waves

# %% integer_speeds | points 0 | integer speeds
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = (position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size)).long()
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves

# %% log2_typo | points 0 | log2 typo
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = position_ids[..., None] * torch.exp(torch.arange(0, size, 2) * -(math.log2(base) / size))
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves

# %% max_position_table_of_128 | points 0 | max-position table of 128
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ang = torch.arange(128)[:, None] * base ** (-torch.arange(0, size, 2) / size)
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[:, :size]
    return math.sqrt(size) * embeddings + pe[position_ids]

# %% odd_padded_to_size_plus_1 | points 3 | odd padded to size+1
def repaired_positions(embeddings, position_ids, base=10000.0):

    b, t, size = embeddings.shape
    d = size + size % 2
    ang = position_ids[..., None] * base ** (-torch.arange(0, d, 2) / d)
    waves = torch.zeros(b, t, d)
    waves[..., 0::2] = ang.sin()
    waves[..., 1::2] = ang.cos()
    return math.sqrt(size) * embeddings + waves[..., :size]

# %% odd_size_crashes | points 3 | odd size crashes
def repaired_positions(embeddings: Tensor, position_ids: Tensor, base: float = 10000.0) -> Tensor:
    """Scaled embeddings plus sinusoidal positions: [batch, tokens, d]."""
    size = embeddings.size(-1)
    speeds = base ** (-torch.arange(0, size, 2) / size)
    angles = position_ids[..., None] * speeds
    waves = torch.zeros(embeddings.shape)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()
    return math.sqrt(size) * embeddings + waves

# %% odd_size_gets_a_zero_column | points 3 | odd size gets a zero column
def repaired_positions(embeddings, position_ids, base=10000.0):

    b, t, size = embeddings.shape
    n = size // 2
    ang = position_ids[..., None] * base ** (-2 * torch.arange(n) / size)
    waves = torch.zeros(b, t, size)
    waves[..., 0:2*n:2] = ang.sin()
    waves[..., 1:2*n:2] = ang.cos()
    return math.sqrt(size) * embeddings + waves

# %% one_bug_left_exponent | points 3 | four bugs are gone
def repaired_positions(embeddings, position_ids, base=10000.0):
    batch, tokens, size = embeddings.shape
    speeds = base ** (-1 * torch.arange((size + 1) // 2) / size)
    angles = position_ids[..., None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()[..., : size // 2]
    return math.sqrt(size) * embeddings + waves

# %% per_dimension_exponents_chapter_trap | points 0 | per-dimension exponents, chapter trap
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    i = torch.arange(size)
    ang = position_ids[..., None] / base ** (i / size)
    waves = torch.where(i % 2 == 0, ang.sin(), ang.cos())
    return math.sqrt(size) * embeddings + waves

# %% position_ids_transposed_by_batch_first_index | points 0 | position ids transposed by batch first index
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ids = position_ids.T.reshape(position_ids.shape)
    ang = ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + pe

# %% positions_counted_within_each_row_from_its_first_id | points 0 | positions counted within each row from its first id
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ids = position_ids - position_ids[:, :1]
    ang = ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves

# %% positions_in_bfloat16 | points 0 | The positions are turned into bfloat16, which cannot count beyond 256.
def repaired_positions(embeddings, position_ids, base=10000.0):
    batch, tokens, size = embeddings.shape
    pairs = (size + 1) // 2
    speeds = base ** (-2 * torch.arange(pairs) / size)
    angles = position_ids.to(torch.bfloat16)[:, :, None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()[..., : size // 2]
    return math.sqrt(size) * embeddings + waves

# %% rates_by_size_alone | points 3 | remembers the speeds by size, whatever the base
_rates = {}

def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.size(-1)
    if d not in _rates:
        _rates[d] = torch.tensor([base ** (-2 * i / d) for i in range((d + 1) // 2)])
    angle = position_ids.unsqueeze(-1) * _rates[d]
    both = torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)[..., :d]
    return math.sqrt(d) * embeddings + both

# %% scale_by_root_of_tokens | points 0 | scale by root of tokens
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(embeddings.size(1)) * embeddings + waves

# %% scale_missing_and_odd_crash | points 0 | scale missing and odd crash
def repaired_positions(embeddings, position_ids, base=10000.0):

    b, t, d = embeddings.shape
    waves = torch.zeros(b, t, d)
    ang = position_ids.unsqueeze(-1) / base ** (2 * torch.arange(d // 2) / d)
    waves[..., 0::2] = torch.sin(ang); waves[..., 1::2] = torch.cos(ang)
    return embeddings + waves

# %% speeds_kept_by_size | points 3 | The speeds are kept by size, whatever the base is.
_speeds = {}

def repaired_positions(embeddings: Tensor, position_ids: Tensor, base: float = 10000.0) -> Tensor:
    """Scaled embeddings plus sinusoidal positions: [batch, tokens, d]."""
    size = embeddings.size(-1)
    if size not in _speeds:
        _speeds[size] = base ** (-torch.arange(0, size, 2) / size)
    speeds = _speeds[size]
    angles = position_ids[..., None] * speeds
    waves = torch.zeros(embeddings.shape)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles[..., : size // 2].cos()
    return math.sqrt(size) * embeddings + waves

# %% speeds_normalised_by_n_1 | points 0 | speeds normalised by n - 1
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    n = (size + 1) // 2
    ang = position_ids[..., None] * base ** (-torch.arange(n) / max(n - 1, 1))
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + pe

# %% sqrt_on_sum_other_all_right | points 3 | sqrt on sum, other all right
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ang = position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * (embeddings + pe)

# %% table_as_long_as_the_text | points 0 | a table with a row for each token of the row
def repaired_positions(embeddings, position_ids, base=10000.0):
    T, d = embeddings.shape[1:]
    angle = torch.arange(T)[:, None] * base ** (-torch.arange(0, d, 2) / d)
    table = torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)[..., :d]
    return math.sqrt(d) * embeddings + table[position_ids]

# %% texts_of_one_token_squeezed | points 0 | squeeze() on the positions, so texts of one token each lose their axis.
def repaired_positions(embeddings, position_ids, base=10000.0):
    size = embeddings.size(-1)
    places = position_ids.squeeze()[..., None]
    angles = places * base ** (-2 * torch.arange((size + 1) // 2) / size)
    waves = torch.zeros(*places.shape[:-1], size)
    waves[..., 0::2], waves[..., 1::2] = angles.sin(), angles[..., : size // 2].cos()
    return math.sqrt(size) * embeddings + waves

# %% two_bugs_left_base_and_sum | points 2 | three bugs are gone
def repaired_positions(embeddings, position_ids, base=10000.0):
    batch, tokens, size = embeddings.shape
    speeds = 10000 ** (-2 * torch.arange((size + 1) // 2) / size)
    angles = position_ids[..., None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()[..., : size // 2]
    return math.sqrt(size) * (embeddings + waves)

# %% two_times_arange_by_two | points 0 | two times arange by two
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    speeds = base ** (-2 * torch.arange(0, size, 2) / size)
    ang = position_ids[..., None] * speeds
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves

# %% waves_by_shape | points 0 | waves of the first call with this shape
class Memory:
    waves = {}

def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.size(-1)
    key = (tuple(embeddings.shape), base)
    if key not in Memory.waves:
        rate = base ** (-torch.arange(0, d, 2) / d)
        angle = position_ids.unsqueeze(-1) * rate
        Memory.waves[key] = torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)[..., :d]
    return math.sqrt(d) * embeddings + Memory.waves[key]
