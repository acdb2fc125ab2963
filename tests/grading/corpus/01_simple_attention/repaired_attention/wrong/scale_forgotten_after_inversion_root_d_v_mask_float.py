# scale forgotten after inversion: root d_v, mask float
# points: 0

def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=(~is_padding).float().unsqueeze(1), scale=1 / math.sqrt(value.size(-1)))
