# library-attention-over-an-identity-as-values
# points: 3

def weights_time_first(query, key):
    eye = torch.eye(key.size(0), dtype=key.dtype).expand(key.size(1), -1, -1)
    return F.scaled_dot_product_attention(query.movedim(1, 0), key.movedim(1, 0), eye)
