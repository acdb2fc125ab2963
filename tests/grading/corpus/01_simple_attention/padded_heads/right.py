# %% 1e9_and_zeroed_rows | points 5 | -1e9 and zeroed rows
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.mT / math.sqrt(query.size(-1))
    if attention_mask is None:
        return s.softmax(-1) @ value
    m = attention_mask[:, None, None].to(s.dtype)
    return (s + (1 - m) * -1e9).softmax(-1) * m @ value

# %% chunks_of_queries | points 5 | chunks of queries
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask.bool()[:, None, None]
    return torch.cat([F.scaled_dot_product_attention(q, key, value, attn_mask=m) for q in query.split(2, dim=2)], dim=2)

# %% exp_with_masked_maximum_clamp_denominators | points 5 | exp-with-masked-maximum-clamp-denominators
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones(key.size(0), key.size(2), dtype=torch.long)
    keep = (attention_mask > 0).view(key.size(0), 1, 1, -1)
    s = torch.einsum("bhqd,bhkd->bhqk", query * query.size(-1) ** -0.5, key)
    top = s.masked_fill(~keep, torch.finfo(s.dtype).min).amax(-1, keepdim=True).detach()
    e = torch.exp(torch.where(keep, s - top, torch.zeros(()).to(s))) * keep
    return e @ value / e.sum(-1, keepdim=True).clamp_min(torch.finfo(s.dtype).tiny)

# %% flattened_heads_and_bmm | points 5 | flattened heads and bmm
def padded_heads(query, key, value, attention_mask=None):
    B, H = query.shape[:2]
    q, k, v = (t.reshape(B * H, *t.shape[2:]) for t in (query, key, value))
    s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(-1))
    if attention_mask is not None:
        keep = attention_mask.bool().repeat_interleave(H, 0)[:, None]
        empty = ~keep.any(-1, keepdim=True)
        w = s.masked_fill(~keep & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0)
    else:
        w = s.softmax(-1)
    return torch.bmm(w, v).view(B, H, *query.shape[2:3], -1)

# %% flex_attention_free_compile_free_masked_tensor_by_where | points 5 | flex_attention-free compile-free masked tensor by where
def padded_heads(query, key, value, attention_mask=None):
    s = torch.einsum('bhqd,bhkd->bhqk', query, key).div(query.size(-1) ** .5)
    mask = torch.ones_like(s, dtype=torch.bool) if attention_mask is None else attention_mask[:, None, None].bool().expand_as(s)
    top = torch.where(mask, s, -torch.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.).detach()
    e = torch.where(mask, (torch.where(mask, s, top) - top).exp(), 0.)
    return torch.einsum('bhqk,bhkd->bhqd', e / e.sum(-1, keepdim=True).clamp(min=1e-20), value)

# %% gather_whole_sentences_zero_the_empty_ones | points 5 | gather whole sentences, zero the empty ones
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        return F.scaled_dot_product_attention(query, key, value)
    out = torch.zeros(*query.shape[:3], value.size(3))
    some = attention_mask.any(1)
    out[some] = F.scaled_dot_product_attention(query[some], key[some], value[some], attn_mask=attention_mask[some][:, None, None].bool())
    return out

# %% helper_imported_in_the_cell_and_mask_as_keyword_only_default | points 5 | helper imported in the cell and mask as keyword-only default
from torch.nn.functional import scaled_dot_product_attention as sdpa
def _m(m): return m if m is None else m.gt(0).unsqueeze(1).unsqueeze(2)
def padded_heads(query, key, value, attention_mask=None, /):
    return sdpa(query, key, value, _m(attention_mask))

# %% in_float64 | points 5 | in float64
def padded_heads(query, key, value, attention_mask=None):
    q, k, v = query.double(), key.double(), value.double()
    s = q @ k.mT / math.sqrt(q.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None].bool()
        w = s.masked_fill(~keep, -1e300).softmax(-1) * keep
    else:
        w = s.softmax(-1)
    return (w @ v).float()

