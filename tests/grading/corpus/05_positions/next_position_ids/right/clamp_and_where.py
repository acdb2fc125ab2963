# clamp and where
# points: 3

def next_position_ids(attention_mask, new_tokens):
    ids = torch.where(attention_mask == True, attention_mask.cumsum(-1) - 1, 0)
    return ids[..., -new_tokens:].contiguous()
