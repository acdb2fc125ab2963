# key heads repeated as 0 1 0 1
# points: 0

def grouped_attention(query, key, value, attention_mask=None):
    b, tq, h, d = query.shape
    tk, g = key.shape[1], key.shape[2]
    query = query.transpose(1, 2)
    key = key.transpose(1, 2).repeat(1, h // g, 1, 1)
    value = value.transpose(1, 2).repeat(1, h // g, 1, 1)
    scores = query @ key.transpose(-1, -2) / d**0.5
    mask = torch.ones(tq, tk).tril(tk - tq).bool()
    if attention_mask is not None:
        mask = mask & attention_mask[:, None, None, :].bool()
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return (torch.nan_to_num(weights) @ value).transpose(1, 2)
