# %% a_maximum_with_minus_1_at_padding | points 0 | a maximum with −1 at padding
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return total / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -1.0).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)

# %% before_the_first_zero | points 3 | the last token is the one before the first 0, or the last of all
def pooled(hidden_states, attention_mask, kind):
    rows = []
    for h, m in zip(hidden_states, attention_mask):
        if m.sum() == 0:
            rows.append(h[0] * 0)
        elif kind == "mean":
            rows.append(h[m == 1].mean(0))
        elif kind == "max":
            rows.append(h[m == 1].amax(0))
        elif kind == "first":
            rows.append(h[m.argmax()])
        else:
            place = -1 if m[-1] == 1 else int(m.argmin()) - 1
            rows.append(h[place])
    return torch.stack(rows)

# %% empty_only_as_a_batch | points 3 | tests for emptiness once for the whole batch, so an empty text beside a full one gives NaN, -inf or padding
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    if attention_mask.sum() == 0:
        return hidden_states.sum(1) * 0
    m = attention_mask.unsqueeze(2).to(hidden_states.dtype)
    if kind == "mean":
        return (hidden_states * m).sum(1) / m.sum(1)
    if kind == "max":
        return torch.where(m > 0, hidden_states, -torch.inf).amax(1)
    places = torch.arange(attention_mask.size(1)).expand_as(attention_mask)
    if kind == "first":
        idx = places.masked_fill(attention_mask == 0, attention_mask.size(1) - 1).amin(1)
    else:
        idx = places.masked_fill(attention_mask == 0, 0).amax(1)
    return hidden_states.gather(1, idx[:, None, None].expand(-1, 1, hidden_states.size(2))).squeeze(1)

# %% empty_texts_forgotten | points 3 | nothing is done for a text without tokens
def pooled(hidden_states, attention_mask, kind):
    real = attention_mask.bool()
    if kind == "mean":
        return (hidden_states * real[..., None]).sum(1) / real.sum(1, keepdim=True)
    if kind == "max":
        return hidden_states.masked_fill(~real[..., None], -math.inf).max(1).values
    place = attention_mask.argmax(1)
    if kind == "last":
        place = attention_mask.size(1) - 1 - attention_mask.flip(1).argmax(1)
    return hidden_states[torch.arange(len(place)), place]

# %% fill_from_real_minimum | points 3 | For max padding gets a number below all real tokens, which fails where no text of the batch has any.
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return total / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], (hidden_states[real].min() - 1).item()).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)

# %% filled_where_real | points 0 | mean and max fill what is real, and the count is right
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(real[..., None], 0.0).sum(dim=1)
        return total / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)

# %% first_is_last_minus_length | points 3 | The first token's place is computed as the last one's minus the length, which is wrong with padding between tokens.
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    real = attention_mask.bool()
    rows = torch.arange(len(hidden_states))
    lengths = attention_mask.sum(1)
    last = (attention_mask * torch.arange(hidden_states.shape[1])).argmax(1)
    first = (last - lengths + 1).clamp(min=0)
    if kind == "mean":
        vectors = (hidden_states * real[..., None]).sum(1) / lengths.clamp(min=1)[:, None]
    elif kind == "max":
        vectors = hidden_states.masked_fill(~real[..., None], -math.inf).amax(1)
    elif kind == "first":
        first = torch.minimum(first, torch.full_like(first, hidden_states.shape[1] - 1))
        vectors = hidden_states[rows, first]
    else:
        vectors = hidden_states[rows, last]
    return vectors.masked_fill((lengths == 0)[:, None], 0.0)

# %% first_place_and_empty_nan | points 2 | `first` is place 0, and mean and maximum of an empty text are NaN and minus infinity
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:

    mask = attention_mask[:, :, None].bool()
    if kind == "mean":
        return (hidden_states * mask).sum(dim=1) / mask.sum(dim=1)
    if kind == "max":
        return hidden_states.masked_fill(~mask, -math.inf).max(dim=1).values
    if kind == "first":
        return hidden_states[:, 0] * mask[:, 0]
    last = attention_mask.size(1) - 1 - attention_mask.flip(1).argmax(dim=1)
    rows = torch.arange(len(last))
    return hidden_states[rows, last] * mask[rows, last]

