# Counts all columns where the first row has no padding, although others may have some.
# points: 0
def next_position_ids(attention_mask, new_tokens):
    """Return the positions of the last tokens, ``[batch, new_tokens]``."""
    mask = attention_mask.long()
    if bool(mask[0].all()):
        mask = torch.ones_like(mask)
    ids = mask.cumsum(dim=-1) - 1
    ids = ids.masked_fill(mask == 0, 0)
    return ids[:, -new_tokens:]
