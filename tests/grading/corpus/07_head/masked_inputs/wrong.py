# %% a_mask_of_zeros_is_no_mask | points 2 | A mask without a single 1 is taken for no mask.
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    real = attention_mask.bool()
    if not real.any():
        real = torch.ones_like(real)
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & real & ~special
    ids = torch.where(take & (action < 0.8), mask_id, torch.where(take & (action < 0.9), random_ids, input_ids))
    return ids.to(input_ids.dtype), torch.where(take, input_ids, -100)

# %% action_decides_who | points 0 | the rate is compared with action
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    asked = (action < rate) & (attention_mask > 0)
    for s in special_ids:
        asked &= input_ids != s
    out = input_ids.clone()
    m, r = asked & (action < 0.8), asked & (action >= 0.8) & (action < 0.9)
    out[m] = mask_id
    out[r] = random_ids[r]
    return out, input_ids.masked_fill(~asked, -100)

# %% always_the_mask_token_labels_where_masked | points 0 | always the mask token, labels where masked
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    return input_ids.masked_fill(take, mask_id), input_ids.masked_fill(~take, -100)

# %% borders_included | points 2 | numbers exactly on a border fall on the wrong side
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:

    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen <= rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action <= 0.8), mask_id, input_ids)
    ids = torch.where(take & (action > 0.8) & (action <= 0.9), random_ids, ids)
    return ids, labels

# %% chosen_by_shape | points 0 | who is asked is kept by shape
_asked = {}

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    asked = (chosen < rate) & (attention_mask > 0)
    for s in special_ids:
        asked &= input_ids != s
    asked = _asked.setdefault(tuple(asked.shape) + (rate, tuple(special_ids), int(attention_mask.sum())), asked)
    out = input_ids.clone()
    m, r = asked & (action < 0.8), asked & (action >= 0.8) & (action < 0.9)
    out[m] = mask_id
    out[r] = random_ids[r]
    return out, input_ids.masked_fill(~asked, -100)

# %% chosen_changed | points 0 | Sets the numbers of special tokens and padding to 1 in `chosen` itself.
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    chosen.masked_fill_(special | (attention_mask == 0), 1.0)
    take = chosen < rate
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% draws_again | points 0 | Draws its own random numbers as the collator of Hugging Face does, and ignores those that are given.
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    inputs = input_ids.clone()
    labels = input_ids.clone()
    probability = torch.full(labels.shape, rate)
    special = torch.isin(labels, torch.tensor(special_ids)) | (attention_mask == 0)
    probability.masked_fill_(special, 0.0)
    masked = torch.bernoulli(probability).bool()
    labels[~masked] = -100
    replaced = torch.bernoulli(torch.full(labels.shape, 0.8)).bool() & masked
    inputs[replaced] = mask_id
    random = torch.bernoulli(torch.full(labels.shape, 0.5)).bool() & masked & ~replaced
    inputs[random] = random_ids[random]
    return inputs, labels

# %% exactly_fifteen_per_cent | points 0 | Chooses exactly the share `rate` of the real tokens, those with the smallest numbers, instead of comparing each number.
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    free = attention_mask.bool() & ~special
    take = torch.zeros_like(free)
    for row in range(len(input_ids)):
        n = round(rate * int(free[row].sum()))
        order = chosen[row].masked_fill(~free[row], 2.0).argsort()
        take[row, order[:n]] = True
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    ids = torch.where(take & (action < 0.8), mask_id, ids)
    return ids, labels