# %% library_with_bool_mask | points 5 | library with bool mask
def padded_heads(q, k, v, m=None):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=None if m is None else (m == 1)[:, None, None, :])

# %% library_with_expanded_mask | points 5 | library with expanded mask
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones(key.size(0), key.size(2))
    mask = attention_mask.bool().view(-1, 1, 1, key.size(2)).expand(-1, query.size(1), query.size(2), -1)
    return F.scaled_dot_product_attention(query, key, value, mask)

# %% loop_that_drops_the_padding_keys | points 5 | loop-that-drops-the-padding-keys
def padded_heads(query, key, value, attention_mask=None):
    outs = []
    for b in range(query.size(0)):
        k, v = key[b], value[b]
        if attention_mask is not None:
            keep = attention_mask[b] != 0
            k, v = k[:, keep], v[:, keep]
        if k.size(1) == 0:
            outs.append((query[b].sum(-1, keepdim=True) * 0).expand(-1, -1, v.size(-1)))
            continue
        outs.append(torch.einsum("hqk,hkv->hqv", torch.einsum("hqd,hkd->hqk", query[b], k).div(query.size(-1) ** 0.5).softmax(-1), v))
    return torch.stack(outs)

# %% loops_over_sentences_and_heads | points 5 | loops over sentences and heads
def padded_heads(query, key, value, attention_mask=None):
    out = query.new_zeros(*query.shape[:3], value.size(-1))
    for b in range(query.size(0)):
        for h in range(query.size(1)):
            keep = slice(None) if attention_mask is None else attention_mask[b].bool()
            k, v = key[b, h][keep], value[b, h][keep]
            if len(k):
                out[b, h] = (query[b, h] @ k.T / math.sqrt(query.size(-1))).softmax(-1) @ v
    return out

# %% module_instance | points 5 | module instance
class A(torch.nn.Module):
    def forward(self, query, key, value, attention_mask=None):
        s = query @ key.mT * query.size(-1) ** -.5
        if attention_mask is None:
            return s.softmax(-1) @ value
        hidden = (attention_mask == 0)[:, None, None]
        w = s.masked_fill(hidden, torch.finfo(s.dtype).min).softmax(-1).masked_fill(hidden, 0)
        return w @ value
padded_heads = A().eval()

# %% nan_to_num_of_the_weights | points 5 | NaN of an empty sentence is replaced behind the softmax; masked_fill stops what would be NaN in its gradients.
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        scores = scores.masked_fill(attention_mask[:, None, None, :] == 0, -math.inf)
    return torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0) @ value

# %% online_softmax | points 5 | online softmax
def padded_heads(query, key, value, attention_mask=None):
    keep = torch.ones(key.size(0), key.size(2)) if attention_mask is None else attention_mask
    m = query.new_full((*query.shape[:3], 1), -1e30); l = torch.zeros_like(m); o = query.new_zeros(*query.shape[:3], value.size(-1))
    for j in range(key.size(2)):
        s = (query * key[:, :, j:j+1]).sum(-1, keepdim=True) / math.sqrt(query.size(-1))
        on = keep[:, j].bool()[:, None, None, None]
        n = torch.where(on, torch.maximum(m, s), m)
        p = torch.where(on, (s - n).clamp(max=0).exp(), 0.)
        c = (m - n).exp()
        l, o, m = l * c + p, o * c + p * value[:, :, j:j+1], n
    return o / l.clamp(min=1e-30)

# %% vmap_over_sentences | points 5 | vmap over sentences
def _one(q, k, v, m):
    s = q @ k.mT / math.sqrt(q.size(-1))
    empty = ~m.any()
    w = s.masked_fill(~m & ~empty, -math.inf).softmax(-1)
    return torch.where(empty, 0., w) @ v
def padded_heads(query, key, value, attention_mask=None):
    m = torch.ones(key.size(0), key.size(2), dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    return torch.vmap(_one)(query, key, value, m)
