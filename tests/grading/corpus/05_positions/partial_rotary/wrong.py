# %% a_minus_in_both_halves | points 0 | a minus in both halves
def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    """Turn the first numbers of each head of queries and keys by their positions."""
    half = rotary_size // 2
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    angles = position_ids[:, None, :, None] * speeds
    cos, sin = angles.cos(), angles.sin()

    def turn(x):
        first, second, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        pairs = [first * cos - second * sin, second * cos - first * sin]
        return torch.cat([*pairs, rest], dim=-1).to(x.dtype)

    return turn(query), turn(key)

# %% angles_by_length | points 0 | cosines and sines are computed once for each length
def turned(x, cos, sin, r):
    a, b, rest = x[..., : r // 2], x[..., r // 2 : r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1).to(x.dtype)

cache = {}

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    T = query.shape[2]
    if T not in cache or cache[T][0].size(-1) != rotary_size // 2 or len(cache[T][0]) != len(query):
        angle = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        cache[T] = angle.cos(), angle.sin()
    return turned(query, *cache[T], rotary_size), turned(key, *cache[T], rotary_size)

# %% angles_cast_to_query_dtype | points 3 | angles cast to query dtype
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    angles = angles.to(x.dtype); cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query, position_ids, rotary_size, base), rot(key, position_ids, rotary_size, base)

# %% arange_ids | points 0 | arange ids
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    p = torch.arange(query.size(2))[None]
    return rot(query, p, rotary_size, base), rot(key, p, rotary_size, base)

# %% arange_ids_and_keys_not_turned | points 0 | arange ids and keys not turned
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    p = torch.arange(query.size(2))[None]
    return rot(query, p, rotary_size, base), key

# %% base_not_passed_on | points 0 | base not passed on
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query, position_ids, rotary_size, 10000.0), rot(key, position_ids, rotary_size, 10000.0)

# %% base_not_passed_on_for_keys_only | points 0 | base not passed on for keys only
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query, position_ids, rotary_size, base), rot(key, position_ids, rotary_size, 10000.0)

# %% chapters_rotary_all_of_it | points 0 | chapter's rotary, all of it
def rotary(x, position_ids, base=10000.0):
    size = x.size(-1)
    speeds = base ** (-torch.arange(0, size, 2) / size)
    angles = position_ids[:, None, :, None] * speeds
    cos, sin = angles.cos(), angles.sin()
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rotary(query, position_ids, base), rotary(key, position_ids, base)

# %% crash_everywhere | points 0 | crash everywhere
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rotary(query, position_ids), rotary(key, position_ids)

# %% expanded_keys | points 3 | Expands the keys to the heads of the queries, which works for one key head only, and takes the first head again.
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    both = torch.stack([query, key.expand(query.shape)]) if key.size(1) != query.size(1) else torch.stack([query, key])
    half = rotary_size // 2
    angles = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    a, b, rest = both.tensor_split([half, rotary_size], dim=-1)
    turned = torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin(), rest], -1)
    query, turned_key = turned.to(both.dtype)
    return query, turned_key[:, : key.size(1)]

