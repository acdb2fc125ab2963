# %% a_mask_of_zeros_is_no_mask | points 3 | A mask without a single 1 is taken for no mask.
def induction_score(attention, input_ids, attention_mask=None):
    """The induction score of each head, [layers, heads], and that of an even head."""
    tokens = input_ids.size(1)
    real = torch.ones_like(input_ids) if attention_mask is None or not attention_mask.any() else attention_mask
    real = real != 0
    key = torch.arange(tokens)
    query = key[:, None]
    same = input_ids[:, :, None] == input_ids[:, None, :]  # [batch, query, key]
    same = same & real[:, :, None] & real[:, None, :]
    follows = F.pad(same[:, :, :-1], (1, 0))  # the token before this key is the query's
    target = follows & (key < query)
    counts = target.any(dim=-1)  # [batch, query]
    number = counts.sum().clamp(min=1)
    values = (attention * target[:, None]).sum(dim=-1)  # [layers, batch, heads, query]
    score = (values * counts[:, None]).sum(dim=(1, 3)) / number
    seen = real[:, None, :] & (key <= query)
    even = target.sum(dim=-1) / seen.sum(dim=-1).clamp(min=1)
    chance = (even * counts).sum() / number
    return score, float(chance)

# %% attends_to_the_earlier_token | points 0 | the earlier token itself, and only if it is not the query
def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    m = torch.ones(B, T) if attention_mask is None else attention_mask
    m = m.bool()
    same = (input_ids[:, :, None] == input_ids[:, None, :]) & m[:, :, None] & m[:, None, :]
    target = same & torch.ones(T, T, dtype=torch.bool).tril(-1)
    counts = target.any(-1)
    n = max(int(counts.sum()), 1)
    score = (attention * target[:, None]).sum(dim=(1, 3, 4)) / n
    seen = m.cumsum(1)
    chance = (target.sum(-1) / seen.clamp(min=1)).sum() / n
    return score, float(chance)

