# Dropout stays and is made "the same every time" by a seed: another mistake in place of the bug.
# points: 0
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    torch.manual_seed(0)
    return F.scaled_dot_product_attention(
        query, key, value, attn_mask=~is_padding.unsqueeze(1), dropout_p=0.1
    )
