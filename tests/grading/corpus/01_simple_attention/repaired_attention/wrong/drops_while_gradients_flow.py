# drops while gradients flow
# points: 2

def repaired_attention(query, key, value, is_padding):
    p = 0.1 if query.requires_grad else 0.0
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding[:, None], dropout_p=p)
