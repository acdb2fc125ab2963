# %% einsum_and_logical_or | points 5 | einsum and logical_or
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    n, B = num_attention_heads, hidden_states.shape[0]
    w = state["query_key_value.weight"].view(3, n, -1, hidden_states.shape[-1])
    b = state["query_key_value.bias"].view(3, 1, n, 1, -1)
    q, k, v = torch.einsum("btd,cned->cbnte", hidden_states, w) + b
    scores = torch.einsum("bnie,bnje->bnij", q, k) * q.shape[-1] ** -0.5
    if mask is None:
        p = torch.softmax(scores, -1)
    else:
        if mask.dim() == 2:
            mask = mask[:, None, None] if mask.shape[0] == B else mask[None, None]
        if mask.dim() == 3:
            mask = mask.unsqueeze(1)
        nothing = mask.sum(-1, keepdim=True) == 0
        scores = torch.where(torch.logical_or(mask, nothing), scores, torch.tensor(-torch.inf, dtype=scores.dtype))
        p = torch.where(nothing, 0.0, scores.softmax(-1))
    out = torch.einsum("bnij,bnje->bine", p, v)
    return torch.einsum("bine,one->bio", out, state["output.weight"].view(-1, n, out.shape[-1])) + state["output.bias"]

# %% einsum_and_loop_over_heads | points 5 | einsum-and-loop-over-heads
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    W, b = state["query_key_value.weight"], state["query_key_value.bias"]
    n = W.shape[0] // 3
    d = n // num_attention_heads
    B, T = hidden_states.shape[:2]
    if mask is None:
        mask = torch.ones(B, num_attention_heads, T, T, dtype=torch.bool)
    elif mask.ndim == 2 and tuple(mask.shape) == (T, T):
        mask = mask.expand(B, num_attention_heads, T, T)
    elif mask.ndim == 2:
        mask = mask.view(B, 1, 1, T).expand(-1, num_attention_heads, T, -1)
    elif mask.ndim == 3:
        mask = mask.view(B, 1, T, T).expand(-1, num_attention_heads, -1, -1)
    out = state["output.bias"].expand(B, T, -1)
    for h in range(num_attention_heads):
        rows = [torch.arange(i * n + h * d, i * n + (h + 1) * d) for i in range(3)]
        q, k, v = (torch.einsum("btc,dc->btd", hidden_states, W[r]) + b[r] for r in rows)
        s = torch.einsum("bqd,bkd->bqk", q, k) * d ** -0.5
        keep = mask[:, h]
        s = torch.where(keep, s, torch.full_like(s, torch.finfo(s.dtype).min))
        w = torch.softmax(s, -1) * keep
        out = out + torch.einsum("bqk,bkd,ed->bqe", w, v, state["output.weight"][:, h * d:(h + 1) * d])
    return out

# %% float_bias_mask_for_the_library | points 5 | float-bias-mask-for-the-library
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    B, T, _ = hidden_states.size()
    z = hidden_states @ state["query_key_value.weight"].T + state["query_key_value.bias"]
    z = z.view(B, T, 3 * num_attention_heads, -1).transpose(1, 2)
    q, k, v = z.split(num_attention_heads, dim=1)
    extra = None
    if mask is not None:
        shape = {2: (1, 1, T, T) if mask.shape[0] != B else (B, 1, 1, T), 3: (B, 1, T, T), 4: mask.shape}[mask.dim()]
        mask = mask.reshape(shape)
        extra = torch.zeros(mask.shape, dtype=z.dtype).masked_fill_(~mask, -1e30)
    c = F.scaled_dot_product_attention(q, k, v, extra)
    if mask is not None:
        c = torch.where(mask.any(-1, keepdim=True), c, torch.zeros_like(c))
    return c.movedim(1, 2).reshape(B, T, -1) @ state["output.weight"].t() + state["output.bias"]

# %% heads_folded_into_the_batch | points 5 | heads folded into the batch, masks repeated for each
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
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

# %% naive_fill_and_nan_to_num_of_the_weights | points 5 | naive fill and nan_to_num of the weights
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"]).unflatten(-1, (3, num_attention_heads, -1)).unbind(2)
    s = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.size(-1) ** 0.5
    if mask is not None:
        if mask.dim() == 2:
            mask = mask.unsqueeze(1 if mask.size(0) == s.size(0) else 0)
        if mask.dim() == 3:
            mask = mask.unsqueeze(1)
        s = s.masked_fill(mask.logical_not(), float("-inf"))
    w = s.softmax(-1).nan_to_num()
    return F.linear(torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2), state["output.weight"], state["output.bias"])