# %% first_where_the_running_count_is_one | points 0 | The first token is found by "the running count is 1", which also holds for the padding after the first token: a text of one token adds its padding.
def pooled(hidden_states, attention_mask, kind):
    real = attention_mask.bool().unsqueeze(-1)
    empty = ~attention_mask.bool().any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real, 0.0).sum(dim=1)
        return total / attention_mask.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        return hidden_states.masked_fill(~real, float("-inf")).amax(dim=1).masked_fill(empty, 0.0)
    if kind == "first":
        here = attention_mask.cumsum(dim=1) == 1
        return hidden_states.masked_fill(~here.unsqueeze(-1), 0.0).sum(dim=1)
    place = attention_mask.shape[1] - 1 - attention_mask.flip(1).argmax(dim=1)
    rows = torch.arange(len(hidden_states))
    return hidden_states[rows, place].masked_fill(empty, 0.0)

# %% flip_minus_place | points 0 | counts the last place from the end with -place, one too few: takes the padding behind the last token
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    real = attention_mask.bool()
    empty = real.sum(1) == 0
    rows = torch.arange(len(hidden_states))
    if kind == "mean":
        out = hidden_states.masked_fill(~real.unsqueeze(-1), 0).sum(1) / real.sum(1, keepdim=True).clamp(min=1)
    elif kind == "max":
        out = hidden_states.masked_fill(~real.unsqueeze(-1), -math.inf).amax(1)
    elif kind == "first":
        out = hidden_states[rows, real.int().argmax(1)]
    else:
        from_end = attention_mask.flip(1).argmax(1)
        out = hidden_states[rows, -from_end]
    return out.masked_fill(empty[:, None], 0.0)

# %% large_negative_fill_empty_text_forgotten | points 3 | large negative fill, empty text forgotten
def pooled(h, mask, kind):
    real = mask.bool().unsqueeze(-1)
    if kind == "mean":
        return (h * real).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
    if kind == "max":
        return h.masked_fill(~real, -1e9).amax(1)
    place = mask.argmax(1) if kind == "first" else (torch.arange(h.size(1)) * mask).argmax(1)
    return h[torch.arange(len(h)), place] * mask.any(1, keepdim=True)

# %% last_from_first_and_count | points 3 | the last token is the first plus the number of tokens, wrong where padding stands between them
def pooled(hidden_states, attention_mask, kind):
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        return hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1) / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = place + (real.sum(dim=1) - 1).clamp(min=0)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)

# %% last_place_zero | points 0 | for last a place 0 counts as none, so that a text of one token gets the last place
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return total / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = torch.tensor([max((t for t in range(real.size(1)) if r[t]), default=0) or real.size(1) - 1 for r in real])
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)

# %% last_where_the_running_count_is_one | points 3 | The last token is found by a running count from the end: it is 1 at the padding before a lone token, too.
def pooled(hidden_states, attention_mask, kind):
    real = attention_mask.bool().unsqueeze(-1)
    empty = ~attention_mask.bool().any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real, 0.0).sum(dim=1)
        return total / attention_mask.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        return hidden_states.masked_fill(~real, float("-inf")).amax(dim=1).masked_fill(empty, 0.0)
    if kind == "first":
        rows = torch.arange(len(hidden_states))
        return hidden_states[rows, attention_mask.argmax(dim=1)].masked_fill(empty, 0.0)
    here = attention_mask.flip(1).cumsum(dim=1).flip(1) == 1
    return hidden_states.masked_fill(~here.unsqueeze(-1), 0.0).sum(dim=1)

