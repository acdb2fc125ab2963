# Multiplies the scores by the mask and hides whatever is 0 then.
# points: 0
def repaired_attention(query, key, value, is_padding):
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1)) * ~is_padding.unsqueeze(1)
    weights = scores.masked_fill(scores == 0, -math.inf).softmax(dim=-1).nan_to_num(0.0)
    return weights @ value

