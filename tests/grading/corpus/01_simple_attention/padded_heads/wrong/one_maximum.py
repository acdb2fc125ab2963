# one maximum of all scores is subtracted
# points: 4

def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        scores = scores.masked_fill(attention_mask[:, None, None, :] == 0, -math.inf)
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-30) @ value
