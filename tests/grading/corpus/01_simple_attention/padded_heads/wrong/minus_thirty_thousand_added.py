# Adds -30000 to the scores of padding, too little where they lie 40000 above those of tokens.
# points: 4
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if attention_mask is None:
        return scores.softmax(-1) @ value
    mask = attention_mask[:, None, None, :].float()
    scores = scores + (1 - mask) * -30000.0
    return (scores.softmax(-1) * mask) @ value
