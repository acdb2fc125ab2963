# %% dimension_2_and_where | points 4 | dimension // 2 and where
def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.shape[2]
    j = torch.arange(d)
    ang = position_ids[:, :, None] / torch.pow(torch.tensor(base), 2 * (j // 2) / d)
    return embeddings * d ** 0.5 + torch.where(j % 2 == 0, torch.sin(ang), torch.cos(ang))

# %% div_term_of_pytorchs_tutorial | points 4 | div_term of PyTorch's tutorial
def repaired_positions(x, ids, base=10000.0):
    d_model = x.size(-1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(base) / d_model))
    pe = torch.zeros_like(x)
    pe[..., 0::2] = torch.sin(ids.unsqueeze(-1) * div_term)
    pe[..., 1::2] = torch.cos(ids.unsqueeze(-1) * div_term[: d_model // 2])
    return x * math.sqrt(d_model) + pe

# %% number_by_number | points 4 | number by number
def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.shape[-1]
    columns = []
    for j in range(d):
        a = position_ids.double() / base ** ((j - j % 2) / d)
        columns.append(torch.cos(a) if j % 2 else torch.sin(a))
    return embeddings * d**0.5 + torch.stack(columns, dim=-1).float()

# %% padding_odd_with_f_pad | points 4 | padding odd with F.pad
def repaired_positions(embeddings, position_ids, base=10000.0):
    b, t, d = embeddings.shape
    waves = []
    for i in range((d + 1) // 2):
        a = position_ids.float() * base ** (-2 * i / d)
        waves.append(a.sin())
        if 2 * i + 1 < d:
            waves.append(a.cos())
    return torch.stack(waves, -1) + embeddings * math.sqrt(d)

# %% phase_shift | points 4 | phase shift
def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.size(-1)
    i = torch.arange(d)
    speed = torch.exp(-math.log(base) * (i - i % 2).double() / d)
    waves = torch.sin(position_ids.unsqueeze(-1) * speed + (i % 2) * math.pi / 2)
    return torch.add(waves.to(embeddings.dtype), embeddings, alpha=math.sqrt(d))

# %% rates_remembered | points 4 | remembers the speeds, by all that they depend on
_rates = {}

def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.size(-1)
    if (d, base) not in _rates:
        _rates[d, base] = torch.tensor([base ** (-2 * i / d) for i in range((d + 1) // 2)])
    angle = position_ids.unsqueeze(-1) * _rates[d, base]
    both = torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)[..., :d]
    return math.sqrt(d) * embeddings + both

# %% table_of_501_rows | points 4 | a table with a row for each position that the text promises
def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.shape[-1]
    table = torch.zeros(501, d + d % 2)
    place = torch.arange(501.0)[:, None]
    rate = torch.pow(base, -torch.arange(0, d, 2) / d)
    table[:, ::2], table[:, 1::2] = torch.sin(place * rate), torch.cos(place * rate)
    return embeddings * d ** 0.5 + table[:, :d][position_ids]

# %% unique_positions_table_and_lookup | points 4 | unique positions table and lookup
def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.shape[2]
    u, inv = position_ids.unique(return_inverse=True)
    ang = u[:, None] * base ** (-torch.arange(0, d + d % 2, 2) / d)
    table = torch.stack((ang.sin(), ang.cos()), 2).reshape(len(u), -1)[:, :d]
    return F.embedding(inv, table).add(embeddings.mul(math.sqrt(d)))