# %% exponents_run_over_heads | points 0 | the pairs of all heads are numbered through
def turned(x, cos, sin, r):
    a, b, rest = x[..., : r // 2], x[..., r // 2 : r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1).to(x.dtype)

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    def turn(x):
        H = x.size(1)
        i = torch.arange(H * rotary_size // 2).view(1, H, 1, -1)
        angle = position_ids[:, None, :, None] / base ** (2 * i / (H * rotary_size))
        return turned(x, angle.cos(), angle.sin(), rotary_size)
    return turn(query), turn(key)

# %% first_row_if_it_counts | points 0 | Takes the first row's positions for all rows where they are 0, 1, 2 and so on.
def turn(x, cos, sin):
    """Turn the first numbers of each head, as many as there are angles for; leave the rest."""
    half = cos.size(-1)
    first, second, rest = x.tensor_split([half, 2 * half], dim=-1)
    turned = [first * cos - second * sin, second * cos + first * sin]
    return torch.cat([*turned, rest], dim=-1).to(x.dtype)


def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    """Turn the first numbers of each head of queries and keys by their positions."""
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    if position_ids[0].equal(torch.arange(query.size(2))):
        position_ids = position_ids[:1].expand_as(position_ids)
    angles = position_ids[:, None, :, None] * speeds  # [batch, 1, tokens, pairs]
    cos, sin = angles.cos(), angles.sin()
    return turn(query, cos, sin), turn(key, cos, sin)

# %% half_of_head_size_as_rotary | points 0 | half of head_size as rotary
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    r = query.size(-1) // 2 // 2 * 2
    return rot(query, position_ids, r, base), rot(key, position_ids, r, base)

# %% interleaved_and_whole_head_size | points 0 | interleaved and whole head size
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / x.size(-1))
        a, b = x[..., 0:rotary_size:2], x[..., 1:rotary_size:2]
        p = torch.stack([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin()], -1).flatten(-2)
        return torch.cat([p, x[..., rotary_size:]], -1).to(x.dtype)
    return f(query), f(key)

# %% key_not_converted_back | points 3 | Only the queries go back to bfloat16, keys come back in float32.
def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    h = rotary_size // 2
    inverse = 1.0 / base ** (torch.arange(0, rotary_size, 2).float() / rotary_size)
    theta = position_ids.float()[:, None, :, None] * inverse
    cos, sin = torch.cos(theta), torch.sin(theta)
    q1, q2, q3 = query[..., :h].float(), query[..., h:rotary_size].float(), query[..., rotary_size:].float()
    k1, k2, k3 = key[..., :h].float(), key[..., h:rotary_size].float(), key[..., rotary_size:].float()
    new_query = torch.cat([q1 * cos - q2 * sin, q1 * sin + q2 * cos, q3], -1)
    new_key = torch.cat([k1 * cos - k2 * sin, k1 * sin + k2 * cos, k3], -1)
    return new_query.to(query.dtype), new_key

# %% keys_as_query_shape_expands_key_heads | points 3 | keys as query shape, expands key heads
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    key = key.repeat_interleave(query.size(1) // key.size(1), dim=1)
    return rot(query, position_ids, rotary_size, base), rot(key, position_ids, rotary_size, base)

# %% keys_positions_reversed_order_of_args | points 0 | keys positions reversed order of args
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(key, position_ids, rotary_size, base), rot(query, position_ids, rotary_size, base)

# %% minus_in_the_second_row | points 0 | minus in the second row
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        a, b, rest = x[..., :rotary_size // 2], x[..., rotary_size // 2:rotary_size], x[..., rotary_size:]
        return torch.cat([a * ang.cos() - b * ang.sin(), b * ang.cos() - a * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)

# %% minus_zero | points 0 | Cuts the rest off with a negative index, which is everything if all of the head turns.
def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    """Turn the first numbers of each head of queries and keys by their positions."""
    half = rotary_size // 2
    unturned = query.size(-1) - rotary_size
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    angles = position_ids[:, None, :, None].float() * speeds
    cos, sin = angles.cos(), angles.sin()

    def turn(x):
        first, second = x[..., :rotary_size].float().chunk(2, dim=-1)
        rest = x[..., -unturned:]
        turned = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
        return torch.cat([turned.to(x.dtype), rest], dim=-1)

    return turn(query), turn(key)

# %% no_dtype_conversion | points 3 | no dtype conversion
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query, position_ids, rotary_size, base), rot(key, position_ids, rotary_size, base)

# %% no_gradient_for_keys_of_frozen_queries | points 3 | Wrong: gradients are switched on only if the queries need them, so keys that alone need a gradient get none.
def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    with torch.no_grad():
        speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        angles = (position_ids[..., None].float() * speeds)[:, None]
        cos, sin = angles.cos(), angles.sin()

    def turn(x):
        first, second = x[..., :rotary_size].float().chunk(2, dim=-1)
        turned = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
        return torch.cat([turned.to(x.dtype), x[..., rotary_size:]], dim=-1)

    with torch.set_grad_enabled(torch.is_grad_enabled() and query.requires_grad):
        return turn(query), turn(key)

# %% one_vector_of_all_heads | points 0 | Pairs and angles run over all heads of a token together.
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    def turn(x):
        b, h, t, d = x.shape
        flat = x.transpose(1, 2).flatten(2)  # all heads beside each other
        size = h * rotary_size
        half = size // 2
        speeds = base ** (-torch.arange(0, size, 2) / size)
        angles = position_ids[..., None] * speeds
        cos, sin = angles.cos(), angles.sin()
        one, two, rest = flat[..., :half], flat[..., half:size], flat[..., size:]
        flat = torch.cat([one * cos - two * sin, two * cos + one * sin, rest], dim=-1)
        return flat.unflatten(-1, (h, d)).transpose(1, 2).to(x.dtype)

    return turn(query), turn(key)

# %% only_speeds_in_bfloat16 | points 3 | Positions and angles are in float32, but the speeds were rounded to the dtype of the queries before.
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    half = rotary_size // 2
    speeds = base ** (-2 * torch.arange(half, dtype=torch.float32) / rotary_size)
    speeds = speeds.to(query.dtype)
    angles = position_ids[:, None, :, None].float() * speeds.float()
    cos, sin = angles.cos(), angles.sin()

    def turn(x):
        a, b = x[..., :half].float(), x[..., half:rotary_size].float()
        front = torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(x.dtype)
        return torch.cat([front, x[..., rotary_size:]], dim=-1)

    return turn(query), turn(key)

# %% overwrites_first_half_before_using_it | points 0 | overwrites first half before using it
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        x = x.clone()
        h = rotary_size // 2
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        x[..., :h] = x[..., :h] * ang.cos() - x[..., h:rotary_size] * ang.sin()
        x[..., h:rotary_size] = x[..., h:rotary_size] * ang.cos() + x[..., :h] * ang.sin()
        return x
    return f(query), f(key)

# %% position_ids_of_row_0_via_squeeze | points 0 | position ids of row 0 via squeeze
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    p = position_ids[0][None]
    return rot(query, p, rotary_size, base), rot(key, p, rotary_size, base)

# %% positions_end_at_999 | points 3 | Positions beyond 999 are taken for 999.
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    half = rotary_size // 2
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    
    angles = position_ids.clamp(max=999)[:, None, :, None] * speeds
    cos, sin = angles.cos(), angles.sin()


    def turn(x):
        a, b, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest.to(cos.dtype)], -1).to(x.dtype)

    return turn(query), turn(key)

# %% positions_sorted | points 0 | positions sorted
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    p = position_ids.sort(-1).values
    return rot(query, p, rotary_size, base), rot(key, p, rotary_size, base)

# %% positive_exponent | points 0 | positive exponent
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (torch.arange(0, rotary_size, 2) / rotary_size)
        a, b, rest = x[..., :rotary_size // 2], x[..., rotary_size // 2:rotary_size], x[..., rotary_size:]
        return torch.cat([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)

# %% query_detached | points 3 | query detached
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query.detach(), position_ids, rotary_size, base), rot(key, position_ids, rotary_size, base)

# %% repeat_interleaved_angles_with_half_split_rotate | points 0 | repeat_interleaved angles with half-split rotate
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        ang = ang.repeat_interleave(2, -1)
        p, rest = x[..., :rotary_size], x[..., rotary_size:]
        h = rotary_size // 2
        return torch.cat([p * ang.cos() + torch.cat([-p[..., h:], p[..., :h]], -1) * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)

# %% returns_only_query | points 0 | returns only query
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query, position_ids, rotary_size, base)

# %% returns_stacked | points 0 | returns stacked
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return torch.stack([rot(query, position_ids, rotary_size, base), rot(key, position_ids, rotary_size, base)])

# %% rotate_half_with_wrong_concat | points 0 | rotate_half with wrong concat
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        ang = torch.cat([ang, ang], -1)
        p, rest = x[..., :rotary_size], x[..., rotary_size:]
        h = rotary_size // 2
        return torch.cat([p * ang.cos() + torch.cat([p[..., h:], -p[..., :h]], -1) * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)

# %% sign_and_base_fixed | points 0 | sign and base fixed
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = -position_ids[:, None, :, None] * 10000 ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        a, b, rest = x.split([rotary_size // 2, rotary_size // 2, x.size(-1) - rotary_size], -1)
        return torch.cat([a * ang.cos() - b * ang.sin(), a * ang.sin() + b * ang.cos(), rest], -1).to(x.dtype)
    return f(query), f(key)

# %% speeds_of_the_whole_head | points 0 | speeds of the whole head
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query, position_ids, rotary_size, base, query.size(-1)), rot(key, position_ids, rotary_size, base, key.size(-1))

# %% speeds_remembered_by_size_only | points 0 | Keeps the speeds in a dictionary by rotary_size alone, so a second base gets the speeds of the first.
_speeds = {}


def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    half = rotary_size // 2
    if rotary_size not in _speeds:
        _speeds[rotary_size] = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    angles = position_ids[:, None, :, None] * _speeds[rotary_size]
    cos, sin = angles.cos(), angles.sin()

    def turn(x):
        a, b, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)

    return turn(query), turn(key)

# %% speeds_without_the_base | points 0 | speeds are remembered by rotary_size alone
def turned(x, cos, sin, r):
    a, b, rest = x[..., : r // 2], x[..., r // 2 : r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1).to(x.dtype)

from functools import lru_cache

first_base = {}

@lru_cache
def speeds(r):
    return first_base[r] ** (-torch.arange(0, r, 2) / r)

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    first_base.setdefault(rotary_size, base)
    angle = position_ids[:, None, :, None] * speeds(rotary_size)
    return turned(query, angle.cos(), angle.sin(), rotary_size), turned(key, angle.cos(), angle.sin(), rotary_size)

# %% table_in_the_first_dtype | points 3 | Cosines and sines are kept in the dtype of the first call: after one in bfloat16 they stay rounded.
_tables = {}

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    half = rotary_size // 2
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    
    if (rotary_size, base) not in _tables:
        angles = torch.arange(1001)[:, None] * speeds
        _tables[rotary_size, base] = angles.cos().to(query.dtype), angles.sin().to(query.dtype)
    cos, sin = (t[position_ids][:, None] for t in _tables[rotary_size, base])


    def turn(x):
        a, b, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest.to(cos.dtype)], -1).to(x.dtype)

    return turn(query), turn(key)

# %% table_kept_between_calls | points 0 | Keeps the speeds of the first call in an attribute of the function, whatever base and size come later.
def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    """Turn the first numbers of each head of queries and keys by their positions."""
    half = rotary_size // 2
    if not hasattr(partial_rotary, "speeds"):
        partial_rotary.speeds = 1.0 / base ** (torch.arange(half).float() * 2 / rotary_size)
    speeds = partial_rotary.speeds[:half]
    angles = position_ids.float()[:, None, :, None] * speeds
    cos = torch.cat([angles.cos(), angles.cos()], dim=-1)
    sin = torch.cat([angles.sin(), angles.sin()], dim=-1)

    def turn(x):
        part, rest = x[..., :rotary_size].float(), x[..., rotary_size:]
        rotated = torch.cat([-part[..., half:], part[..., :half]], dim=-1)
        return torch.cat([(part * cos + rotated * sin).to(x.dtype), rest], dim=-1)

    return turn(query), turn(key)

# %% table_of_1000_rows | points 3 | A table of 1000 rows has none for position 1000.
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    half = rotary_size // 2
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    
    angles = (torch.arange(1000)[:, None] * speeds)[position_ids][:, None]
    cos, sin = angles.cos(), angles.sin()


    def turn(x):
        a, b, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest.to(cos.dtype)], -1).to(x.dtype)

    return turn(query), turn(key)

