# %% a_column_of_one | points 0 | one position, as a column whose strides are odd
def next_position_ids(attention_mask, new_tokens):
    mask = attention_mask.long()
    return (mask.cumsum(1) - 1)[:, -1]

# %% arange_from_cached | points 0 | arange from cached
def next_position_ids(attention_mask, new_tokens):
    T = attention_mask.size(1)
    return torch.arange(T - new_tokens, T).repeat(attention_mask.size(0), 1)

# %% arange_minus_padding_count_clamped | points 2 | arange minus padding count, clamped
def next_position_ids(attention_mask, new_tokens):
    pad = (attention_mask == 0).sum(-1, keepdim=True)
    T = attention_mask.size(1)
    return (torch.arange(T)[None] - pad).clamp(min=0)[:, -new_tokens:]

# %% arange_minus_padding_count_pads_negative | points 2 | arange minus padding count, pads negative
def next_position_ids(attention_mask, new_tokens):
    pad = (attention_mask == 0).sum(-1, keepdim=True)
    T = attention_mask.size(1)
    return (torch.arange(T)[None] - pad)[:, -new_tokens:]

# %% argmax_of_first_token | points 0 | argmax of first token
def next_position_ids(attention_mask, new_tokens):
    first = attention_mask.int().argmax(-1, keepdim=True)
    T = attention_mask.size(1)
    return (torch.arange(T)[None] - first).clamp(min=0)[:, -new_tokens:]

# %% boolean_fails_with_minus | points 2 | boolean fails with minus
def next_position_ids(attention_mask, new_tokens):
    p = attention_mask.cumsum(-1) - 1
    return (p - p * (1 - attention_mask))[:, -new_tokens:]

# %% booleans_with_padding_on_the_left | points 2 | Boolean masks are read as if padding stood on the left alone.
def next_position_ids(attention_mask, new_tokens):
    if attention_mask.dtype == torch.bool:
        left = attention_mask.int().argmax(1, keepdim=True)
        ids = torch.arange(attention_mask.size(1)) - left
        return (ids.clamp(min=0) * attention_mask)[:, -new_tokens:]
    ids = (attention_mask.cumsum(1) - 1).clamp(min=0) * attention_mask
    return ids[:, -new_tokens:]

# %% chapters_line | points 0 | chapter's line
def next_position_ids(attention_mask, new_tokens):
    return (attention_mask.cumsum(dim=-1) - 1).clamp(min=0)

# %% chapters_line_cut | points 2 | chapter's line, cut
def next_position_ids(attention_mask, new_tokens):
    return (attention_mask.cumsum(dim=-1) - 1).clamp(min=0)[:, -new_tokens:]

# %% count_in_half_precision | points 2 | The count is kept in float16, which cannot count beyond 2048.
def next_position_ids(attention_mask, new_tokens):
    real = attention_mask.to(torch.float16)
    places = (real.cumsum(dim=1) - 1).long() * attention_mask.long()
    return places[:, -new_tokens:]

# %% count_runs_on_through_the_batch | points 0 | The count runs over the flattened mask, so the second row goes on where the first one ended.
def next_position_ids(attention_mask, new_tokens):
    real = attention_mask.long()
    counts = real.flatten().cumsum(0).view(real.shape)
    places = (counts - 1) * real
    return places[:, -new_tokens:]

# %% counted_if_the_first_is_full | points 0 | Counts all columns where the first row has no padding, although others may have some.
def next_position_ids(attention_mask, new_tokens):
    """Return the positions of the last tokens, ``[batch, new_tokens]``."""
    mask = attention_mask.long()
    if bool(mask[0].all()):
        mask = torch.ones_like(mask)
    ids = mask.cumsum(dim=-1) - 1
    ids = ids.masked_fill(mask == 0, 0)
    return ids[:, -new_tokens:]

# %% counted_in_bfloat16 | points 2 | counts in bfloat16, which has no 257
def next_position_ids(attention_mask, new_tokens):
    mask = attention_mask.to(torch.bfloat16)
    ids = (mask.cumsum(-1) - 1) * mask
    return ids[:, -new_tokens:].long().clamp(min=0)

# %% crash_everywhere | points 0 | crash everywhere
def next_position_ids(attention_mask, new_tokens):
    return mask.cumsum(-1) - 1

# %% cumsum_over_batch | points 0 | cumsum over batch
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return ((m.cumsum(0) - 1) * m)[:, -new_tokens:]

# %% cut_at_the_wrong_end | points 0 | cut at the wrong end
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return ((m.cumsum(-1) - 1) * m)[:, :new_tokens]

# %% cut_first | points 0 | cut first
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask[:, -new_tokens:].long()
    return ((m.cumsum(-1) - 1) * m)

# %% dtype_of_the_mask | points 2 | Converts the result to the dtype of the mask, so booleans return booleans.
def next_position_ids(attention_mask: Tensor, new_tokens: int) -> Tensor:
    """Positions [batch, new_tokens] of the last tokens; padding has position 0."""
    mask = attention_mask.long()
    ids = (mask.cumsum(dim=-1) - 1).masked_fill(mask == 0, 0)
    return ids[:, -new_tokens:].to(attention_mask.dtype)

# %% fill_one | points 2 | fill one
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    p = m.cumsum(-1) - 1
    p.masked_fill_(m == 0, 1)
    return p[:, -new_tokens:]

# %% flip | points 0 | flip
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.flip(-1).long()
    return ((m.cumsum(-1) - 1) * m)[:, -new_tokens:]

# %% float_tensor | points 0 | float tensor
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.float()
    return ((m.cumsum(-1) - 1) * m)[:, -new_tokens:]

