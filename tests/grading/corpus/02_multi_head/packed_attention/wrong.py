# %% 4_d_mask_only_that_of_head_0_used | points 3 | 4-d-mask-only-that-of-head-0-used
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    B, T, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.chunk(3, dim=-1)
    head_size = q.size(-1) // num_attention_heads
    q = q.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    k = k.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    v = v.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / math.sqrt(head_size)
    if mask is not None:
        if mask.dim() == 2:
            if mask.size(0) == B:
                mask = mask[:, None, None, :]
            else:
                mask = mask[None, None]
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
        else:
            mask = mask[:, :1]
        nothing = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & ~nothing, float("-inf"))
        weights = torch.softmax(scores, dim=-1).masked_fill(nothing, 0.0)
    else:
        weights = torch.softmax(scores, dim=-1)
    context = weights @ v
    context = context.transpose(1, 2).reshape(B, T, num_attention_heads * head_size)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% a_module_filled_with_the_weights | points 4 | a module filled with copies of the weights, which no gradient reaches
class Attention(nn.Module):
    def __init__(self, hidden, width, heads):
        super().__init__()
        self.query_key_value, self.output = nn.Linear(hidden, 3 * width), nn.Linear(width, hidden)
        self.heads = heads
    def forward(self, x, mask):
        q, k, v = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in self.query_key_value(x).chunk(3, -1))
        return self.output(F.scaled_dot_product_attention(q, k, v, mask).transpose(1, 2).flatten(-2))

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    hidden, width = state["output.weight"].shape
    module = Attention(hidden, width, num_attention_heads)
    module.load_state_dict(state)
    if mask is not None and mask.dim() < 4:
        if mask.dim() == 2 and len(mask) == len(hidden_states):
            mask = mask[:, None]
        mask = mask[None, None] if mask.dim() == 2 else mask[:, None]
    return module(hidden_states, mask)