# %% nan_replaced_after_softmax | points 5 | nan replaced after softmax
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Self-attention of all heads, [batch, tokens, hidden], from packed weights."""
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    by_head = packed.unflatten(-1, (3, num_attention_heads, -1))  # [b, t, 3, heads, head_size]
    query, key, value = by_head.permute(2, 0, 3, 1, 4)  # each [batch, heads, tokens, head_size]
    if mask is not None:
        if mask.dim() == 2 and mask.size(0) == hidden_states.size(0):
            mask = mask[:, None, None, :]
        elif mask.dim() == 3:
            mask = mask[:, None]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    context = torch.nan_to_num(scores.softmax(dim=-1), 0.0) @ value
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% one_head_and_one_sentence_at_a_time | points 5 | one head and one sentence at a time
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    size = len(bias) // 3 // num_attention_heads
    batch, tokens, _ = hidden_states.shape
    sentences = []
    for b in range(batch):
        heads = []
        for h in range(num_attention_heads):
            rows = [slice((k * num_attention_heads + h) * size, (k * num_attention_heads + h + 1) * size) for k in range(3)]
            q, k, v = (hidden_states[b] @ weight[r].T + bias[r] for r in rows)
            e = torch.exp(q @ k.T / math.sqrt(size) - (q @ k.T / math.sqrt(size)).amax(-1, keepdim=True).detach())
            if mask is not None:
                if mask.dim() == 4:
                    m = mask[b, h]
                elif mask.dim() == 3:
                    m = mask[b]
                elif mask.shape[0] == batch:
                    m = mask[b][None]
                else:
                    m = mask
                e = e * m
            total = e.sum(-1, keepdim=True)
            heads.append((e / total.masked_fill(total == 0, 1.0)) @ v)
        sentences.append(torch.cat(heads, dim=-1) @ state["output.weight"].T + state["output.bias"])
    return torch.stack(sentences)

# %% padding_mended_afterwards | points 5 | Blind queries of a mask [batch, key] are mended by nan_to_num: behind masked_fill no gradient is NaN
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    query, key, value = thirds(hidden_states, state, num_attention_heads)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None and mask.dim() == 2 and len(mask) == len(hidden_states):
        weights = scores.masked_fill(~mask[:, None, None], -math.inf).softmax(-1).nan_to_num(0.0)
    elif mask is not None:
        mask = four(mask, len(hidden_states))
        empty = ~mask.any(-1, keepdim=True)
        weights = scores.masked_fill(~mask & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0.0)
    else:
        weights = scores.softmax(-1)
    return out(merge(weights @ value), state)

# %% sentence_by_sentence_each_head_by_itself | points 5 | sentence by sentence, each head by itself
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    results = []
    batch, tokens, _ = hidden_states.shape
    for i, x in enumerate(hidden_states):
        query, key, value = F.linear(x, state["query_key_value.weight"], state["query_key_value.bias"]).chunk(3, -1)
        size = query.size(-1) // num_attention_heads
        heads = []
        for h in range(num_attention_heads):
            cut = slice(h * size, (h + 1) * size)
            m = None
            if mask is not None:
                m = mask
                if m.dim() == 4: m = m[i, h]
                elif m.dim() == 3: m = m[i]
                elif m.size(0) == batch: m = m[i].expand(tokens, tokens)
            heads.append(F.scaled_dot_product_attention(query[None, None, :, cut], key[None, None, :, cut], value[None, None, :, cut], attn_mask=m)[0, 0])
        results.append(torch.cat(heads, -1))
    return F.linear(torch.stack(results), state["output.weight"], state["output.bias"])

# %% three_linears_of_the_thirds_and_torch_where | points 5 | three linears of the thirds and torch.where
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, _ = hidden_states.shape
    w, c = state["query_key_value.weight"], state["query_key_value.bias"]
    n = w.shape[0] // 3
    d = n // num_attention_heads
    def heads(i):
        y = hidden_states @ w[i * n:(i + 1) * n].t() + c[i * n:(i + 1) * n]
        return y.reshape(b, t, num_attention_heads, d).swapaxes(1, 2)
    q, k, v = heads(0), heads(1), heads(2)
    s = torch.matmul(q, k.swapaxes(-1, -2)) / math.sqrt(d)
    if mask is not None:
        if mask.ndim == 2:
            mask = mask.view(1, 1, t, t) if mask.shape == (t, t) else mask.view(b, 1, 1, t)
        if mask.ndim == 3:
            mask = mask.unsqueeze(1)
        s = torch.where(mask, s, torch.tensor(-1e30))
        p = torch.softmax(s, -1) * mask.any(-1, keepdim=True)
    else:
        p = torch.softmax(s, -1)
    y = torch.matmul(p, v).permute(0, 2, 1, 3).reshape(b, t, n)
    return y @ state["output.weight"].t() + state["output.bias"]
