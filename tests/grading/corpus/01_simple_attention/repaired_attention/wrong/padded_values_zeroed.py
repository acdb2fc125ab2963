# No mask at all, the values of padding are set to zero: padding keeps its share of the weights.
# points: 0
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    value = value.masked_fill(is_padding.unsqueeze(-1), 0.0)
    key = key.masked_fill(is_padding.unsqueeze(-1), 0.0)
    return F.scaled_dot_product_attention(query, key, value, dropout_p=0.0)
