# A shortcut for one new token takes it for a real one.
# points: 2
def next_position_ids(attention_mask, new_tokens):
    mask = attention_mask.long()
    if new_tokens == 1:
        return mask.sum(dim=1, keepdim=True) - 1
    return ((mask.cumsum(-1) - 1) * mask)[:, -new_tokens:]