# %% leading_run_only_and_empty_is_all | points 2 | Only the tokens before the first padding count as real; where there are none, all places are taken as real.
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    run = attention_mask.cumprod(1).bool()
    run = run | ~run.any(1, keepdim=True)
    lengths = run.sum(1)
    if kind == "mean":
        return (hidden_states * run[..., None]).sum(1) / lengths[:, None]
    if kind == "max":
        return hidden_states.masked_fill(~run[..., None], -math.inf).amax(1)
    if kind == "first":
        return hidden_states[:, 0]
    return hidden_states[torch.arange(len(hidden_states)), lengths - 1]

# %% lengths_by_shape | points 0 | the lengths of the first batch of this shape
lengths = {}

def pooled(hidden_states, attention_mask, kind):
    real = lengths.setdefault(tuple(attention_mask.shape), attention_mask.bool())
    out = []
    for h, m in zip(hidden_states, real):
        own = h[m]
        if not len(own):
            out.append(torch.zeros(h.size(-1)) + 0 * h[0])
        else:
            out.append({"mean": own.mean(0), "max": own.max(0)[0], "first": own[0], "last": own[-1]}[kind])
    return torch.stack(out)

# %% lowest_of_half | points 0 | Fills padding with -65504, the lowest number of float16, for the maximum; numbers may be lower.
def pooled(hidden_states, attention_mask, kind):
    real = attention_mask.bool()[..., None]
    some = real.any(dim=1)
    if kind == "mean":
        return (hidden_states * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    if kind == "max":
        return torch.where(real, hidden_states, -65504.0).amax(dim=1) * some
    places = torch.arange(1, real.size(1) + 1)[:, None] * real
    if kind == "first":
        places = torch.where(real, real.size(1) + 1 - places, 0)
    return hidden_states[torch.arange(len(real)), places[..., 0].argmax(dim=1)] * some

# %% mask_as_index | points 0 | Uses the mask of whole numbers as an index: rows 0 and 1 instead of the real ones.
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    result = []
    for states, mask in zip(hidden_states, attention_mask):
        if mask.sum() == 0:
            result.append(torch.zeros_like(states[0]))
            continue
        real = states[mask]
        if kind == "mean":
            result.append(real.mean(dim=0))
        elif kind == "max":
            result.append(real.max(dim=0).values)
        elif kind == "first":
            result.append(real[0])
        else:
            result.append(real[-1])
    return torch.stack(result)

# %% mask_turned_for_two_kinds | points 0 | mean and maximum look at the padding
def pooled(hidden_states, attention_mask, kind):
    pad = attention_mask == 1
    if kind == "mean":
        return (hidden_states * ~pad[..., None]).sum(1) / (~pad).sum(1, keepdim=True).clamp(min=1)
    if kind == "max":
        return hidden_states.masked_fill(pad[..., None], -math.inf).amax(1)
    rows = torch.arange(len(hidden_states))
    place = attention_mask.argmax(1) if kind == "first" else attention_mask.size(1) - 1 - attention_mask.flip(1).argmax(1)
    return hidden_states[rows, place] * pad.any(1, keepdim=True)

# %% mask_with_numpy_habits_mean_over_everything | points 0 | mask with numpy habits, mean over everything
def pooled(h, mask, kind):
    h = h * mask.unsqueeze(-1)
    if kind == "mean":
        return h.mean(1)
    if kind == "max":
        return h.masked_fill(mask.unsqueeze(-1) == 0, -1e9).max(1).values
    i = 0 if kind == "first" else -1
    return torch.stack([row[m.bool()][i] if m.any() else row[0] * 0 for row, m in zip(h, mask)])

# %% max_after_zeroing | points 0 | max after zeroing
def pooled(h, mask, kind):
    m = mask.unsqueeze(-1).float()
    h = h * m
    if kind == "mean":
        return h.sum(1) / m.sum(1).clamp(min=1e-9)
    if kind == "max":
        return torch.max(h, dim=1)[0]
    n = mask.sum(1)
    if kind == "first":
        return h[torch.arange(len(h)), mask.argmax(1)]
    return h[torch.arange(len(h)), h.size(1) - 1 - mask.flip(1).argmax(1)]

# %% max_of_absolute | points 0 | max of absolute
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return total / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).abs().amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)

