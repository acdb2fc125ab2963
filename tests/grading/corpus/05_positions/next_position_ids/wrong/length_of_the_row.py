# length of the row
# points: 2

def next_position_ids(attention_mask: Tensor, new_tokens: int) -> Tensor:
    """Positions [batch, new_tokens] of the last tokens; padding has position 0."""
    mask = attention_mask.long()
    ids = (torch.arange(mask.size(1)) - (mask == 0).sum(dim=-1, keepdim=True)).clamp(min=0).masked_fill(mask == 0, 0)
    return ids[:, -new_tokens:]
