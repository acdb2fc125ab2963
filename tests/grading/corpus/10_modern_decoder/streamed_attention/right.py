# %% in_double_with_a_finite_lowest | points 4 | float64 inside, the lowest finite number instead of -inf, zeros by a count of keys seen
def streamed_attention(query, blocks):
    q = query.double() / math.sqrt(query.shape[-1])
    m = s = o = seen = None
    for k, v, mask in blocks:
        x = q @ k.double().transpose(2, 3)
        if mask is None:
            mask = torch.ones(x.shape[-2:], dtype=torch.bool)
        mask = mask.expand_as(x)
        x = torch.where(mask, x, torch.full_like(x, -1e300))
        bm = x.max(-1, keepdim=True).values
        nm = bm if m is None else torch.maximum(m, bm)
        p = torch.exp(x - nm) * mask
        if m is None:
            s, o, seen = p.sum(-1, keepdim=True), p @ v.double(), mask.sum(-1)
        else:
            c = torch.exp(m - nm)
            s, o, seen = s * c + p.sum(-1, keepdim=True), o * c + p @ v.double(), seen + mask.sum(-1)
        m = nm
    none = seen == 0
    out = torch.where(none[..., None], 0.0, o / s)
    lse = torch.where(none, float("-inf"), (m + s.log()).squeeze(-1))
    return out.to(query.dtype), lse.to(query.dtype)

# %% logaddexp_of_running_lse | points 4 | the running output is always normalised; two shares that sum to 1
def streamed_attention(query, blocks):
    out, lse = 0.0, torch.full(query.shape[:3], -math.inf)
    for key, value, mask in blocks:
        s = torch.matmul(query, key.transpose(-1, -2)) / query.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, -math.inf)
        block_lse = torch.logsumexp(s, dim=-1)
        new_lse = torch.logaddexp(lse, block_lse)
        safe = torch.where(torch.isinf(new_lse), torch.zeros(()), new_lse)
        old_share = torch.exp(lse - safe)
        p = torch.exp(s - safe[..., None])
        out = out * old_share[..., None] + p @ value
        lse = new_lse
    return out, lse