# %% from_first_to_last | points 0 | Takes the cached tokens for one run, from the first real one to the last.
def next_position_ids(attention_mask, new_tokens):
    mask = attention_mask.long()
    cached, new = mask[:, :-new_tokens], mask[:, -new_tokens:]
    counts = []
    for row in cached.tolist():
        places = [i for i, one in enumerate(row) if one]
        counts.append(places[-1] - places[0] + 1 if places else 0)
    ids = torch.tensor(counts)[:, None] + new.cumsum(dim=1) - 1
    return ids.masked_fill(new == 0, 0)

# %% int32 | points 0 | int32
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.int()
    return ((m.cumsum(-1, dtype=torch.int32) - 1) * m)[:, -new_tokens:]

# %% last_column_without_its_axis | points 0 | Always takes the last column, without its axis.
def next_position_ids(attention_mask: Tensor, new_tokens: int) -> Tensor:
    """Positions [batch, new_tokens] of the last tokens; padding has position 0."""
    mask = attention_mask.long()
    ids = (mask.cumsum(dim=-1) - 1).masked_fill(mask == 0, 0)
    return ids[:, -1]

# %% length_of_the_row | points 2 | length of the row
def next_position_ids(attention_mask: Tensor, new_tokens: int) -> Tensor:
    """Positions [batch, new_tokens] of the last tokens; padding has position 0."""
    mask = attention_mask.long()
    ids = (torch.arange(mask.size(1)) - (mask == 0).sum(dim=-1, keepdim=True)).clamp(min=0).masked_fill(mask == 0, 0)
    return ids[:, -new_tokens:]

# %% list_of_lists | points 0 | list of lists
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return ((m.cumsum(-1) - 1) * m)[:, -new_tokens:].tolist()

# %% masked_before_the_sum | points 0 | masked before the sum
def next_position_ids(attention_mask: Tensor, new_tokens: int) -> Tensor:
    """Positions [batch, new_tokens] of the last tokens; padding has position 0."""
    mask = attention_mask.long()
    ids = (mask - 1).cumsum(dim=-1).masked_fill(mask == 0, 0)
    return ids[:, -new_tokens:]

# %% modulo | points 2 | modulo
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    p = (m.cumsum(-1) - 1)
    return p[:, -new_tokens:].clamp_min(0)

# %% multiplied_without_minus_one | points 0 | multiplied without minus one
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return (m.cumsum(-1) * m)[:, -new_tokens:]

# %% new_counted_from_cached_sum_no_minus_one | points 0 | new counted from cached sum, no minus one
def next_position_ids(attention_mask, new_tokens):

    c = attention_mask.size(1) - new_tokens
    new = attention_mask[:, c:].long()
    return (attention_mask[:, :c].sum(-1, keepdim=True) + new.cumsum(-1)) * new

# %% new_ones_without_gaps | points 2 | Counts the new tokens from the first real one on, padding between them included.
def next_position_ids(attention_mask, new_tokens):
    mask = attention_mask.long()
    before = mask[:, : mask.size(1) - new_tokens].sum(dim=1, keepdim=True)
    new = mask[:, -new_tokens:]
    first = new.argmax(dim=1, keepdim=True)
    return (before + torch.arange(new_tokens) - first) * new

# %% nothing_masked | points 2 | nothing masked
def next_position_ids(attention_mask, new_tokens):
    return (attention_mask.long().cumsum(-1) - 1)[:, -new_tokens:]

# %% one_column_short | points 0 | one column short
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return ((m.cumsum(-1) - 1) * m)[:, -new_tokens:-1]

# %% one_new_token | points 2 | A shortcut for one new token takes it for a real one.
def next_position_ids(attention_mask, new_tokens):
    mask = attention_mask.long()
    if new_tokens == 1:
        return mask.sum(dim=1, keepdim=True) - 1
    return ((mask.cumsum(-1) - 1) * mask)[:, -new_tokens:]

# %% only_last_column | points 0 | only last column
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return ((m.cumsum(-1) - 1) * m)[:, -1:]

# %% only_padding_on_the_left | points 0 | subtracts the padding before the first token
def next_position_ids(attention_mask, new_tokens):
    before = (attention_mask.long().cumsum(1) == 0).sum(1)
    columns = torch.arange(attention_mask.size(1))
    return (columns[None] - before[:, None]).clamp(min=0)[:, -new_tokens:]

# %% rare_highest_cached_plus_one | points 0 | Wrong: counts on from the highest cached position, so a row whose cached columns are all padding starts at 1.
def next_position_ids(attention_mask, new_tokens):
    mask = attention_mask.long()
    cached = mask.shape[1] - new_tokens
    new = mask[:, cached:]
    start = 0
    if cached > 0:
        old = mask[:, :cached]
        old_positions = (old.cumsum(dim=1) - 1) * old
        start = old_positions.max(dim=1, keepdim=True).values + 1
    return (start + new.cumsum(dim=1) - 1) * new

# %% remembers_the_first_mask | points 0 | a mask of this size that was seen before
seen = {}

def next_position_ids(attention_mask, new_tokens):
    mask = seen.setdefault(tuple(attention_mask.shape), attention_mask).long()
    return ((mask.cumsum(1) - 1) * mask)[:, -new_tokens:]

# %% stops_at_padding | points 2 | Goes through the new tokens and stops at the first padding, as if only padding could follow.
def next_position_ids(attention_mask, new_tokens):
    result = torch.zeros(len(attention_mask), new_tokens, dtype=torch.long)
    cached = attention_mask.shape[1] - new_tokens
    for row, mask in enumerate(attention_mask.tolist()):
        count = sum(1 for m in mask[:cached] if m)
        for column, m in enumerate(mask[cached:]):
            if not m:
                break
            result[row, column] = count
            count += 1
    return result