# %% average_over_everything | points 0 | plain mean over batch and queries
def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    real = torch.ones(B, T, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    same = (input_ids[:, :, None] == input_ids[:, None]) & real[:, :, None] & real[:, None]
    target = F.pad(same[..., :-1].float(), (1, 0)).tril(-1)
    score = (attention * target[:, None]).sum(-1).mean(dim=(1, 3))
    chance = (target.sum(-1) / real.cumsum(1).clamp(min=1)).mean()
    return score, chance.item()

# %% chance_over_length | points 3 | chance: 1 / (number of visible keys), whatever the number of targets
def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    real = torch.ones(B, T, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    same = (input_ids[:, :, None] == input_ids[:, None]) & real[:, :, None] & real[:, None]
    target = F.pad(same[..., :-1].float(), (1, 0)).tril(-1)
    counts = target.sum(-1) > 0
    n = counts.sum().clamp(min=1)
    score = (attention * target[:, None]).sum(dim=(1, 3, 4)) / n
    chance = (counts / real.cumsum(1).clamp(min=1)).sum() / n
    return score, chance.item()

# %% counted_in_the_masks_dtype | points 3 | Counts the real tokens in the dtype of the mask, which overflows in texts of more than 127 tokens if that is int8.
def induction_score(attention, input_ids, attention_mask=None):
    layers, batch, heads, tokens, _ = attention.shape
    if attention_mask is None:
        attention_mask = torch.ones_like(input_ids)
    real = attention_mask != 0
    same = (input_ids[:, :, None] == input_ids[:, None, :]) & real[:, :, None] & real[:, None, :]
    target = torch.zeros_like(same)
    target[:, :, 1:] = same[:, :, :-1]
    target = target & torch.ones(tokens, tokens, dtype=torch.bool).tril(-1)
    counted = target.any(dim=-1)
    if not counted.any():
        return torch.zeros(layers, heads), 0.0
    values = attention.masked_fill(~target[None, :, None], 0.0).sum(dim=-1)
    values = values.permute(0, 2, 1, 3)[:, :, counted]
    seen = attention_mask.cumsum(dim=1, dtype=attention_mask.dtype)
    shares = target.sum(dim=-1)[counted] / seen[counted]
    return values.mean(dim=-1), shares.mean().item()

# %% looks_at_the_same_token | points 0 | Sums the attention to the earlier token itself instead of the token behind it.
def induction_score(
    attention: Tensor, input_ids: Tensor, attention_mask: Tensor | None = None
) -> tuple[Tensor, float]:
    real = torch.ones_like(input_ids).bool() if attention_mask is None else attention_mask.bool()
    n = input_ids.size(1)
    before = torch.ones(n, n, dtype=torch.bool).tril(-2)
    target = (input_ids[:, :, None] == input_ids[:, None, :]) & before
    target = target & real[:, :, None] & real[:, None, :]
    counts = target.any(-1)
    number = counts.sum().clamp(min=1)
    score = (attention * target[None, :, None]).sum(dim=(1, 3, 4)) / number
    visible = (real[:, None, :] & torch.ones(n, n).tril().bool()).sum(-1).clamp(min=1)
    chance = (target.sum(-1) / visible).sum() / number
    return score, float(chance)

# %% mask_forgotten | points 3 | the mask is not used
def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    same = input_ids[:, :, None] == input_ids[:, None, :]
    target = F.pad(same[:, :, :-1], (1, 0)) & torch.ones(T, T, dtype=torch.bool).tril(-1)
    counts = target.any(-1)
    n = counts.sum().clamp(min=1)
    score = (attention * target[:, None]).sum(dim=(1, 3, 4)) / n
    visible = torch.arange(1, T + 1)
    chance = (target.sum(-1) / visible).sum() / n
    return score, chance.item()

# %% mask_minus_one | points 3 | Adds (mask - 1) times a large number and asks what is not below 0: in uint8, 0 - 1 is 255.
def induction_score(attention, input_ids, attention_mask=None):
    tokens = input_ids.size(1)
    if attention_mask is None:
        attention_mask = torch.ones_like(input_ids)
    real = (attention_mask - 1) * 1e9 >= 0
    same = (input_ids[:, :, None] == input_ids[:, None, :]) & real[:, :, None] & real[:, None, :]
    target = torch.zeros_like(same)
    target[:, :, 1:] = same.tril(-2)[:, :, :-1]
    queries = target.any(dim=-1)
    if not queries.any():
        return torch.zeros(attention.size(0), attention.size(2)), 0.0
    values = (attention * target[None, :, None]).sum(dim=-1)
    score = (values * queries[None, :, None]).sum(dim=(1, 3)) / queries.sum()
    visible = real.cumsum(dim=1).clamp(min=1)
    return score, float((target.sum(dim=-1) / visible)[queries].mean())

# %% mask_on_the_target | points 3 | Asks whether the target is real, not whether the earlier occurrence is: padding on the left with the id of a word counts.
def induction_score(
    attention: Tensor, input_ids: Tensor, attention_mask: Tensor | None = None
) -> tuple[Tensor, float]:
    batch, tokens = input_ids.shape
    real = torch.ones(batch, tokens, dtype=torch.bool)
    if attention_mask is not None:
        real = attention_mask == 1
    same = input_ids[:, :, None] == input_ids[:, None, :]
    target = F.pad(same, (1, 0))[:, :, :-1]
    target = target & torch.ones(tokens, tokens, dtype=torch.bool).tril(-1)
    target = target & real[:, :, None] & real[:, None, :]
    counts = target.any(dim=-1)
    number = max(int(counts.sum()), 1)
    score = torch.einsum("lbhqk,bqk->lh", attention, target.to(attention.dtype)) / number
    visible = torch.where(real, real.cumsum(dim=1), 1)
    chance = (target.sum(dim=-1) / visible).sum().item() / number
    return score, chance

# %% mask_remembered | points 3 | Remembers the last mask, and uses it where a batch of that size comes without one.
last = {}


def induction_score(attention, input_ids, attention_mask=None):
    if attention_mask is None:
        attention_mask = last.get(input_ids.shape)
    else:
        last[input_ids.shape] = attention_mask
    real = torch.ones_like(input_ids) if attention_mask is None else attention_mask
    real = real != 0
    place = torch.arange(input_ids.size(1))
    same = (input_ids[:, :, None] == input_ids[:, None, :]) & real[:, :, None] & real[:, None, :]
    target = F.pad(same[:, :, :-1], (1, 0)) & (place < place[:, None])
    number = target.any(dim=-1).sum().clamp(min=1)
    score = (attention * target[:, None]).sum(dim=-1).sum(dim=(1, 3)) / number
    visible = (real[:, None, :] & (place <= place[:, None])).sum(-1).clamp(min=1)
    return score, float((target.sum(-1) / visible).sum() / number)

# %% mean_by_position_first | points 0 | The values are averaged over the texts at each position first, and these means over the positions.
def induction_score(attention, input_ids, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones_like(input_ids)
    real = attention_mask.bool()
    same = input_ids[:, :, None] == input_ids[:, None, :]
    same = same & real[:, :, None] & real[:, None, :]
    targets = torch.zeros_like(same)
    targets[:, :, 1:] = same[:, :, :-1]
    targets = targets.tril(-1)
    counted = targets.any(-1)
    if not counted.any():
        return attention.new_zeros(attention.shape[0], attention.shape[2]), 0.0
    values = attention.masked_fill(~targets[None, :, None], 0.0).sum(-1)  # [layers, batch, heads, tokens]
    by_position = values.sum(1) / counted.sum(0).clamp(min=1)
    score = by_position[:, :, counted.any(0)].mean(-1)
    even = targets.sum(-1) / real.cumsum(1).clamp(min=1)
    return score, float(even[counted].mean())

# %% mean_of_empty | points 3 | mean over an empty selection is NaN
def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    real = torch.ones(B, T, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    same = (input_ids[:, :, None] == input_ids[:, None]) & real[:, :, None] & real[:, None]
    target = same.roll(1, dims=2)
    target[:, :, 0] = False
    target &= torch.ones(T, T, dtype=torch.bool).tril(-1)
    counts = target.any(-1)
    values = (attention * target[None, :, None]).sum(-1).permute(1, 3, 0, 2)[counts]
    even = target.sum(-1)[counts] / real.cumsum(1)[counts]
    return values.mean(0), even.mean().item()

# %% one_target_last_occurrence | points 0 | the last earlier occurrence only, with a dictionary
def induction_score(attention, input_ids, attention_mask=None):
    L, B, H, T, _ = attention.shape
    total, chance, n = torch.zeros(L, H), 0.0, 0
    for b in range(B):
        last = {}
        seen = 0
        for t in range(T):
            if attention_mask is not None and not attention_mask[b, t]:
                continue
            seen += 1
            tok = input_ids[b, t].item()
            if tok in last and last[tok] + 1 < t:
                total += attention[:, b, :, t, last[tok] + 1]
                chance += 1 / seen
                n += 1
            last[tok] = t
    if n == 0:
        return total, 0.0
    return total / n, chance / n

# %% other_direction | points 0 | other_direction
def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    real = torch.ones(B, T, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    same = (input_ids[:, :, None] == input_ids[:, None]) & real[:, :, None] & real[:, None]
    target = F.pad(same[..., 1:].float(), (0, 1)).tril(-1)
    counts = target.sum(-1) > 0
    n = counts.sum().clamp(min=1)
    values = (attention * target[:, None]).sum(-1)
    score = values.sum(dim=(1, 3)) / n
    even = target.sum(-1) / real.cumsum(1).clamp(min=1)
    chance = even.sum() / n
    return score, chance.item()

# %% padded_occurrences_and_chance | points 3 | Padding is no query but counts as an earlier occurrence, and chance counts all keys up to the query, padding included.
def induction_score(
    attention: Tensor, input_ids: Tensor, attention_mask: Tensor | None = None
) -> tuple[Tensor, float]:
    batch, tokens = input_ids.shape
    if attention_mask is None:
        attention_mask = torch.ones(batch, tokens)
    real = attention_mask.bool()
    same = input_ids.unsqueeze(2) == input_ids.unsqueeze(1)
    same = same & real.unsqueeze(2)
    t = torch.arange(tokens)
    target = torch.zeros_like(same)
    target[:, :, 1:] = same[:, :, :-1]
    target = target & (t.view(1, -1) < t.view(-1, 1))
    has = target.any(dim=2)
    number = int(has.sum())
    if number == 0:
        return torch.zeros(attention.shape[0], attention.shape[2]), 0.0
    value = torch.einsum("lbhtk,btk->lht", attention, target.to(attention.dtype))
    score = value.sum(dim=2) / number
    seen = (torch.ones_like(same) & (t.view(1, -1) <= t.view(-1, 1))).sum(dim=2)
    chance = (target.sum(dim=2)[has] / seen[has]).sum() / number
    return score, chance.item()

# %% padding_becomes_minus_one | points 3 | Gives padding the id -1, and forgets that padded tokens are then equal to each other.
def induction_score(attention, input_ids, attention_mask=None):
    batch, n = input_ids.shape
    if attention_mask is None:
        attention_mask = torch.ones_like(input_ids)
    real = attention_mask > 0
    pairs = real[:, :, None] & real[:, None, :]
    ids = input_ids.masked_fill(~real, -1)
    same = ids[:, :, None] == ids[:, None, :]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    shifted = torch.zeros_like(same)
    shifted[:, :, 1:] = same[:, :, :-1]
    target = shifted & causal.tril(-1)
    has = target.any(-1)
    values = torch.einsum("lbhqk,bqk->lbhq", attention, target.to(attention.dtype))
    number = max(int(has.sum()), 1)
    score = values.sum((1, 3)) / number
    seen = (pairs & causal).sum(-1)
    chance = (target.sum(-1) / seen.clamp(min=1)).sum() / number
    return score, chance.item()

# %% padding_on_the_right_only | points 3 | Cuts each text to its length from the left, so padding on the left is read as text.
def induction_score(
    attention: Tensor, input_ids: Tensor, attention_mask: Tensor | None = None
) -> tuple[Tensor, float]:
    """The induction score of each head, [layers, heads], and that of an even head."""
    layers, batch, heads, tokens, _ = attention.shape
    total = torch.zeros(layers, heads)
    chance, number = 0.0, 0
    for b in range(batch):
        length = tokens if attention_mask is None else int(attention_mask[b].sum())
        ids = input_ids[b, :length].tolist()
        for t in range(length):
            targets = [s + 1 for s in range(t - 1) if ids[s] == ids[t]]
            if targets:
                number += 1
                total += attention[:, b, :, t, targets].sum(dim=-1)
                chance += len(targets) / (t + 1)
    return total / max(number, 1), chance / max(number, 1)

# %% repeated_token_is_no_source | points 0 | An earlier token that is repeated at once gives no target to any later query, not only to the one right after it.
def induction_score(attention, input_ids, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones_like(input_ids)
    real = attention_mask.bool()
    tokens = input_ids.shape[1]
    same = input_ids[:, :, None] == input_ids[:, None, :]
    same = same & real[:, :, None] & real[:, None, :]
    repeated = torch.zeros_like(real)
    repeated[:, :-1] = (input_ids[:, :-1] == input_ids[:, 1:]) & real[:, 1:]
    same = (same & ~repeated[:, None, :]).tril(-1)
    targets = torch.zeros_like(same)
    targets[:, :, 1:] = same[:, :, :-1]
    targets = targets.tril(-1)
    counted = targets.any(-1)
    n = int(counted.sum())
    if n == 0:
        return attention.new_zeros(attention.shape[0], attention.shape[2]), 0.0
    values = attention.masked_fill(~targets[None, :, None], 0.0).sum(-1)
    even = targets.sum(-1) / real.cumsum(1).clamp(min=1)
    return values.sum((1, 3)) / n, float(even.sum() / n)

# %% reshape_mixes_texts_and_heads | points 0 | Brings the heads before the batch with reshape instead of a transpose, so that rows of different texts and heads are mixed.
def induction_score(attention, input_ids, attention_mask=None):
    layers, batch, heads, tokens, _ = attention.shape
    real = torch.ones_like(input_ids, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    same = (input_ids[:, :, None] == input_ids[:, None, :]) & real[:, :, None] & real[:, None, :]
    targets = torch.zeros_like(same)
    targets[:, :, 1:] = same[:, :, :-1]
    targets = targets.tril(diagonal=-1)
    has = targets.any(dim=-1)
    count = has.sum()
    if count == 0:
        return torch.zeros(layers, heads), 0.0
    by_head = attention.reshape(layers, heads, batch, tokens, tokens)
    values = (by_head * targets).sum(dim=-1)
    score = (values * has).sum(dim=(2, 3)) / count
    seen = real.long().cumsum(dim=1)
    chance = (targets.sum(dim=-1)[has] / seen[has]).mean()
    return score, chance.item()

# %% roll_without_zero | points 0 | roll_without_zero
def induction_score(attention, input_ids, attention_mask=None):
    B, T = input_ids.shape
    real = torch.ones(B, T, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    same = (input_ids[:, :, None] == input_ids[:, None]) & real[:, :, None] & real[:, None]
    target = same.roll(1, -1).float().tril(-1)
    counts = target.sum(-1) > 0
    n = counts.sum().clamp(min=1)
    values = (attention * target[:, None]).sum(-1)
    score = values.sum(dim=(1, 3)) / n
    even = target.sum(-1) / real.cumsum(1).clamp(min=1)
    chance = even.sum() / n
    return score, chance.item()

# %% two_queries_at_least | points 0 | Divides by the number of queries, at least 2.
def induction_score(attention, input_ids, attention_mask=None):
    real = torch.ones_like(input_ids) if attention_mask is None else attention_mask
    real = real != 0
    place = torch.arange(input_ids.size(1))
    same = (input_ids[:, :, None] == input_ids[:, None, :]) & real[:, :, None] & real[:, None, :]
    target = F.pad(same[:, :, :-1], (1, 0)) & (place < place[:, None])
    number = target.any(dim=-1).sum().clamp(min=2)
    score = (attention * target[:, None]).sum(dim=-1).sum(dim=(1, 3)) / number
    visible = (real[:, None, :] & (place <= place[:, None])).sum(-1).clamp(min=1)
    return score, float((target.sum(-1) / visible).sum() / number)

# %% values_above_zero | points 0 | Counts the queries of a head whose value isn't 0, instead of the queries that have a target.
def induction_score(attention, input_ids, attention_mask=None):
    batch, n = input_ids.shape
    if attention_mask is None:
        attention_mask = torch.ones_like(input_ids)
    real = attention_mask > 0
    pairs = real[:, :, None] & real[:, None, :]
    same = pairs & (input_ids[:, :, None] == input_ids[:, None, :])
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    shifted = torch.zeros_like(same)
    shifted[:, :, 1:] = same[:, :, :-1]
    target = shifted & causal.tril(-1)
    has = target.any(-1)
    values = torch.einsum("lbhqk,bqk->lbhq", attention, target.to(attention.dtype))
    number = max(int(has.sum()), 1)
    score = values.sum((1, 3)) / (values > 0).sum((1, 3)).clamp(min=1)
    seen = (pairs & causal).sum(-1)
    chance = (target.sum(-1) / seen.clamp(min=1)).sum() / number
    return score, chance.item()
