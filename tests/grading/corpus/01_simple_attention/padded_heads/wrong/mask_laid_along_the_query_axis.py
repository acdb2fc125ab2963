# mask-laid-along-the-query-axis
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        mask = attention_mask[:, None, :, None]
        scores = scores.masked_fill(mask == 0, float("-inf"))
    w = torch.softmax(scores, dim=-1)
    w = torch.nan_to_num(w)
    return w @ value
