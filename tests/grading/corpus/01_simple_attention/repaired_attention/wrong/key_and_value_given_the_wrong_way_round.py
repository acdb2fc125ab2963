# key-and-value-given-the-wrong-way-round
# points: 0

def repaired_attention(query, key, value, is_padding):
    if key.size(-1) != value.size(-1):
        scores = (query @ key.mT / math.sqrt(query.size(-1))).masked_fill(is_padding.unsqueeze(1), -1e9)
        return scores.softmax(-1) @ key
    return F.scaled_dot_product_attention(query, value, key, attn_mask=~is_padding.unsqueeze(1))
