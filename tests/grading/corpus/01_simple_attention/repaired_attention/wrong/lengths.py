# Counts the tokens and hides what stands behind as many, as if all padding stood on the right.
# points: 0
def repaired_attention(query, key, value, is_padding):
    lengths = (~is_padding).sum(dim=-1, keepdim=True)
    keep = torch.arange(key.size(1)) < lengths
    return F.scaled_dot_product_attention(query, key, value, attn_mask=keep.unsqueeze(1))
