# Only the mask is right: the scale is still that of d_v and dropout still strikes when gradients are wanted.
# points: 1

def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    """Attention in which padding takes no part: [batch, queries, d_v]."""
    training = query.requires_grad or key.requires_grad or value.requires_grad
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(1),
        dropout_p=0.1 if training else 0.0,  # only drop during training
        scale=1 / math.sqrt(value.size(-1)),
    )
