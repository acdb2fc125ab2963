# the running output is always normalised; two shares that sum to 1
# points: 4

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