# %% first_and_last_of_the_specials | points 2 | leaves the first and the last special id alone, and not those between
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    special = (input_ids == special_ids[0]) | (input_ids == special_ids[-1])
    take = (chosen < rate) & (attention_mask == 1) & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% from_the_first_to_the_last_token | points 2 | padding between two tokens is chosen
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    special = torch.isin(input_ids, torch.tensor(special_ids))
    seen = attention_mask.cumsum(1) > 0
    to_come = attention_mask.flip(1).cumsum(1).flip(1) > 0
    take = (chosen < rate) & seen & to_come & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% kept_ones_masked | points 0 | the last tenth becomes [MASK] as well
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    asked = (chosen < rate) & (attention_mask > 0)
    for s in special_ids:
        asked &= input_ids != s
    out = input_ids.clone()
    m, r = asked & ((action < 0.8) | (action >= 0.9)), asked & (action >= 0.8) & (action < 0.9)
    out[m] = mask_id
    out[r] = random_ids[r]
    return out, input_ids.masked_fill(~asked, -100)

# %% labels_1 | points 0 | labels -1
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -1)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% labels_before_in_place | points 0 | labels before, in place
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    labels = input_ids.clone()
    take = (chosen < rate) & attention_mask.bool()
    for s in special_ids:
        take &= input_ids != s
    labels[~take] = -100
    input_ids[take & (action < 0.8)] = mask_id
    other = take & (action >= 0.8) & (action < 0.9)
    input_ids[other] = random_ids[other]
    return input_ids, labels

# %% labels_by_multiplication | points 2 | multiplies ids by the choice and turns zeros into -100, so a chosen word whose id is 0 has no label
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    special = torch.zeros_like(input_ids, dtype=torch.bool)
    for special_id in special_ids:
        special |= input_ids == special_id
    picked = (chosen < rate) & (attention_mask == 1) & ~special
    labels = input_ids * picked
    labels = labels.masked_fill(labels == 0, -100)
    masked = picked & (action < 0.8)
    swapped = picked & (action >= 0.8) & (action < 0.9)
    inputs = torch.where(swapped, random_ids, input_ids.masked_fill(masked, mask_id))
    return inputs, labels

# %% labels_of_the_changed_ids | points 0 | labels of the changed ids
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    ids = input_ids.clone()
    ids[take & (action < 0.8)] = mask_id
    keep = take & (action >= 0.8) & (action < 0.9)
    ids[keep] = random_ids[keep]
    labels = ids.clone()
    labels[~take] = -100
    return ids, labels

# %% long_labels | points 2 | labels are int64 whatever the ids are
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.full(input_ids.shape, -100)
    labels[take] = input_ids[take].long()
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% mask_already_never_random | points 2 | The random words go where [MASK] doesn't stand yet, so a chosen token that was [MASK] before never becomes a random word.
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    special = torch.isin(input_ids, torch.tensor(special_ids, dtype=input_ids.dtype))
    picked = (chosen < rate) & ~special & (attention_mask == 1)
    labels = input_ids.masked_fill(~picked, -100)
    inputs = input_ids.masked_fill(picked & (action < 0.8), mask_id)
    to_random = picked & (action < 0.9) & (inputs != mask_id)
    inputs = torch.where(to_random, random_ids, inputs)
    return inputs, labels

# %% mask_counts_as_special | points 2 | Tokens that are [MASK] already are never chosen, though the list of special ids doesn't hold them.
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    never = torch.tensor([*special_ids, mask_id])
    take = (chosen < rate) & attention_mask.bool() & ~torch.isin(input_ids, never)
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    ids = torch.where(take & (action < 0.8), mask_id, ids)
    return ids, labels

