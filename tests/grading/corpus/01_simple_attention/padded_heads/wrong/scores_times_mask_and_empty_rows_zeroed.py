# Multiplies the scores by the mask before the softmax, which gives padding the score 0 and not no weight.
# points: 0
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        scores = scores * attention_mask[:, None, None, :]
    weights = scores.softmax(dim=-1)
    if attention_mask is not None:
        some = (attention_mask != 0).any(dim=-1)[:, None, None, None]
        weights = weights * some
    return weights @ value
