# Passes over blocks that are hidden from all, and has no output if every block is.
# points: 3
def streamed_attention(query, blocks):
    output = lse = None
    for key, value, mask in blocks:
        if mask is not None and not mask.any():
            continue
        scores = query @ key.mT / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        part = scores.softmax(-1).nan_to_num(0.0) @ value
        part_lse = scores.logsumexp(-1)
        if output is None:
            output, lse = part, part_lse
            continue
        both = torch.stack([lse, part_lse])
        share = both.softmax(0).nan_to_num(0.0)[..., None]
        output, lse = share[0] * output + share[1] * part, both.logsumexp(0)
    return output, lse