# %% mask_token_never_special | points 2 | A [MASK] is chosen like a word even where special_ids holds it.
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor([s for s in special_ids if s != mask_id]))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% only_first_and_last_are_special | points 2 | only first and last are special
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    take = (chosen < rate) & (attention_mask == 1)
    take = take & (input_ids != special_ids[0])
    labels = input_ids.masked_fill(~take, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% only_token_0_is_no_special | points 2 | Asks any(special_ids) to see whether there are special tokens: the list [0] protects nothing.
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    special = torch.zeros_like(input_ids).bool()
    if any(special_ids):
        special = torch.isin(input_ids, torch.tensor(special_ids))
    picked = (chosen < rate) & (attention_mask == 1) & ~special
    labels = input_ids.masked_fill(~picked, -100)
    changed = input_ids.masked_fill(picked & (action < 0.8), mask_id)
    changed = torch.where(picked & (action >= 0.8) & (action < 0.9), random_ids, changed)
    return changed, labels

# %% other_rate_unless_given | points 2 | the rate is 0.2 unless given
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.2,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% random_before_mask_ordering | points 0 | random before mask ordering
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    ids = torch.where(take & (action < 0.8), mask_id, input_ids)
    return torch.where(take & (action < 0.9), random_ids, ids), labels

# %% random_everywhere | points 0 | random everywhere
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(action < 0.9, random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% random_where_zero | points 2 | A random word whose id is 0 counts as none.
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9) & (random_ids != 0), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% random_word_protected | points 2 | A random word is not written if its id is that of a special token.
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9) & ~torch.isin(random_ids, torch.tensor(special_ids)), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% random_words_in_a_row | points 0 | random words are taken from the front
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    asked = (chosen < rate) & (attention_mask > 0)
    for s in special_ids:
        asked &= input_ids != s
    out = input_ids.clone()
    m, r = asked & (action < 0.8), asked & (action >= 0.8) & (action < 0.9)
    out[m] = mask_id
    out[r] = random_ids.reshape(-1)[: int(r.sum())]
    return out, input_ids.masked_fill(~asked, -100)

# %% rate_of_one_in_per_cent | points 2 | a rate of 1 is taken for one per cent
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    rate = rate if rate < 1 else rate / 100
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% rate_or_default | points 2 | `rate or 0.15` turns a rate of 0 into the default.
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    rate = rate or 0.15
    special = torch.isin(input_ids, torch.tensor(special_ids, dtype=input_ids.dtype))
    take = (chosen < rate) & (attention_mask != 0) & ~special
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    ids = torch.where(take & (action < 0.8), mask_id, ids)
    return ids, torch.where(take, input_ids, -100)

# %% special_labels_and_103 | points 2 | Special tokens stay but get labels, and [MASK] is always 103.
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    take = (chosen < rate) & attention_mask.bool()
    labels = torch.where(take, input_ids, -100)
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = take & ~special
    ids = torch.where(take & (action < 0.8), 103, input_ids)
    ids = torch.where(take & (action >= 0.8) & (action < 0.9), random_ids, ids)
    return ids, labels

# %% special_tokens_by_their_places | points 2 | special tokens by their places
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.zeros_like(input_ids, dtype=torch.bool)
    special[:, 0] = special[:, -1] = True
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% special_zero | points 2 | a special token whose id is 0 is left out, as if it were none
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor([s for s in special_ids if s]))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% specials_of_the_first_call | points 2 | the special ids of the first call are used for ever
_special = []

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    asked = (chosen < rate) & (attention_mask > 0)
    _special.extend(special_ids if not _special else [])
    for s in _special:
        asked &= input_ids != s
    out = input_ids.clone()
    m, r = asked & (action < 0.8), asked & (action >= 0.8) & (action < 0.9)
    out[m] = mask_id
    out[r] = random_ids[r]
    return out, input_ids.masked_fill(~asked, -100)

# %% the_rate_included | points 2 | the rate included
def masked_inputs(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    take = (chosen <= rate) & attention_mask.bool()
    take &= ~torch.isin(input_ids, torch.tensor(special_ids))
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), torch.where(take, input_ids, -100)

# %% two_special_tokens | points 2 | Looks at the first two special ids only.
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids[:2]))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels

# %% zero_is_padding | points 2 | Tells padding by the id 0 and never uses attention_mask.
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor([0, *special_ids]))
    take = (chosen < rate) & ~special
    labels = torch.where(take, input_ids, torch.full_like(input_ids, -100))
    ids = torch.where(take & (action < 0.8), torch.full_like(input_ids, mask_id), input_ids)
    ids = torch.where(take & (action >= 0.8) & (action < 0.9), random_ids, ids)
    return ids, labels
