# the scale is still that of the values where they are wider than the queries; dropout is left alive
# points: 1
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(1),
        dropout_p=0.1,
        scale=1 / math.sqrt(max(query.size(-1), value.size(-1))),
    )