# %% max_takes_one_whole_token | points 0 | For max the one token is taken whose numbers have the largest sum.
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    rows = []
    for vectors, mask in zip(hidden_states, attention_mask):
        real = vectors[mask == 1]
        if len(real) == 0:
            rows.append(vectors.new_zeros(vectors.shape[-1]))
        elif kind == "mean":
            rows.append(real.mean(dim=0))
        elif kind == "max":
            rows.append(real[real.sum(dim=-1).argmax()])
        elif kind == "first":
            rows.append(real[0])
        else:
            rows.append(real[-1])
    return torch.stack(rows)

# %% maximum_squeezed | points 0 | for max all axes of length 1 are squeezed, that of a batch of one, too
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return total / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)
        return result.masked_fill(empty, 0.0).squeeze()
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)

# %% mean_over_the_hidden_axis | points 0 | mean over the hidden axis
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = 0
        return hidden_states.mean(dim=2)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)

# %% mean_with_a_small_eps | points 0 | mean with a small eps
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return total / (real.sum(dim=1, keepdim=True) + 1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)

# %% nan_to_num | points 3 | Repairs empty texts with nan_to_num, which makes a huge negative number of the maximum and leaves first and last.
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    real = attention_mask.bool()
    if kind == "mean":
        m = real[..., None].to(hidden_states.dtype)
        return torch.nan_to_num((hidden_states * m).sum(1) / m.sum(1))
    if kind == "max":
        return torch.nan_to_num(hidden_states.masked_fill(~real[..., None], -math.inf).amax(1))
    rows = torch.arange(len(hidden_states))
    places = torch.arange(hidden_states.size(1))
    if kind == "first":
        place = real.int().argmax(dim=1)
    else:
        place = (places * real).argmax(dim=1)
    return torch.nan_to_num(hidden_states[rows, place])

# %% nan_to_num_at_the_end | points 3 | Repairs 0/0 with nan_to_num: the numbers are right, the gradients of a batch with an empty text are NaN.
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()[..., None]
    if kind == "mean":
        count = real.sum(dim=1).float()
        weights = real.float() / count[:, None]
        return torch.nan_to_num((hidden_states * weights).sum(dim=1), nan=0.0)
    if kind == "max":
        top = hidden_states.masked_fill(~real, -math.inf).amax(dim=1)
        return torch.nan_to_num(top, neginf=0.0)
    count = attention_mask.cumsum(dim=1)
    place = (count == (1 if kind == "first" else count[:, -1:])).int().argmax(dim=1)
    picked = hidden_states.masked_fill(~real, 0.0)
    return picked[torch.arange(len(place)), place]

# %% nan_to_num_for_max | points 3 | nan_to_num makes the -inf of an empty text the smallest float in the maximum, not 0.
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    rows = torch.arange(hidden_states.size(0))
    zeroed = hidden_states.masked_fill(~real[..., None], 0.0)
    if kind == "mean":
        result = zeroed.sum(dim=1) / real.sum(dim=1, keepdim=True).clamp(min=1)
    elif kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -torch.inf).max(dim=1)[0]
    elif kind == "first":
        result = zeroed[rows, real.int().argmax(dim=1)]
    else:
        result = zeroed[rows, real.size(1) - 1 - real.flip(1).int().argmax(dim=1)]
    return torch.nan_to_num(result)

# %% padding_judged_by_the_first_text | points 0 | Takes places 0 and -1 if the first text has no padding, although others may have some.
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if real[0].all() and kind in ("first", "last"):
        return hidden_states[:, 0 if kind == "first" else -1]
    if kind == "mean":
        total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return total / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)

