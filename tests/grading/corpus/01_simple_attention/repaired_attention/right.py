# %% eq_false | points 3 | eq False
repaired_attention = lambda query, key, value, is_padding: F.scaled_dot_product_attention(query, key, value, attn_mask=is_padding.eq(False)[:, None])

# %% explicit_scale | points 3 | explicit scale
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1), dropout_p=0.0, scale=1 / math.sqrt(query.size(-1)))

# %% float_mask_of_minus_infinity_and_where | points 3 | float-mask-of-minus-infinity-and-where
def repaired_attention(query, key, value, is_padding):
    bias = torch.where(is_padding, -1e30, 0.0)[:, None].to(query)
    out = F.scaled_dot_product_attention(query, key, value, bias)
    return torch.where(is_padding.all(1)[:, None, None], torch.zeros_like(out), out)

# %% logical_not_and_expand | points 3 | logical_not and expand
def repaired_attention(q, k, v, p):
    m = torch.logical_not(p)[:, None].expand(-1, q.size(1), -1)
    return F.scaled_dot_product_attention(q, k, v, m)

# %% loops_over_sentences_and_tokens | points 3 | loops-over-sentences-and-tokens
def repaired_attention(query, key, value, is_padding):
    out = torch.zeros(query.size(0), query.size(1), value.size(-1), dtype=query.dtype)
    for b in range(query.size(0)):
        real = [j for j in range(key.size(1)) if not bool(is_padding[b, j])]
        if real:
            w = (query[b] @ key[b, real].T / query.size(-1) ** 0.5).softmax(1)
            out[b] = w @ value[b, real]
    return out

# %% multiheadattention_style_by_hand | points 3 | MultiheadAttention style by hand
def repaired_attention(query, key, value, is_padding):
    s = torch.baddbmm(torch.zeros(1), query, key.mT, beta=0, alpha=key.size(-1) ** -.5)
    p = is_padding[:, None]
    w = s.masked_fill(p, -1e30).softmax(-1).masked_fill(p, 0.)
    return w.bmm(value)

# %% nan_to_num_by_hand | points 3 | By hand with -inf and nan_to_num before the values: its gradients are numbers, for masked_fill stops NaN.
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    """Attention in which padding takes no part: [batch, queries, d_v]."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
    scores = scores.masked_fill(is_padding[:, None, :], float("-inf"))
    weights = torch.nan_to_num(scores.softmax(dim=-1), nan=0.0)
    return weights @ value

# %% sentence_by_sentence | points 3 | sentence by sentence
def repaired_attention(query, key, value, is_padding):
    rows = []
    for q, k, v, p in zip(query, key, value, is_padding):
        k, v = k[~p], v[~p]
        rows.append((q @ k.T / math.sqrt(q.size(1))).softmax(-1) @ v)
    return torch.stack(rows)
