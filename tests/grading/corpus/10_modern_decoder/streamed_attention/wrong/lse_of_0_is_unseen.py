# a running log-sum-exp of exactly 0 counts as nothing seen yet
# points: 3
def streamed_attention(query, blocks):
    output, lse = None, None
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        mine = scores.logsumexp(-1)
        part = (scores - mine.masked_fill(mine == -math.inf, 0.0)[..., None]).exp() @ value
        if output is None:
            output, lse = part, mine
            continue
        lse = torch.where(lse == 0, -math.inf, lse)
        both = torch.logaddexp(lse, mine)
        safe = both.masked_fill(both == -math.inf, 0.0)
        output = output * (lse - safe).exp()[..., None] + part * (mine - safe).exp()[..., None]
        lse = both
    return output, lse