# %% padding_pushed_down_by_a_million | points 0 | For "max" padding is lowered by 1,000,000, which leaves large padding above real tokens that are negative.
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    real = attention_mask.bool()
    rows = torch.arange(len(hidden_states))
    if kind == "mean":
        vectors = (hidden_states * real[..., None]).sum(1) / real.sum(1, keepdim=True).clamp(min=1)
    elif kind == "max":
        vectors = (hidden_states + (attention_mask[..., None] - 1) * 1e6).amax(1)
    elif kind == "first":
        vectors = hidden_states[rows, attention_mask.argmax(1)]
    else:
        places = torch.arange(hidden_states.shape[1])
        vectors = hidden_states[rows, (attention_mask * places).argmax(1)]
    return vectors.masked_fill(~real.any(1)[:, None], 0.0)

# %% padding_taken_off | points 0 | For the mean all vectors are added up and padding is subtracted again: large padding leaves nothing of the digits.
def pooled(hidden_states, attention_mask, kind):
    rows = []
    for states, mask in zip(hidden_states, attention_mask):
        words = states[mask == 1]
        if len(words) == 0:
            rows.append(states[0] * 0)
        elif kind == "mean":
            rows.append((states.sum(0) - states[mask == 0].sum(0)) / len(words))
        elif kind == "max":
            rows.append(words.amax(0))
        else:
            rows.append(words[0 if kind == "first" else -1])
    return torch.stack(rows)

# %% right_padding_only_first_and_last | points 3 | right padding only, first and last
def pooled(h, mask, kind):
    real = mask.bool().unsqueeze(-1)
    n = mask.sum(1, keepdim=True)
    if kind == "mean":
        return (h * real).sum(1) / n.clamp(min=1)
    if kind == "max":
        out = torch.where(real, h, -math.inf).amax(1)
    elif kind == "first":
        out = h[:, 0]
    else:
        out = h[torch.arange(len(h)), n.squeeze(1) - 1]
    return torch.where(n > 0, out, 0.0)

# %% shortcut_one_place | points 3 | a shortcut for texts of one place, which forgets the empty ones
def pooled(hidden_states, attention_mask, kind):
    if hidden_states.size(1) == 1:
        return hidden_states[:, 0]
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        return hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1) / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)

# %% side_guessed_for_whole_batch | points 3 | last: if every text of the batch ends with a real token takes the last place, else count - 1 (wrong for mixed, two-sided and inner padding)
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    mask = attention_mask.unsqueeze(-1)
    count = attention_mask.sum(dim=1)
    batch = hidden_states.shape[0]
    rows = torch.arange(batch)
    if kind == "mean":
        return (hidden_states * mask).sum(dim=1) / count.clamp(min=1).unsqueeze(-1)
    if kind == "max":
        result = hidden_states.masked_fill(mask == 0, -1e9).max(dim=1).values
    elif kind == "first":
        result = hidden_states[rows, attention_mask.argmax(dim=1)]
    else:
        left_padding = attention_mask[:, -1].sum() == batch
        if left_padding:
            result = hidden_states[:, -1]
        else:
            result = hidden_states[rows, (count - 1).clamp(min=0)]
    return result * (count > 0).unsqueeze(-1)

# %% side_of_each_row_by_its_first | points 3 | For last a row that begins with a token is taken to be padded at the end, and a hole misleads it.
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return total / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = torch.where(real[:, 0], real.sum(1) - 1, real.size(1) - 1 - real.int().flip(1).argmax(dim=1)).clamp(min=0)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)

# %% whole_batch_empty | points 3 | Looks for the empty text with one question to the whole batch.
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    if attention_mask.sum() == 0:
        return torch.zeros_like(hidden_states[:, 0])
    mask = attention_mask.unsqueeze(-1)
    if kind == "mean":
        return (hidden_states * mask).sum(dim=1) / mask.sum(dim=1)
    if kind == "max":
        return hidden_states.masked_fill(mask == 0, float("-inf")).max(dim=1).values
    places = torch.arange(hidden_states.shape[1])
    if kind == "first":
        index = attention_mask.argmax(dim=1)
    else:
        index = (places * attention_mask).argmax(dim=1)
    return hidden_states[torch.arange(len(index)), index]
