# no_grad for evaluation
# points: 2

def repaired_attention(query, key, value, is_padding):
    with torch.no_grad():
        return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1))
