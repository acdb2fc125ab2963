# %% clamp_and_where | points 3 | clamp and where
def next_position_ids(attention_mask, new_tokens):
    ids = torch.where(attention_mask == True, attention_mask.cumsum(-1) - 1, 0)
    return ids[..., -new_tokens:].contiguous()

# %% f_pad_shift | points 3 | F.pad shift
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    before = F.pad(m.cumsum(1), (1, 0))[:, :-1]
    return (before * m)[:, m.shape[1] - new_tokens:]

# %% loop | points 3 | loop
def next_position_ids(attention_mask, new_tokens):
    rows = []
    for row in attention_mask.tolist():
        n, ids = 0, []
        for real in row:
            ids.append(n if real else 0)
            n += int(real)
        rows.append(ids[len(ids) - new_tokens :])
    return torch.tensor(rows, dtype=torch.int64)

# %% product | points 3 | product
def next_position_ids(attention_mask, new_tokens):
    real = (attention_mask > 0).to(torch.int64)
    before = real.cumsum(1) - real
    return (before * real).narrow(1, real.size(1) - new_tokens, new_tokens)
