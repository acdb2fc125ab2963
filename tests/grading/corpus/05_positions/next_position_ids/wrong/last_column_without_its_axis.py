# Always takes the last column, without its axis.
# points: 0

def next_position_ids(attention_mask: Tensor, new_tokens: int) -> Tensor:
    """Positions [batch, new_tokens] of the last tokens; padding has position 0."""
    mask = attention_mask.long()
    ids = (mask.cumsum(dim=-1) - 1).masked_fill(mask == 0, 0)
    return ids[:, -1]