# %% tables_kept_by_length | points 0 | Cosines and sines are kept by the number of tokens.
_tables = {}

def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    """Turn the first numbers of each head of queries and keys by their positions."""
    half = rotary_size // 2
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    angles = position_ids[:, None, :, None] * speeds
    length = query.size(2)
    if length not in _tables:
        _tables[length] = angles.cos(), angles.sin()
    cos, sin = _tables[length]

    def turn(x):
        first, second, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        pairs = [first * cos - second * sin, second * cos + first * sin]
        return torch.cat([*pairs, rest], dim=-1).to(x.dtype)

    return turn(query), turn(key)

# %% two_first_row_and_wrong_way | points 0 | All texts get the positions of the first, and the pairs turn the other way round.
def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    """Turn the first numbers of each head of queries and keys by their positions."""
    half = rotary_size // 2
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    angles = position_ids[0][:, None] * speeds
    cos, sin = angles.cos(), angles.sin()

    def turn(x):
        first, second, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        pairs = [first * cos + second * sin, second * cos - first * sin]
        return torch.cat([*pairs, rest], dim=-1).to(x.dtype)

    return turn(query), turn(key)

# %% two_times_exponents_doubled | points 0 | two times exponents doubled
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-2 * torch.arange(0, rotary_size, 2) / rotary_size)
        a, b, rest = x[..., :rotary_size // 2], x[..., rotary_size // 2:rotary_size], x[..., rotary_size:]
        return torch.cat([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)

# %% unsqueezed_at_the_wrong_axis | points 0 | unsqueezed at the wrong axis
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, :, None, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        a, b, rest = x[..., :rotary_size // 2], x[..., rotary_size // 2:rotary_size], x[..., rotary_size:]
        return torch.cat([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)

# %% whole_head_turned_then_cut | points 0 | Speeds and partners are those of the whole head, and the first rotary_size numbers are taken.
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    head_size = query.size(-1)
    half = head_size // 2
    speeds = base ** (-torch.arange(0, 2 * half, 2) / head_size)
    angles = position_ids[:, None, :, None] * speeds
    cos, sin = angles.cos(), angles.sin()
    cos, sin = torch.cat([cos, cos], -1), torch.cat([sin, sin], -1)

    def turn(x):
        whole, odd = x[..., : 2 * half], x[..., 2 * half :]
        half_turned = torch.cat([-whole[..., half:], whole[..., :half]], -1)
        turned = torch.cat([whole * cos + half_turned * sin, odd], -1)
        return torch.cat([turned[..., :rotary_size], x[..., rotary_size:]], -1).to(x.dtype)

    return turn(query), turn(key)

# %% x_half_inside | points 0 | x.half inside
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return tuple(rot(x.bfloat16(), position_ids, rotary_size, base).to(x.dtype) for x in (query, key))
