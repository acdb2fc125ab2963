# Converts the result to the dtype of the mask, so booleans return booleans.
# points: 2
def next_position_ids(attention_mask: Tensor, new_tokens: int) -> Tensor:
    """Positions [batch, new_tokens] of the last tokens; padding has position 0."""
    mask = attention_mask.long()
    ids = (mask.cumsum(dim=-1) - 1).masked_fill(mask == 0, 0)
    return ids[:, -new_tokens:].to(attention_mask.dtype)
