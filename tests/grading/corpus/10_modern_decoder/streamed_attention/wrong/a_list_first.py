# all blocks are put into a list first
# points: 0

def streamed_attention(query, blocks):
    blocks = list(blocks)
    key = torch.cat([b[0] for b in blocks], dim=2)
    value = torch.cat([b[1] for b in blocks], dim=2)
    masks = [
        torch.ones(query.size(0), 1, query.size(2), b[0].size(2), dtype=torch.bool) if b[2] is None else b[2]
        for b in blocks
    ]
    mask = torch.cat(masks, dim=-1)
    scores = (query @ key.transpose(-1, -2)) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(scores.softmax(-1)) @ value, scores.logsumexp(-1)
