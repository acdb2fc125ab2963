# %% all_zero_mask_is_none | points 3 | Takes a mask without a single 1 for "no mask", so texts of nothing but padding are seen.
def grouped_attention(query, key, value, attention_mask=None):
    group = query.shape[2] // key.shape[2]
    queries, keys = query.shape[1], key.shape[1]
    q = query.transpose(1, 2)
    k = key.repeat_interleave(group, dim=2).transpose(1, 2)
    v = value.repeat_interleave(group, dim=2).transpose(1, 2)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    visible = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)[None, None]
    if attention_mask is not None and attention_mask.any():
        visible = visible & attention_mask.bool()[:, None, None, :]
    scores = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1).masked_fill(~visible, 0.0)
    return (weights @ v).transpose(1, 2)

# %% clamped_and_detached | points 2 | The scores are clamped to 50 for safety, and the weights are cut from the graph.
def grouped_attention(query, key, value, attention_mask=None):
    batch, queries, heads, head_size = query.shape
    keys, kv_heads = key.shape[1], key.shape[2]
    q = query.transpose(1, 2)
    k = torch.repeat_interleave(key.transpose(1, 2), heads // kv_heads, dim=1)
    v = torch.repeat_interleave(value.transpose(1, 2), heads // kv_heads, dim=1)
    scores = q @ k.mT / head_size**0.5
    place = torch.arange(keys)
    hidden = place[None, :] > place[keys - queries:, None]
    hidden = hidden[None, None]
    if attention_mask is not None:
        hidden = hidden | (attention_mask == 0)[:, None, None, :]
    scores = scores.clamp(-50, 50).masked_fill(hidden, -1e30)
    weights = torch.softmax(scores, dim=-1)
    weights = weights.detach().masked_fill(hidden, 0.0)
    return (weights @ v).transpose(1, 2)

# %% empty_texts_only | points 3 | Zeros only where a whole text is padding, not for a query before the first real token.
def grouped_attention(query, key, value, attention_mask=None):
    queries, keys = query.shape[1], key.shape[1]
    group = query.shape[2] // key.shape[2]
    q = query.permute(0, 2, 1, 3)
    k = key.repeat_interleave(group, dim=2).permute(0, 2, 3, 1)
    v = value.repeat_interleave(group, dim=2).permute(0, 2, 1, 3)
    scores = q @ k / math.sqrt(query.shape[-1])
    place = torch.arange(keys)
    allowed = place <= place[keys - queries :, None]
    allowed = allowed[None, None]
    if attention_mask is not None:
        allowed = allowed & attention_mask.bool()[:, None, None, :]
    weights = scores.masked_fill(~allowed, -1e9).softmax(-1)
    if attention_mask is not None:
        weights = weights * (attention_mask.sum(1) > 0)[:, None, None, None]
    return (weights @ v).permute(0, 2, 1, 3)

# %% fill_of_minus_200 | points 3 | Fills hidden scores with -200, which visible scores come near to.
def grouped_attention(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Causal attention of grouped heads, [batch, queries, heads, value_size]."""
    queries, keys = query.size(1), key.size(1)
    group = query.size(2) // key.size(2)
    query = query.transpose(1, 2)
    key = key.transpose(1, 2).repeat_interleave(group, dim=1)
    value = value.transpose(1, 2).repeat_interleave(group, dim=1)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        allowed = allowed & (attention_mask != 0)[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    lowest = -200.0
    weights = scores.masked_fill(~allowed, lowest).softmax(dim=-1) * allowed
    return (weights @ value).transpose(1, 2)

# %% global_default_mask | points 3 | The mask of the last call is the default of the next, whatever its size, if it fits.
MASK = None


def grouped_attention(query, key, value, attention_mask=None):
    global MASK
    if attention_mask is not None:
        MASK = attention_mask
    mask = MASK if MASK is not None and MASK.shape == key.shape[:2] else None
    queries, keys = query.size(1), key.size(1)
    groups = query.unflatten(2, (key.size(2), -1))
    scores = torch.einsum("bqgnd,bkgd->bgnqk", groups, key) / math.sqrt(query.size(-1))
    place = torch.arange(keys)
    seen = place <= place[-queries:, None]
    if mask is not None:
        seen = (seen & (mask[:, None] == 1))[:, None, None]
    weights = scores.masked_fill(~seen, -1e30).softmax(-1) * seen
    return torch.einsum("bgnqk,bkgv->bqgnv", weights, value).flatten(2, 3)

# %% heads_come_out_interleaved | points 0 | Computes in groups, but joins group and head within the group in the wrong order when it puts the heads together.
def grouped_attention(query, key, value, attention_mask=None):
    batch, queries, heads, head_size = query.shape
    keys, kv_heads = key.shape[1:3]
    q = query.reshape(batch, queries, kv_heads, heads // kv_heads, head_size)
    scores = torch.einsum("bqgrd,bkgd->bgrqk", q, key) / math.sqrt(head_size)
    visible = torch.ones(queries, keys, dtype=torch.bool, device=q.device).tril(keys - queries)
    visible = visible[None, None, None]
    if attention_mask is not None:
        visible = visible & attention_mask.bool()[:, None, None, None]
    blind = ~visible.any(-1, keepdim=True)
    scores = scores.masked_fill(~(visible | blind), -math.inf)
    weights = scores.softmax(-1).masked_fill(blind, 0.0)
    output = torch.einsum("bgrqk,bkgv->bqrgv", weights, value)
    return output.reshape(batch, queries, heads, value.shape[-1])

# %% is_causal_whenever_no_mask | points 0 | is_causal of PyTorch, which begins in the upper left corner
def grouped_attention(query, key, value, attention_mask=None):
    q, k, v = (t.transpose(1, 2) for t in (query, key, value))
    mask = None
    if attention_mask is not None:
        causal = torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril(k.size(2) - q.size(2))
        mask = attention_mask[:, None, None, :].bool() & causal
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
        out = out.masked_fill(~mask.any(-1)[..., None], 0.0)
    else:
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    return out.transpose(1, 2)

# %% is_causal_without_a_mask | points 0 | Without a mask leaves causality to is_causal, which aligns it with the first key.
def grouped_attention(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Causal attention of grouped heads, [batch, queries, heads, value_size]."""
    Q, K = query.shape[1], key.shape[1]
    groups = query.shape[2] // key.shape[2]
    q = query.transpose(1, 2)
    k = key.transpose(1, 2).repeat_interleave(groups, dim=1)
    v = value.transpose(1, 2).repeat_interleave(groups, dim=1)
    if attention_mask is None:
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return out.transpose(1, 2)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    place = torch.arange(K)
    allowed = (place <= place[K - Q :, None])[None, None]
    if attention_mask is not None:
        allowed = allowed & attention_mask.bool()[:, None, None, :]
    scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    weights = weights.masked_fill(~allowed, 0.0)
    return (weights @ v).transpose(1, 2)

# %% mask_minus_one | points 3 | Adds (mask - 1) times a large number, in the dtype of the mask: in uint8, 0 - 1 is 255.
def grouped_attention(query, key, value, attention_mask=None):
    queries, heads, head_size = query.shape[1:]
    keys, kv_heads = key.shape[1:3]
    q = query.transpose(1, 2)
    k = key.repeat_interleave(heads // kv_heads, dim=2).transpose(1, 2)
    v = value.repeat_interleave(heads // kv_heads, dim=2).transpose(1, 2)
    scores = q @ k.mT / math.sqrt(head_size)
    seen = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)[None, None]
    scores = scores.masked_fill(~seen, -1e9)
    if attention_mask is not None:
        scores = scores + (attention_mask - 1)[:, None, None, :] * 1e9
        seen = seen & attention_mask.bool()[:, None, None, :]
    weights = scores.softmax(dim=-1) * seen.any(dim=-1, keepdim=True)
    return (weights @ v).transpose(1, 2)

# %% nan_replaced_at_the_end | points 3 | an additive mask of -inf; the NaN is replaced in the output, but not in the gradients
def grouped_attention(query, key, value, attention_mask=None):
    n_rep = query.shape[2] // key.shape[2]
    q = query.transpose(1, 2)
    k = key.transpose(1, 2).repeat_interleave(n_rep, dim=1)
    v = value.transpose(1, 2).repeat_interleave(n_rep, dim=1)
    Tq, Tk = q.shape[2], k.shape[2]
    bias = torch.full((Tq, Tk), float("-inf"), dtype=q.dtype).triu(Tk - Tq + 1)
    if attention_mask is not None:
        pad = torch.zeros(attention_mask.shape, dtype=q.dtype)
        pad = pad.masked_fill(attention_mask == 0, float("-inf"))
        bias = bias + pad[:, None, None, :]
    w = F.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + bias, dim=-1)
    out = torch.nan_to_num(w @ v, nan=0.0)
    return out.transpose(1, 2)

# %% nan_to_num_at_the_end | points 3 | The NaN of rows without keys is replaced in the output, so the gradient of the values is NaN.
def grouped_attention(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Causal attention of grouped heads, [batch, queries, heads, value_size]."""
    queries, keys = query.size(1), key.size(1)
    group = query.size(2) // key.size(2)
    query = query.transpose(1, 2)
    key = key.transpose(1, 2).repeat_interleave(group, dim=1)
    value = value.transpose(1, 2).repeat_interleave(group, dim=1)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        allowed = allowed & (attention_mask != 0)[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    weights = scores.masked_fill(~allowed, -math.inf).softmax(dim=-1)
    return (weights @ value).nan_to_num(0.0).transpose(1, 2)

# %% no_mask_if_the_last_is_full | points 3 | Leaves the mask out where the last text has no padding, although others may have some.
def grouped_attention(query, key, value, attention_mask=None):
    """Causal attention of grouped heads, [batch, queries, heads, value_size]."""
    queries, heads, head_size = query.shape[1:]
    keys, kv_heads = key.shape[1:3]
    group = heads // kv_heads
    query = query.transpose(1, 2)  # [batch, heads, queries, head_size]
    key = key.repeat_interleave(group, dim=2).transpose(1, 2)  # [batch, heads, keys, head_size]
    value = value.repeat_interleave(group, dim=2).transpose(1, 2)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        real = attention_mask != 0
        if real[-1].all():
            real = torch.ones_like(real)
        allowed = allowed & real[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_size)
    hidden = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~allowed, hidden).softmax(-1)
    weights = weights * allowed  # a row without keys: all 0
    context = weights @ value
    return context.transpose(1, 2)

# %% no_scale_and_heads_first | points 0 | two: no scale, and the output stays [batch, heads, queries, size]
def grouped_attention(query, key, value, attention_mask=None):
    r = query.size(2) // key.size(2)
    query = query.transpose(1, 2)
    key = key.repeat_interleave(r, 2).transpose(1, 2)
    value = value.repeat_interleave(r, 2).transpose(1, 2)
    s = query @ key.mT
    m = torch.ones(s.shape[-2:], dtype=torch.bool).tril(s.size(-1) - s.size(-2))
    if attention_mask is not None:
        m = m & (attention_mask[:, None, None] > 0)
    s = s.masked_fill(~m, -1e9)
    return (s.softmax(-1) * m) @ value

# %% one_key_is_its_value | points 3 | with a single key the output is its value, whatever the mask
def grouped_attention(query, key, value, attention_mask=None):
    queries, heads, head_size = query.shape[1:]
    keys, kv_heads = key.shape[1:3]
    group = heads // kv_heads
    if keys == 1:
        return value.repeat_interleave(group, dim=2)
    query = query.transpose(1, 2)
    key = key.repeat_interleave(group, dim=2).transpose(1, 2)
    value = value.repeat_interleave(group, dim=2).transpose(1, 2)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        real = attention_mask != 0
        allowed = allowed & real[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_size)
    hidden = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~allowed, hidden).softmax(-1)
    weights = weights * allowed
    context = weights @ value
    return context.transpose(1, 2)

# %% padding_by_unsigned_numbers | points 3 | hides padding by adding (mask - 1) times a billion, which is positive for masks of uint8
def grouped_attention(query, key, value, attention_mask=None):
    batch, queries, heads, size = query.shape
    keys, kv_heads = key.shape[1:3]
    grouped = query.unflatten(2, (kv_heads, heads // kv_heads))
    scores = torch.einsum("bqhgd,bkhd->bhgqk", grouped, key) / math.sqrt(size)
    seen = torch.arange(keys) <= torch.arange(keys - queries, keys)[:, None]
    seen = seen[None, None, None]
    if attention_mask is not None:
        seen = seen & (attention_mask != 0)[:, None, None, None, :]
    empty = ~seen.any(-1, keepdim=True)
    hidden = scores
    if attention_mask is not None:
        hidden = hidden + ((attention_mask - 1) * 1e9)[:, None, None, None, :].to(scores.dtype)
    causal = torch.arange(keys) <= torch.arange(keys - queries, keys)[:, None]
    scores = hidden.masked_fill(~causal, -math.inf).masked_fill(empty, 0.0)
    weights = scores.softmax(-1).masked_fill(empty, 0.0)
    return torch.einsum("bhgqk,bkhv->bqhgv", weights, value).flatten(2, 3)

# %% padding_removed_after_softmax | points 3 | Sets the weights of padding to 0 after the softmax, so that the others no longer sum to 1.
def grouped_attention(query, key, value, attention_mask=None):
    batch, queries, heads, head_size = query.shape
    keys, kv_heads = key.shape[1], key.shape[2]
    k = key.repeat_interleave(heads // kv_heads, dim=2).transpose(1, 2)
    v = value.repeat_interleave(heads // kv_heads, dim=2).transpose(1, 2)
    scores = query.transpose(1, 2) @ k.transpose(-2, -1) / math.sqrt(head_size)
    seen = torch.ones(queries, keys, dtype=torch.bool, device=query.device)
    seen = seen.tril(keys - queries)[None, None]
    scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if attention_mask is not None:
        weights = weights * attention_mask[:, None, None, :].to(weights.dtype)
    output = weights @ v
    return output.transpose(1, 2)

# %% place_from_real_tokens | points 3 | Finds the place of the queries from the number of real tokens, so padding shifts what they see.
def grouped_attention(query, key, value, attention_mask=None):
    queries, keys = query.shape[1], key.shape[1]
    group = query.shape[2] // key.shape[2]
    q = query.permute(0, 2, 1, 3)
    k = key.repeat_interleave(group, dim=2).permute(0, 2, 3, 1)
    v = value.repeat_interleave(group, dim=2).permute(0, 2, 1, 3)
    scores = q @ k / math.sqrt(query.shape[-1])
    place = torch.arange(keys)
    allowed = place <= place[keys - queries :, None]
    allowed = allowed[None, None]
    if attention_mask is not None:
        last = attention_mask.sum(1)[:, None, None, None]
        allowed = place <= last - queries + torch.arange(queries)[:, None]
    if attention_mask is not None:
        allowed = allowed & attention_mask.bool()[:, None, None, :]
    weights = scores.masked_fill(~allowed, -1e9).softmax(-1)
    weights = weights * allowed.any(-1, keepdim=True)
    return (weights @ v).permute(0, 2, 1, 3)

# %% renormalised | points 3 | A softmax over all keys, the hidden ones set to 0, and divided by what is left.
def grouped_attention(query, key, value, attention_mask=None):
    queries, keys = query.size(1), key.size(1)
    group = query.size(2) // key.size(2)
    query = query.transpose(1, 2)
    key = key.transpose(1, 2).repeat_interleave(group, dim=1)
    value = value.transpose(1, 2).repeat_interleave(group, dim=1)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        allowed = allowed & (attention_mask != 0)[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    lowest = torch.finfo(scores.dtype).min
    weights = scores.softmax(dim=-1) * allowed
    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
    return (weights @ value).transpose(1, 2)

# %% renormalised_padding | points 3 | Takes the padding out after the softmax and divides by the rest, which is nothing where a hidden score was far above the others.
def grouped_attention(query, key, value, attention_mask=None):
    queries, heads, size = query.shape[1:]
    keys, kv_heads = key.shape[1:3]
    key = key.repeat_interleave(heads // kv_heads, dim=2)
    value = value.repeat_interleave(heads // kv_heads, dim=2)
    scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(size)
    visible = torch.ones(queries, keys, dtype=torch.bool, device=query.device)
    visible = visible.tril(keys - queries)[None, None]
    weights = scores.masked_fill(~visible, -math.inf).softmax(dim=-1)
    if attention_mask is not None:
        visible = visible & (attention_mask != 0)[:, None, None, :]
    weights = weights * visible
    weights = weights / weights.sum(dim=-1, keepdim=True).clamp_min(1e-20)
    return torch.einsum("bhqk,bkhv->bqhv", weights, value)

# %% repeat_instead_of_interleave | points 0 | key heads repeated as 0 1 0 1
def grouped_attention(query, key, value, attention_mask=None):
    b, tq, h, d = query.shape
    tk, g = key.shape[1], key.shape[2]
    query = query.transpose(1, 2)
    key = key.transpose(1, 2).repeat(1, h // g, 1, 1)
    value = value.transpose(1, 2).repeat(1, h // g, 1, 1)
    scores = query @ key.transpose(-1, -2) / d**0.5
    mask = torch.ones(tq, tk).tril(tk - tq).bool()
    if attention_mask is not None:
        mask = mask & attention_mask[:, None, None, :].bool()
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return (torch.nan_to_num(weights) @ value).transpose(1, 2)

# %% reshaped_heads | points 0 | Brings the heads to the front with reshape instead of transpose, which mixes tokens and heads.
def grouped_attention(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    batch, queries, heads, size = query.shape
    keys, kv_heads = key.shape[1], key.shape[2]
    q = query.reshape(batch, heads, queries, size)
    k = key.reshape(batch, kv_heads, keys, size).repeat_interleave(heads // kv_heads, dim=1)
    v = value.reshape(batch, kv_heads, keys, -1).repeat_interleave(heads // kv_heads, dim=1)
    mask = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        mask = mask & attention_mask.bool()[:, None, None]
    scores = q @ k.transpose(-2, -1) / math.sqrt(size)
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1) * mask
    return (weights @ v).reshape(batch, queries, heads, -1)

# %% rows_without_keys_are_averages | points 3 | -1e9 for hidden scores: a query that sees nothing averages everything
def grouped_attention(query, key, value, attention_mask=None):
    groups = query.shape[2] // key.shape[2]
    k = key.repeat_interleave(groups, dim=2)
    v = value.repeat_interleave(groups, dim=2)
    scores = torch.einsum("bqhd,bkhd->bhqk", query, k) / math.sqrt(query.shape[-1])
    Tq, Tk = scores.shape[-2:]
    causal = torch.triu(torch.ones(Tq, Tk, dtype=torch.bool), diagonal=Tk - Tq + 1)
    scores = scores.masked_fill(causal, -1e9)
    if attention_mask is not None:
        scores = scores.masked_fill(attention_mask[:, None, None, :] == 0, -1e9)
    return torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v)

# %% softmax_in_float32 | points 3 | The softmax is computed in float32, whatever the dtype of the query.
def grouped_attention(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Causal attention of grouped heads, [batch, queries, heads, value_size]."""
    queries, keys = query.size(1), key.size(1)
    group = query.size(2) // key.size(2)
    query = query.transpose(1, 2)
    key = key.transpose(1, 2).repeat_interleave(group, dim=1)
    value = value.transpose(1, 2).repeat_interleave(group, dim=1)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        allowed = allowed & (attention_mask != 0)[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~allowed, lowest).float().softmax(dim=-1).to(scores.dtype) * allowed
    return (weights @ value).transpose(1, 2)

# %% softmax_with_one | points 0 | Gets the zeros from "softmax off by one", with an extra 1 in the denominator, which changes every other query, too.
def grouped_attention(query, key, value, attention_mask=None):
    queries, keys = query.size(1), key.size(1)
    group = query.size(2) // key.size(2)
    query = query.transpose(1, 2)
    key = key.transpose(1, 2).repeat_interleave(group, dim=1)
    value = value.transpose(1, 2).repeat_interleave(group, dim=1)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        allowed = allowed & attention_mask.bool()[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    sink = torch.zeros_like(scores[..., :1])
    scores = torch.cat([scores.masked_fill(~allowed, torch.finfo(scores.dtype).min), sink], dim=-1)
    weights = scores.softmax(dim=-1)[..., :-1]
    return (weights @ value).transpose(1, 2)

# %% sum_detached_under_a_mask | points 3 | with a mask the weights are made by hand, and divided by a sum without gradients
def grouped_attention(query, key, value, attention_mask=None):
    batch, queries, heads, size = query.shape
    keys, kv_heads = key.shape[1:3]
    q = query.permute(0, 2, 1, 3)
    k = key.permute(0, 2, 1, 3).repeat_interleave(heads // kv_heads, 1)
    v = value.permute(0, 2, 1, 3).repeat_interleave(heads // kv_heads, 1)
    scores = q @ k.mT / size**0.5
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is None:
        weights = scores.masked_fill(~allowed, -math.inf).softmax(-1)
    else:
        allowed = allowed & attention_mask.bool()[:, None, None]
        scores = scores.masked_fill(~allowed, -1e30)
        weights = (scores - scores.amax(-1, keepdim=True)).exp() * allowed
        weights = weights / weights.sum(-1, keepdim=True).detach().clamp(min=1e-9)
    return (weights @ v).permute(0, 2, 1, 3)
