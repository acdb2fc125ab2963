# inverted and -inf additive
# points: 2

def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=torch.zeros(is_padding.shape).masked_fill(~is_padding, -math.inf).unsqueeze(1))