# %% as_many_heads_as_tokens | points 0 | Swaps heads and tokens back only where the second axis is not as long as the sentence.
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, _ = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, -1)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    if mask is not None:
        if mask.dim() == 2:
            mask = mask[:, None, None] if mask.size(0) == batch else mask[None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    if context.shape[1] != tokens:
        context = context.transpose(1, 2)
    context = context.reshape(batch, tokens, -1)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% blind_in_one_is_blind_in_all | points 4 | A query that sees nothing in one head gets zeros from all heads.
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, _ = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = (
        part.unflatten(-1, (num_attention_heads, -1)).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is None:
        context = scores.softmax(dim=-1) @ v
    else:
        if mask.dim() == 2:
            mask = mask[:, None, None, :] if mask.size(0) == batch else mask[None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
        blind = ~mask.any(dim=-1, keepdim=True)
        weights = scores.masked_fill(~mask & ~blind, -math.inf).softmax(dim=-1)
        context = (weights @ v).masked_fill(blind.any(dim=1, keepdim=True), 0.0)
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% empty_by_its_ends | points 0 | A sentence that begins and ends with padding counts as all padding.
def attend(x, w, b, wo, bo, heads, mask):
    q, k, v = F.linear(x, w, b).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    return F.linear(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2), wo, bo)

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    w, b, wo, bo = (state[n] for n in ("query_key_value.weight", "query_key_value.bias", "output.weight", "output.bias"))
    m = four(mask, len(hidden_states))
    if m is not None and mask.dim() == 2 and len(mask) == len(hidden_states):
        m = m & (m[..., :1] | m[..., -1:])
    return attend(hidden_states, w, b, wo, bo, num_attention_heads, m)

# %% from_first_to_last | points 0 | Turns a mask [batch, key] into a span from the first token to the last.
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, _ = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    if mask is not None:
        if mask.dim() == 2 and mask.size(0) == batch:
            begun = mask.long().cumsum(-1) > 0
            not_over = mask.long().flip(-1).cumsum(-1).flip(-1) > 0
            mask = (begun & not_over)[:, None, None, :]
        elif mask.dim() == 3:
            mask = mask[:, None]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% hidden_axis_by_its_length | points 0 | Looks for the axis of the numbers by its length: with as many tokens it takes theirs.
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    w = state["query_key_value.weight"]
    place = hidden_states.shape.index(w.size(1))
    packed = torch.tensordot(hidden_states, w, ([place], [1])) + state["query_key_value.bias"]
    q, k, v = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    if mask is not None and mask.dim() == 2:
        mask = mask[:, None, None] if mask.size(0) == len(hidden_states) else mask
    elif mask is not None and mask.dim() == 3:
        mask = mask[:, None]
    context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% key_axis_decides | points 4 | Tells [batch, key] from [query, key] by the number of keys, so a mask [query, key] is taken for padding.
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Self-attention of all heads, [batch, tokens, hidden], from packed weights."""
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = (
        part.unflatten(-1, (num_attention_heads, -1)).transpose(1, 2) for part in packed.chunk(3, -1)
    )
    if mask is not None:
        if mask.dim() == 2 and mask.size(1) == key.size(2):
            mask = mask[:1] if mask.size(0) != hidden_states.size(0) else mask
            mask = mask[:, None, None, :]
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% mask_added_as_a_float_of_ones_and_zeros | points 0 | mask added as a float of ones and zeros
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    m = four(mask, len(hidden_states))
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=None if m is None else m.float())
    return out(merge(c), state)

# %% mask_hides_queries_too | points 0 | Takes a mask [batch, key] for the queries as well, so that hidden tokens get zeros as queries.
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, _ = hidden_states.shape
    packed = F.linear(
        hidden_states, state["query_key_value.weight"], state["query_key_value.bias"]
    )
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, -1)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        if mask.dim() == 2 and mask.size(0) == batch:
            mask = mask[:, None, :, None] & mask[:, None, None, :]
        elif mask.dim() == 2:
            mask = mask[None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1) * mask
    context = (weights @ value).transpose(1, 2).reshape(batch, tokens, -1)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% mask_of_all_false_ignored | points 4 | Treats a mask in which nobody may look at anything like no mask at all.
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, _ = hidden_states.shape
    packed = F.linear(
        hidden_states, state["query_key_value.weight"], state["query_key_value.bias"]
    )
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, -1)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None and mask.any():
        if mask.dim() == 2:
            mask = mask[:, None, None, :] if mask.size(0) == batch else mask[None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1) * mask
    else:
        weights = scores.softmax(dim=-1)
    context = (weights @ value).transpose(1, 2).reshape(batch, tokens, -1)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% mask_of_head_zero | points 3 | Loops over the heads and gives each of them the mask of head 0.
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Self-attention of all heads, [batch, tokens, hidden], from packed weights."""
    b = hidden_states.size(0)
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.chunk(3, dim=-1)
    if mask is not None and mask.dim() == 2 and mask.size(0) == b:
        mask = mask[:, None, :]
    if mask is not None and mask.dim() == 4:
        mask = mask[:, 0]
    size = q.size(-1) // num_attention_heads
    heads = []
    for h in range(num_attention_heads):
        part = slice(h * size, (h + 1) * size)
        heads.append(
            F.scaled_dot_product_attention(q[..., part], k[..., part], v[..., part], attn_mask=mask)
        )
    return F.linear(torch.cat(heads, -1), state["output.weight"], state["output.bias"])

# %% mask_of_queries_transposed | points 4 | Reads a mask [query, key] with the axes exchanged; the NaN of empty rows is replaced, and masked_fill stops its gradient.
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Self-attention of all heads, [batch, tokens, hidden], from packed weights."""
    batch, tokens, hidden = hidden_states.shape
    packed = F.linear(
        hidden_states, state["query_key_value.weight"], state["query_key_value.bias"]
    )
    query, key, value = (
        part.view(batch, tokens, num_attention_heads, -1).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        if mask.dim() == 2 and mask.size(0) == batch:
            mask = mask[:, None, None, :]
        elif mask.dim() == 2:
            mask = mask.T
        elif mask.dim() == 3:
            mask = mask[:, None]
        weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1).nan_to_num(0.0)
    context = (weights @ value).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% module_with_copies | points 3 | Two mistakes: fills nn.MultiheadAttention with copies (no gradients for the state, NaN for blind queries), and that module can't have free head sizes.
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    module = nn.MultiheadAttention(hidden, num_attention_heads, batch_first=True)
    module.to(hidden_states.dtype)
    module.load_state_dict({
        "in_proj_weight": state["query_key_value.weight"],
        "in_proj_bias": state["query_key_value.bias"],
        "out_proj.weight": state["output.weight"],
        "out_proj.bias": state["output.bias"],
    })
    hide = None
    if mask is not None:
        if mask.dim() == 2 and mask.size(0) == batch:
            mask = mask[:, None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
        full = mask.expand(batch, num_attention_heads, tokens, tokens)
        hide = ~full.reshape(-1, tokens, tokens)
    return module(hidden_states, hidden_states, hidden_states, attn_mask=hide, need_weights=False)[0]

# %% no_mask_if_the_first_is_full | points 0 | Leaves the mask out where the first sentence has no padding, although others may have some.
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    """Self-attention of all heads, [batch, tokens, hidden], from packed weights."""
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    head_size = len(weight) // 3 // num_attention_heads
    packed = F.linear(hidden_states, weight, bias)  # [batch, tokens, 3 * heads * head_size]
    query, key, value = (
        part.unflatten(-1, (num_attention_heads, head_size)).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    if mask is not None and mask[0].all():
        mask = None
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        keep = mask
        if mask.dim() == 2 and mask.size(0) == len(hidden_states):
            keep = mask[:, None, None, :]  # [batch, key]
        elif mask.dim() == 3:
            keep = mask[:, None]  # [batch, query, key]
        empty = ~keep.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~keep & ~empty, -math.inf)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(empty, 0.0)
    context = weights @ value
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% query_bias_not_scaled | points 0 | Divides the query by the root before its bias is added, so the bias isn't scaled
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    heads = num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    head_size = weight.size(0) // (3 * heads)
    packed = F.linear(hidden_states, weight)
    query, key, value = packed.chunk(3, dim=-1)
    query_bias, key_bias, value_bias = bias.chunk(3)
    query, key, value = (
        part.reshape(batch, tokens, heads, head_size).transpose(1, 2)
        for part in (query / math.sqrt(head_size) + query_bias, key + key_bias, value + value_bias)
    )
    scores = query @ key.transpose(-2, -1)
    if mask is None:
        mask = torch.ones(tokens, tokens, dtype=torch.bool, device=scores.device)
    elif mask.dim() == 2 and mask.size(0) == batch:
        mask = mask[:, None, None, :]
    elif mask.dim() == 3:
        mask = mask[:, None]
    seen = mask.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~mask, float("-inf")).masked_fill(~seen, 0.0)
    weights = scores.softmax(dim=-1).masked_fill(~mask, 0.0)
    context = (weights @ value).transpose(1, 2).reshape(batch, tokens, heads * head_size)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% query_that_sees_nothing_whole_result_zeroed_behind_the_outpu | points 4 | query-that-sees-nothing-whole-result-zeroed-behind-the-outpu
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    B, T, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.chunk(3, dim=-1)
    head_size = q.size(-1) // num_attention_heads
    q = q.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    k = k.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    v = v.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / math.sqrt(head_size)
    if mask is not None:
        if mask.dim() == 2:
            if mask.size(0) == B:
                mask = mask[:, None, None, :]
            else:
                mask = mask[None, None]
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
        nothing = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & ~nothing, float("-inf"))
        weights = torch.softmax(scores, dim=-1).masked_fill(nothing, 0.0)
    else:
        weights = torch.softmax(scores, dim=-1)
    context = weights @ v
    context = context.transpose(1, 2).reshape(B, T, num_attention_heads * head_size)
    result = F.linear(context, state["output.weight"], state["output.bias"])
    if mask is not None:
        seen = mask.any(-1).any(1).expand(B, T)
        result = result * seen[..., None]
    return result

# %% repeat_for_repeat_interleave | points 0 | heads folded into the batch, masks repeated with repeat
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, _ = hidden_states.shape
    h = num_attention_heads
    qkv = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = (p.unflatten(-1, (h, -1)).transpose(1, 2).flatten(0, 1) for p in qkv.chunk(3, -1))
    if mask is not None:
        if mask.dim() == 2 and len(mask) == b:
            mask = mask.repeat(h, 1)[:, None]
        elif mask.dim() == 3:
            mask = mask.repeat(h, 1, 1)
        elif mask.dim() == 4:
            mask = mask.flatten(0, 1)
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    c = c.unflatten(0, (b, h)).transpose(1, 2).flatten(2)
    return F.linear(c, state["output.weight"], state["output.bias"])

# %% residual_added | points 0 | residual added
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    return hidden_states + out(merge(F.scaled_dot_product_attention(q, k, v, attn_mask=four(mask, len(hidden_states)))), state)

# %% scale_is_the_root_of_the_number_of_heads | points 0 | scale-is-the-root-of-the-number-of-heads
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    B, T, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.chunk(3, dim=-1)
    head_size = q.size(-1) // num_attention_heads
    q = q.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    k = k.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    v = v.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / math.sqrt(num_attention_heads)
    if mask is not None:
        if mask.dim() == 2:
            if mask.size(0) == B:
                mask = mask[:, None, None, :]
            else:
                mask = mask[None, None]
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
        nothing = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & ~nothing, float("-inf"))
        weights = torch.softmax(scores, dim=-1).masked_fill(nothing, 0.0)
    else:
        weights = torch.softmax(scores, dim=-1)
    context = weights @ v
    context = context.transpose(1, 2).reshape(B, T, num_attention_heads * head_size)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% scale_root_of_hidden_not_of_head_size | points 0 | scale-root-of-hidden-not-of-head-size
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    B, T, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.chunk(3, dim=-1)
    head_size = q.size(-1) // num_attention_heads
    q = q.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    k = k.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    v = v.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / math.sqrt(hidden)
    if mask is not None:
        if mask.dim() == 2:
            if mask.size(0) == B:
                mask = mask[:, None, None, :]
            else:
                mask = mask[None, None]
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
        nothing = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & ~nothing, float("-inf"))
        weights = torch.softmax(scores, dim=-1).masked_fill(nothing, 0.0)
    else:
        weights = torch.softmax(scores, dim=-1)
    context = weights @ v
    context = context.transpose(1, 2).reshape(B, T, num_attention_heads * head_size)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% scores_of_0_hidden | points 0 | Multiplies the scores by the mask and hides whatever is 0 then.
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Self-attention of all heads, [batch, tokens, hidden], from packed weights."""
    batch, tokens, hidden = hidden_states.shape
    packed = F.linear(
        hidden_states, state["query_key_value.weight"], state["query_key_value.bias"]
    )
    query, key, value = (
        part.view(batch, tokens, num_attention_heads, -1).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        if mask.dim() == 2 and mask.size(0) == batch:
            mask = mask[:, None, None, :]
        elif mask.dim() == 2:
            pass
        elif mask.dim() == 3:
            mask = mask[:, None]
        scores = scores * mask
        weights = scores.masked_fill(scores == 0, -math.inf).softmax(dim=-1).nan_to_num(0.0)
    context = (weights @ value).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% size_from_hidden_and_nan_swept_away | points 4 | head_size is hidden // heads; NaN of the softmax is swept away, and so are those in the gradients, by masked_fill.
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, hidden = hidden_states.shape
    size = hidden // num_attention_heads
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = (
        part.reshape(batch, tokens, num_attention_heads, size).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(size)
    if mask is not None:
        if mask.dim() == 2:
            mask = mask[:, None, None, :] if mask.size(0) == batch else mask[None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
    context = (weights @ value).transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% softmax_with_the_legacy_axis_1 | points 0 | softmax with the legacy axis 1
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    s = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        s = s.masked_fill(~four(mask, len(hidden_states)), -1e9)
    return out(merge(F.softmax(s, 1) @ v), state)

# %% squeezes_a_single_head | points 0 | Loses the axis of the heads where there is one.
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    head_size = len(weight) // 3 // num_attention_heads
    packed = F.linear(hidden_states, weight, bias)
    query, key, value = (
        part.unflatten(-1, (num_attention_heads, head_size)).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        keep = mask
        if mask.dim() == 2 and mask.size(0) == len(hidden_states):
            keep = mask[:, None, None, :]
        elif mask.dim() == 3:
            keep = mask[:, None]
        empty = ~keep.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~keep & ~empty, -math.inf)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(empty, 0.0)
    context = (weights @ value).squeeze(1)
    context = context.transpose(-3, -2).flatten(-2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% tensors_by_their_place | points 0 | Takes the four tensors by their place in the dictionary, not by their names.
def attend(x, w, b, wo, bo, heads, mask):
    q, k, v = F.linear(x, w, b).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    return F.linear(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2), wo, bo)

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    w, b, wo, bo = state.values()
    return attend(hidden_states, w, b, wo, bo, num_attention_heads, four(mask, len(hidden_states)))

# %% tensors_taken_by_their_place | points 0 | takes the four tensors by their place in the dictionary, although it may come in any order
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    weight, bias, output_weight, output_bias = state.values()
    size = output_weight.size(1) // num_attention_heads
    packed = F.linear(hidden_states, weight, bias)
    query, key, value = (
        part.reshape(batch, tokens, num_attention_heads, size).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(size)
    if mask is None:
        mask = torch.ones(batch, tokens, dtype=torch.bool)
    if mask.dim() == 2 and mask.size(0) == batch:
        mask = mask[:, None, None, :]
    elif mask.dim() == 2:
        mask = mask[None, None, :, :]
    elif mask.dim() == 3:
        mask = mask[:, None]
    sees = mask.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~mask, -math.inf).masked_fill(~sees, 0.0)
    weights = scores.softmax(dim=-1).masked_fill(~sees, 0.0)
    context = (weights @ value).transpose(1, 2).flatten(2)
    return F.linear(context, output_weight, output_bias)

# %% the_chapters_head_size_and_a_naive_fill | points 3 | the chapter's head size and a naive fill
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, d = hidden_states.shape
    q, k, v = (p.view(b, t, num_attention_heads, d // num_attention_heads).transpose(1, 2) for p in project(hidden_states, state).split(d, -1))
    s = q @ k.mT / (d // num_attention_heads) ** 0.5
    if mask is not None:
        s = s.masked_fill(four(mask, b) == 0, float("-inf"))
    return out(merge(s.softmax(-1) @ v), state)

# %% the_chapters_module_as_a_function_masks_expanded_as_for | points 2 | the chapter's module as a function, masks expanded as for padding
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    q, k, v = (p.reshape(batch, tokens, num_attention_heads, head_size).transpose(1, 2) for p in project(hidden_states, state).chunk(3, -1))
    scores = q @ k.transpose(-2, -1) / math.sqrt(head_size)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None, None, :], -math.inf)
    context = scores.softmax(-1) @ v
    return out(context.transpose(1, 2).reshape(batch, tokens, hidden), state)

# %% three_axes_read_as_keys_of_queries | points 4 | Reads a mask of three axes as [batch, key, query] and turns it before use.
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    batch, tokens, _ = hidden_states.shape
    packed = F.linear(
        hidden_states, state["query_key_value.weight"], state["query_key_value.bias"]
    )
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, -1)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.size(-1))
    if mask is not None:
        if mask.dim() == 2:
            mask = mask[:, None, None, :] if mask.size(0) == batch else mask[None, None]
        elif mask.dim() == 3:
            mask = mask.transpose(1, 2).unsqueeze(1)
        blind = ~mask.any(dim=-1, keepdim=True)
        weights = scores.masked_fill(~(mask | blind), -math.inf).softmax(dim=-1)
        weights = weights.masked_fill(blind, 0.0)
    else:
        weights = scores.softmax(dim=-1)
    context = (weights @ value).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% three_dimensions_not_unsqueezed_finite_fill | points 3 | three dimensions not unsqueezed, finite fill
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    s = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        if mask.dim() == 2:
            mask = four(mask, len(hidden_states))
        s = s.masked_fill(~mask, -1e9)
    return out(merge(s.softmax(-1) @ v), state)

# %% true_hides_as_in_multiheadattention | points 0 | True hides, as in MultiheadAttention
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    m = four(mask, len(hidden_states))
    s = q @ k.mT / math.sqrt(q.size(-1))
    if m is not None:
        s.masked_fill_(m, -1e9)
    return out(merge(s.softmax(-1) @ v), state)

# %% view_of_the_packed_numbers_to_heads_first_and_back | points 0 | view of the packed numbers to heads first and back
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, _ = hidden_states.shape
    q, k, v = (p.reshape(b, num_attention_heads, t, -1) for p in project(hidden_states, state).chunk(3, -1))
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=four(mask, b))
    return out(c.reshape(b, t, -1), state)

# %% weight_not_transposed_in_a_matmul | points 0 | weight not transposed in a matmul
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    packed = hidden_states @ state["query_key_value.weight"] + state["query_key_value.bias"]
    return out(packed[..., :hidden_states.size(-1)], state)

# %% weights_read_as_query_key_value_of_each_head | points 0 | weights read as query, key, value of each head
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, _ = hidden_states.shape
    q, k, v = project(hidden_states, state).view(b, t, num_attention_heads, 3, -1).permute(3, 0, 2, 1, 4)
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=four(mask, b))
    return out(merge(c), state)

# %% weights_used_as_data | points 4 | the weights are used as data
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    state = {k: v.data for k, v in state.items()}
    b, t, _ = hidden_states.shape
    h = num_attention_heads
    qkv = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = (p.unflatten(-1, (h, -1)).transpose(1, 2).flatten(0, 1) for p in qkv.chunk(3, -1))
    if mask is not None:
        if mask.dim() == 2 and len(mask) == b:
            mask = mask.repeat_interleave(h, 0)[:, None]
        elif mask.dim() == 3:
            mask = mask.repeat_interleave(h, 0)
        elif mask.dim() == 4:
            mask = mask.flatten(0, 1)
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    c = c.unflatten(0, (b, h)).transpose(1, 2).flatten(2)
    return F.linear(c, state["output.weight"], state["output.bias"])

# %% zeros_behind_the_output | points 4 | A query that sees nothing gets zeros as its final output, not from the heads: the output bias is lost, and one blind head is NaN.
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    blind = None
    if mask is not None:
        if mask.dim() == 2:
            mask = mask[:, None, None] if mask.size(0) == hidden_states.size(0) else mask[None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
        blind = ~mask.any(dim=-1).all(dim=1).unsqueeze(-1)
        blind = blind.expand(hidden_states.size(0), hidden_states.size(1), 1)
        scores = scores.masked_fill(~mask, -1e9)
    context = (scores.softmax(dim=-1) @ value).transpose(1, 2).flatten(2)
    output = F.linear(context, state["output.weight"], state["output.bias"])
    return output if blind is None else output.masked_fill(blind, 0.0)
