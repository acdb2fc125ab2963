# crash everywhere
# points: 0

def next_position_ids(attention_mask, new_tokens):
    return mask.cumsum(-1) - 1
